// OBJECT: how a value is kept and when it was used. Asking does not count as a use.
#include <cstdint>

#include "commands/common.h"
#include "commands/families.h"
#include "dispatch/context.h"
#include "store/eviction.h"

namespace moon::commands {
namespace {

using store::Entry;

bool counts_frequency(const Context& ctx) {
  return store::is_lfu(ctx.engine.settings.get(Setting::kMaxmemoryPolicy));
}

void object_encoding(Context& ctx) {
  const Entry* entry = read_untouched(ctx, ctx.keys[0]);
  if (entry == nullptr) return ctx.reply.null();
  ctx.reply.bulk(store::encoding_name(entry->encoding()));
}

void object_freq(Context& ctx) {
  const Entry* entry = read_untouched(ctx, ctx.keys[0]);
  if (entry == nullptr) return ctx.reply.null();
  if (!counts_frequency(ctx)) return ctx.reply.error(resp::Err::kObjectFreqNotLfu);
  ctx.reply.integer(store::lfu_counter(*entry, ctx.now_ms(), ctx.engine.settings));
}

void object_idletime(Context& ctx) {
  const Entry* entry = read_untouched(ctx, ctx.keys[0]);
  if (entry == nullptr) return ctx.reply.null();
  if (counts_frequency(ctx)) return ctx.reply.error(resp::Err::kObjectIdletimeLfu);
  ctx.reply.integer(static_cast<int64_t>(store::idle_seconds(*entry, ctx.now_ms())));
}

// A value has one owner, its key: nothing is shared between keys, small integers neither.
void object_refcount(Context& ctx) {
  if (read_untouched(ctx, ctx.keys[0]) == nullptr) return ctx.reply.null();
  ctx.reply.integer(1);
}

}  // namespace

void register_object(HandlerRegistry& registry) {
  registry.add("object_encoding", object_encoding);
  registry.add("object_freq", object_freq);
  registry.add("object_help", reply_help);
  registry.add("object_idletime", object_idletime);
  registry.add("object_refcount", object_refcount);
}

}  // namespace moon::commands
