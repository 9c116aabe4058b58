// Deadlines of keys: EXPIRE and its relatives, TTL and its relatives, PERSIST.
#include <cstdint>
#include <limits>

#include "base/lower.h"
#include "commands/common.h"
#include "commands/families.h"
#include "dispatch/arg_parser.h"
#include "dispatch/context.h"

namespace moon::commands {
namespace {

using store::Entry;
using store::EventClass;
using store::WriteScope;

enum class Unit : int64_t { kSeconds = 1000, kMilliseconds = 1 };

struct ExpireOptions {
  bool nx = false;
  bool xx = false;
  bool gt = false;
  bool lt = false;

  // Whether a key with this deadline may get the new one. No deadline counts as infinite.
  bool allow(int64_t current_ms, int64_t wanted_ms) const {
    const bool endless = current_ms == Entry::kNoDeadline;
    if (nx && !endless) return false;
    if (xx && endless) return false;
    if (gt && (endless || wanted_ms <= current_ms)) return false;
    if (lt && !endless && wanted_ms >= current_ms) return false;
    return true;
  }
};

bool take_options(Context& ctx, ExpireOptions* options) {
  for (std::string_view word : ctx.args.subspan(3)) {
    if (equals_ignore_case(word, "NX")) {
      options->nx = true;
    } else if (equals_ignore_case(word, "XX")) {
      options->xx = true;
    } else if (equals_ignore_case(word, "GT")) {
      options->gt = true;
    } else if (equals_ignore_case(word, "LT")) {
      options->lt = true;
    } else {
      ctx.reply.error_format("ERR Unsupported option %.*s", MOON_TEXT(word));
      return false;
    }
  }
  if (options->nx && (options->xx || options->gt || options->lt)) {
    ctx.reply.error(resp::Err::kNxXxGtLtConflict);
    return false;
  }
  if (options->gt && options->lt) {
    ctx.reply.error(resp::Err::kGtLtConflict);
    return false;
  }
  return true;
}

// The deadline that arguments 2 and up ask for. False after the error reply was written.
bool take_deadline(Context& ctx, Unit unit, int64_t base_ms, int64_t* deadline_ms) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  int64_t value = 0;
  if (!parse_int64(ctx.arg(2), &value)) {
    ctx.reply.error(resp::Err::kNotInteger);
    return false;
  }
  const int64_t scale = static_cast<int64_t>(unit);
  const bool fits = value <= kMax / scale && value >= kMin / scale;
  if (!fits || value * scale > kMax - base_ms) {
    ctx.reply.error_format(resp::kErrExpireTime, MOON_TEXT(ctx.row.name));
    return false;
  }
  *deadline_ms = value * scale + base_ms;
  return true;
}

void expire_key(Context& ctx, Unit unit, int64_t base_ms) {
  ExpireOptions options;
  int64_t deadline_ms = 0;
  if (!take_options(ctx, &options) || !take_deadline(ctx, unit, base_ms, &deadline_ms)) return;
  WriteScope scope(ctx.access, ctx.db(), ctx.keys[0]);
  if (!scope.exists() || !options.allow(scope.entry()->deadline_ms(), deadline_ms)) {
    return ctx.reply.integer(0);
  }
  if (deadline_ms <= ctx.now_ms()) {
    scope.remove();
    scope.event(EventClass::kGeneric, "del");
  } else {
    scope.set_deadline(deadline_ms);
    scope.event(EventClass::kGeneric, "expire");
  }
  ctx.reply.integer(1);
}

void expire(Context& ctx) { expire_key(ctx, Unit::kSeconds, ctx.now_ms()); }
void pexpire(Context& ctx) { expire_key(ctx, Unit::kMilliseconds, ctx.now_ms()); }
void expireat(Context& ctx) { expire_key(ctx, Unit::kSeconds, 0); }
void pexpireat(Context& ctx) { expire_key(ctx, Unit::kMilliseconds, 0); }

// -2: no such key; -1: no deadline; else deadline - base_ms, rounded to the unit.
void reply_deadline(Context& ctx, Unit unit, int64_t base_ms) {
  const Entry* entry = read_untouched(ctx, ctx.keys[0]);
  if (entry == nullptr) return ctx.reply.integer(-2);
  if (!entry->has_deadline()) return ctx.reply.integer(-1);
  const int64_t deadline_ms = entry->deadline_ms();
  const int64_t left_ms = deadline_ms < base_ms ? 0 : deadline_ms - base_ms;
  if (unit == Unit::kMilliseconds) return ctx.reply.integer(left_ms);
  // Unsigned: rounding the largest deadline up must not overflow.
  ctx.reply.integer(static_cast<int64_t>((static_cast<uint64_t>(left_ms) + 500) / 1000));
}

void ttl(Context& ctx) { reply_deadline(ctx, Unit::kSeconds, ctx.now_ms()); }
void pttl(Context& ctx) { reply_deadline(ctx, Unit::kMilliseconds, ctx.now_ms()); }
void expiretime(Context& ctx) { reply_deadline(ctx, Unit::kSeconds, 0); }
void pexpiretime(Context& ctx) { reply_deadline(ctx, Unit::kMilliseconds, 0); }

void persist(Context& ctx) {
  WriteScope scope(ctx.access, ctx.db(), ctx.keys[0]);
  if (!scope.exists() || !scope.entry()->has_deadline()) return ctx.reply.integer(0);
  scope.clear_deadline();
  scope.event(EventClass::kGeneric, "persist");
  ctx.reply.integer(1);
}

}  // namespace

void register_expire(HandlerRegistry& registry) {
  registry.add("expire", expire);
  registry.add("pexpire", pexpire);
  registry.add("expireat", expireat);
  registry.add("pexpireat", pexpireat);
  registry.add("ttl", ttl);
  registry.add("pttl", pttl);
  registry.add("expiretime", expiretime);
  registry.add("pexpiretime", pexpiretime);
  registry.add("persist", persist);
}

}  // namespace moon::commands
