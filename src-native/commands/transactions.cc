// MULTI, EXEC, DISCARD, WATCH, UNWATCH. The state and the rules live in dispatch/transaction.h;
// EXEC itself is run by the dispatcher, which takes the tokens of everything queued.
#include "commands/families.h"
#include "dispatch/context.h"
#include "dispatch/transaction.h"

namespace moon::commands {

namespace {

void multi(Context& ctx) {
  if (ctx.client.transaction != nullptr) return ctx.reply.error(resp::Err::kMultiNested);
  dispatch::begin_transaction(ctx.client);
  ctx.reply.ok();
}

// Reached only by EXEC inside EXEC, which cannot be queued.
void exec(Context& ctx) { ctx.reply.error(resp::Err::kExecWithoutMulti); }

void discard(Context& ctx) {
  if (ctx.client.transaction == nullptr) {
    return ctx.reply.error(resp::Err::kDiscardWithoutMulti);
  }
  dispatch::discard_transaction(ctx.client);
  dispatch::unwatch_all(ctx.client, ctx.keyspace());
  ctx.reply.ok();
}

void watch(Context& ctx) {
  if (ctx.client.transaction != nullptr) return ctx.reply.error(resp::Err::kWatchInsideMulti);
  dispatch::watch_keys(ctx);
  ctx.reply.ok();
}

void unwatch(Context& ctx) {
  dispatch::unwatch_all(ctx.client, ctx.keyspace());
  ctx.reply.ok();
}

}  // namespace

void register_transactions(HandlerRegistry& registry) {
  registry.add("multi", multi);
  registry.add("exec", exec);
  registry.add("discard", discard);
  registry.add("watch", watch);
  registry.add("unwatch", unwatch);
}

}  // namespace moon::commands
