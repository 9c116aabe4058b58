// Logical databases: SELECT, FLUSHDB, FLUSHALL, SWAPDB; and WAIT.
#include <cstdint>
#include <limits>

#include "base/lower.h"
#include "base/numbers.h"
#include "commands/common.h"
#include "commands/families.h"
#include "dispatch/context.h"

namespace moon::commands {
namespace {

void select(Context& ctx) {
  uint32_t db = 0;
  if (!take_database(ctx, ctx.arg(1), &db)) return;
  ctx.client.db = db;
  ctx.reply.ok();
}

// ASYNC and SYNC are the same: the tables are detached at once, and their memory is freed in
// steps between commands. False after the error reply was written.
bool take_flush_mode(Context& ctx) {
  if (ctx.argc() == 1) return true;
  if (ctx.argc() == 2 &&
      (equals_ignore_case(ctx.arg(1), "SYNC") || equals_ignore_case(ctx.arg(1), "ASYNC"))) {
    return true;
  }
  ctx.reply.error(resp::Err::kSyntax);
  return false;
}

void flushdb(Context& ctx) {
  if (!take_flush_mode(ctx)) return;
  ctx.keyspace().flush(ctx.access, ctx.db());
  ctx.reply.ok();
}

void flushall(Context& ctx) {
  if (!take_flush_mode(ctx)) return;
  ctx.keyspace().flush_all(ctx.access);
  ctx.reply.ok();
}

bool parse_int32(std::string_view text, int64_t* value) {
  return parse_int64(text, value) && *value >= std::numeric_limits<int32_t>::min() &&
         *value <= std::numeric_limits<int32_t>::max();
}

void swapdb(Context& ctx) {
  int64_t first = 0;
  int64_t second = 0;
  if (!parse_int32(ctx.arg(1), &first)) return ctx.reply.error(resp::Err::kInvalidFirstDb);
  if (!parse_int32(ctx.arg(2), &second)) return ctx.reply.error(resp::Err::kInvalidSecondDb);
  const int64_t count = ctx.keyspace().database_count();
  if (first < 0 || first >= count || second < 0 || second >= count) {
    return ctx.reply.error(resp::Err::kDbIndexRange);
  }
  if (first != second) {
    ctx.keyspace().swap_databases(ctx.access, static_cast<uint32_t>(first),
                                  static_cast<uint32_t>(second));
  }
  ctx.reply.ok();
}

// How many replicas have the client's writes. This server has no replicas and none can attach, so
// the answer stands at once: waiting for the timeout could not change it.
void wait(Context& ctx) {
  int64_t replicas = 0;
  int64_t timeout_ms = 0;
  if (!parse_int64(ctx.arg(1), &replicas)) return ctx.reply.error(resp::Err::kNotInteger);
  if (!parse_int64(ctx.arg(2), &timeout_ms)) {
    return ctx.reply.error(resp::Err::kTimeoutNotInteger);
  }
  if (timeout_ms < 0) return ctx.reply.error(resp::Err::kTimeoutNegative);
  ctx.reply.integer(0);
}

}  // namespace

void register_database(HandlerRegistry& registry) {
  registry.add("flushall", flushall);
  registry.add("flushdb", flushdb);
  registry.add("select", select);
  registry.add("swapdb", swapdb);
  registry.add("wait", wait);
}

}  // namespace moon::commands
