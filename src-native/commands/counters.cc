// Strings as numbers: INCR, DECR, INCRBY, DECRBY, INCRBYFLOAT.
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/numbers.h"
#include "commands/families.h"
#include "commands/string_value.h"
#include "dispatch/context.h"

namespace moon::commands {
namespace {

using store::Entry;
using store::EventClass;
using store::WriteScope;

// The integer that a string holds; an absent key is 0. False after the error reply was written.
bool take_stored_integer(Context& ctx, const Entry* entry, int64_t* value) {
  *value = 0;
  if (entry == nullptr) return true;
  if (is_wrong_type(ctx, entry)) return false;
  if (entry->is_integer()) {
    *value = entry->integer();
    return true;
  }
  store::DigitBuffer unused;
  return take_integer(ctx, entry->text(unused), value);
}

void add_integer(Context& ctx, int64_t delta) {
  WriteScope scope(ctx.access, ctx.db(), ctx.keys[0]);
  int64_t value = 0;
  if (!take_stored_integer(ctx, scope.entry(), &value)) return;
  if (__builtin_add_overflow(value, delta, &value)) {
    return ctx.reply.error(resp::Err::kIncrementOverflow);
  }
  scope.set_integer(value);
  scope.event(EventClass::kString, "incrby");
  ctx.reply.integer(value);
}

void incr(Context& ctx) { add_integer(ctx, 1); }
void decr(Context& ctx) { add_integer(ctx, -1); }

void incrby(Context& ctx) {
  int64_t delta = 0;
  if (take_integer(ctx, ctx.arg(2), &delta)) add_integer(ctx, delta);
}

void decrby(Context& ctx) {
  int64_t delta = 0;
  if (!take_integer(ctx, ctx.arg(2), &delta)) return;
  if (delta == std::numeric_limits<int64_t>::min()) {
    return ctx.reply.error(resp::Err::kDecrementOverflow);
  }
  add_integer(ctx, -delta);
}

bool take_long_double(Context& ctx, std::string_view text, long double* value) {
  if (parse_long_double(text, value)) return true;
  ctx.reply.error(resp::Err::kNotFloat);
  return false;
}

// The number that a string holds; an absent key is 0. False after the error reply was written.
bool take_stored_float(Context& ctx, const Entry* entry, long double* value) {
  *value = 0;
  if (entry == nullptr) return true;
  if (is_wrong_type(ctx, entry)) return false;
  store::DigitBuffer digits;
  return take_long_double(ctx, entry->text(digits), value);
}

void incrbyfloat(Context& ctx) {
  WriteScope scope(ctx.access, ctx.db(), ctx.keys[0]);
  long double value = 0;
  long double delta = 0;
  if (!take_stored_float(ctx, scope.entry(), &value)) return;
  if (!take_long_double(ctx, ctx.arg(2), &delta)) return;
  value += delta;
  if (!std::isfinite(value)) return ctx.reply.error(resp::Err::kIncrementNanOrInfinity);
  char text[kLongDoubleMax];
  const char* end = format_long_double(value, text);
  const std::string_view digits(text, static_cast<size_t>(end - text));
  scope.set_plain_text(digits);
  scope.event(EventClass::kString, "incrbyfloat");
  ctx.reply.bulk(digits);
}

}  // namespace

void register_counters(HandlerRegistry& registry) {
  registry.add("decr", decr);
  registry.add("decrby", decrby);
  registry.add("incr", incr);
  registry.add("incrby", incrby);
  registry.add("incrbyfloat", incrbyfloat);
}

}  // namespace moon::commands
