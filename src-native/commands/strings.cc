// Whole string values: SET and its relatives, GET and its relatives, several keys at once, and
// parts of a value. Counters are in counters.cc, LCS in lcs.cc.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include "commands/families.h"
#include "commands/option_word.h"
#include "commands/string_value.h"
#include "dispatch/context.h"

namespace moon::commands {
namespace {

using store::Entry;
using store::EventClass;
using store::KeyRef;
using store::Type;
using store::WriteScope;

// ---- expire options ----------------------------------------------------------------------------

enum class ExpireUnit : uint8_t { kNone, kSeconds, kMilliseconds, kSecondsAt, kMillisecondsAt };

// The option that names a deadline, and the argument with its number.
struct ExpireOption {
  ExpireUnit unit = ExpireUnit::kNone;
  std::string_view text;

  bool given() const { return unit != ExpireUnit::kNone; }
  bool absolute() const {
    return unit == ExpireUnit::kSecondsAt || unit == ExpireUnit::kMillisecondsAt;
  }
};

// The deadline of an option. False after the error reply was written.
bool take_deadline(Context& ctx, const ExpireOption& option, int64_t* deadline_ms) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  int64_t value = 0;
  if (!take_integer(ctx, option.text, &value)) return false;
  const bool in_seconds =
      option.unit == ExpireUnit::kSeconds || option.unit == ExpireUnit::kSecondsAt;
  const int64_t scale = in_seconds ? 1000 : 1;
  const int64_t base_ms = option.absolute() ? 0 : ctx.now_ms();
  if (value <= 0 || value > kMax / scale || value * scale > kMax - base_ms) {
    ctx.reply.error_format(resp::kErrExpireTime, MOON_TEXT(ctx.row.name));
    return false;
  }
  *deadline_ms = value * scale + base_ms;
  return true;
}

enum class SetWhen : uint8_t { kAlways, kIfAbsent, kIfPresent };

// The options of SET and GETEX.
struct StringOptions {
  SetWhen when = SetWhen::kAlways;
  bool get = false;
  bool keep_ttl = false;
  bool persist = false;
  ExpireOption expire;
};

// EX 10 and its like at args[*at]. The same unit may come twice, the last one counts; two
// different ones, or one beside KEEPTTL or PERSIST, contradict each other.
bool take_expire(Context& ctx, ExpireUnit unit, size_t* at, StringOptions* options) {
  ExpireOption& expire = options->expire;
  if (options->keep_ttl || options->persist) return false;
  if (expire.given() && expire.unit != unit) return false;
  if (*at + 1 >= ctx.argc()) return false;
  expire = {unit, ctx.arg(++*at)};
  return true;
}

// The options that SET and GETEX share. False: none of them, or not here.
bool take_expire_word(Context& ctx, uint64_t word, size_t* at, StringOptions* options) {
  switch (word) {
    case option_word("ex"):
      return take_expire(ctx, ExpireUnit::kSeconds, at, options);
    case option_word("px"):
      return take_expire(ctx, ExpireUnit::kMilliseconds, at, options);
    case option_word("exat"):
      return take_expire(ctx, ExpireUnit::kSecondsAt, at, options);
    case option_word("pxat"):
      return take_expire(ctx, ExpireUnit::kMillisecondsAt, at, options);
    default:
      return false;
  }
}

bool take_set_word(Context& ctx, size_t* at, StringOptions* options) {
  const uint64_t word = option_word(ctx.arg(*at));
  switch (word) {
    case option_word("nx"):
      if (options->when == SetWhen::kIfPresent) return false;
      options->when = SetWhen::kIfAbsent;
      return true;
    case option_word("xx"):
      if (options->when == SetWhen::kIfAbsent) return false;
      options->when = SetWhen::kIfPresent;
      return true;
    case option_word("get"):
      options->get = true;
      return true;
    case option_word("keepttl"):
      if (options->expire.given()) return false;
      options->keep_ttl = true;
      return true;
    default:
      return take_expire_word(ctx, word, at, options);
  }
}

bool take_getex_word(Context& ctx, size_t* at, StringOptions* options) {
  const uint64_t word = option_word(ctx.arg(*at));
  if (word != option_word("persist")) return take_expire_word(ctx, word, at, options);
  if (options->expire.given()) return false;
  options->persist = true;
  return true;
}

// All options from args[first] on. False after the error reply was written.
bool take_options(Context& ctx, size_t first, bool (*take_word)(Context&, size_t*, StringOptions*),
                  StringOptions* options) {
  for (size_t at = first; at < ctx.argc(); ++at) {
    if (take_word(ctx, &at, options)) continue;
    ctx.reply.error(resp::Err::kSyntax);
    return false;
  }
  return true;
}

// ---- writing whole values ----------------------------------------------------------------------

// The value and its deadline (kNoDeadline: none), with the events of a SET.
void write_value(Context& ctx, WriteScope& scope, std::string_view value,
                 int64_t deadline_ms = Entry::kNoDeadline) {
  store_argument(ctx, scope, value);
  if (deadline_ms == Entry::kNoDeadline) {
    drop_deadline(scope);
    return scope.event(EventClass::kString, "set");
  }
  scope.set_deadline(deadline_ms);
  scope.event(EventClass::kString, "set");
  scope.event(EventClass::kGeneric, "expire");
}

void write_value_keep_ttl(Context& ctx, WriteScope& scope, std::string_view value) {
  store_argument(ctx, scope, value);
  scope.event(EventClass::kString, "set");
}

// The value as it is before the command changes it, or null. False after WRONGTYPE was written.
bool reply_old_value(Context& ctx, const WriteScope& scope) {
  count_lookup(ctx, scope.exists());
  if (!scope.exists()) {
    ctx.reply.null();
    return true;
  }
  if (is_wrong_type(ctx, scope.entry())) return false;
  reply_text(ctx, *scope.entry());
  return true;
}

void set(Context& ctx) {
  StringOptions options;
  int64_t deadline_ms = Entry::kNoDeadline;
  if (ctx.argc() > 3) {
    if (!take_options(ctx, 3, take_set_word, &options)) return;
    if (options.expire.given() && !take_deadline(ctx, options.expire, &deadline_ms)) return;
  }
  WriteScope scope(ctx.access, ctx.db(), ctx.keys[0]);
  if (options.get && !reply_old_value(ctx, scope)) return;
  const bool refused = options.when != SetWhen::kAlways &&
                       scope.exists() == (options.when == SetWhen::kIfAbsent);
  if (refused) {
    if (!options.get) ctx.reply.null();
    return;
  }
  if (options.keep_ttl) {
    write_value_keep_ttl(ctx, scope, ctx.arg(2));
  } else {
    write_value(ctx, scope, ctx.arg(2), deadline_ms);
  }
  if (!options.get) ctx.reply.ok();
}

void setnx(Context& ctx) {
  WriteScope scope(ctx.access, ctx.db(), ctx.keys[0]);
  if (scope.exists()) return ctx.reply.integer(0);
  write_value(ctx, scope, ctx.arg(2));
  ctx.reply.integer(1);
}

void set_with_ttl(Context& ctx, ExpireUnit unit) {
  int64_t deadline_ms = 0;
  if (!take_deadline(ctx, {unit, ctx.arg(2)}, &deadline_ms)) return;
  WriteScope scope(ctx.access, ctx.db(), ctx.keys[0]);
  write_value(ctx, scope, ctx.arg(3), deadline_ms);
  ctx.reply.ok();
}

void setex(Context& ctx) { set_with_ttl(ctx, ExpireUnit::kSeconds); }
void psetex(Context& ctx) { set_with_ttl(ctx, ExpireUnit::kMilliseconds); }

void getset(Context& ctx) {
  WriteScope scope(ctx.access, ctx.db(), ctx.keys[0]);
  if (reply_old_value(ctx, scope)) write_value(ctx, scope, ctx.arg(2));
}

void write_all(Context& ctx) {
  for (const KeyRef& key : ctx.keys) {
    WriteScope scope(ctx.access, ctx.db(), key);
    write_value(ctx, scope, ctx.arg(key.arg + 1));
  }
}

void mset(Context& ctx) {
  if (ctx.argc() % 2 == 0) return ctx.wrong_arity();
  write_all(ctx);
  ctx.reply.ok();
}

void msetnx(Context& ctx) {
  if (ctx.argc() % 2 == 0) return ctx.wrong_arity();
  for (const KeyRef& key : ctx.keys) {
    if (ctx.peek(key) != nullptr) return ctx.reply.integer(0);
  }
  write_all(ctx);
  ctx.reply.integer(1);
}

// ---- reading -----------------------------------------------------------------------------------

void get(Context& ctx) {
  bool wrong = false;
  const Entry* entry = ctx.read_typed(ctx.keys[0], Type::kString, &wrong);
  if (wrong) return;
  if (entry == nullptr) return ctx.reply.null();
  reply_text(ctx, *entry);
}

void mget(Context& ctx) {
  ctx.reply.array(ctx.keys.size());
  for (const KeyRef& key : ctx.keys) {
    const Entry* entry = ctx.read(key);
    if (entry != nullptr && entry->type() == Type::kString) {
      reply_text(ctx, *entry);
    } else {
      ctx.reply.null();
    }
  }
}

void getdel(Context& ctx) {
  WriteScope scope(ctx.access, ctx.db(), ctx.keys[0]);
  if (!reply_old_value(ctx, scope) || !scope.exists()) return;
  scope.remove();
  scope.event(EventClass::kGeneric, "del");
}

void getex(Context& ctx) {
  StringOptions options;
  if (!take_options(ctx, 2, take_getex_word, &options)) return;
  WriteScope scope(ctx.access, ctx.db(), ctx.keys[0]);
  count_lookup(ctx, scope.exists());
  if (!scope.exists()) return ctx.reply.null();
  if (is_wrong_type(ctx, scope.entry())) return;
  int64_t deadline_ms = 0;
  if (options.expire.given() && !take_deadline(ctx, options.expire, &deadline_ms)) return;
  reply_text(ctx, *scope.entry());
  if (options.expire.absolute() && deadline_ms <= ctx.now_ms()) {
    scope.remove();
    return scope.event(EventClass::kGeneric, "del");
  }
  if (options.expire.given()) {
    scope.set_deadline(deadline_ms);
    scope.event(EventClass::kGeneric, "expire");
  } else if (options.persist && scope.entry()->has_deadline()) {
    scope.clear_deadline();
    scope.event(EventClass::kGeneric, "persist");
  }
}

void strlen_(Context& ctx) {
  bool wrong = false;
  const Entry* entry = ctx.read_typed(ctx.keys[0], Type::kString, &wrong);
  if (wrong) return;
  ctx.reply.integer(entry == nullptr ? 0 : static_cast<int64_t>(entry->text_size()));
}

// ---- parts of a value --------------------------------------------------------------------------

void getrange(Context& ctx) {
  int64_t start = 0;
  int64_t end = 0;
  if (!take_integer(ctx, ctx.arg(2), &start) || !take_integer(ctx, ctx.arg(3), &end)) return;
  bool wrong = false;
  const Entry* entry = ctx.read_typed(ctx.keys[0], Type::kString, &wrong);
  if (wrong) return;
  if (entry == nullptr) return ctx.reply.bulk({});
  store::DigitBuffer digits;
  const std::string_view text = entry->text(digits);
  size_t first = 0;
  size_t last = 0;
  if (is_backwards(start, end) || !resolve_range(start, end, text.size(), &first, &last)) {
    return ctx.reply.bulk({});
  }
  const size_t size = last - first + 1;
  if (SharedBytes* block = entry->shared(); block != nullptr) {
    return ctx.reply.bulk_shared(block, first, size);
  }
  ctx.reply.bulk(text.substr(first, size));
}

// Writes `part` at `offset` of the value, which grows by zeros as far as needed, and answers the
// new size.
void write_part(Context& ctx, WriteScope& scope, size_t offset, std::string_view part,
                std::string_view event) {
  const size_t old_size = scope.exists() ? scope.entry()->text_size() : 0;
  const size_t size = std::max(old_size, offset + part.size());
  char* bytes = scope.mutable_text(size);
  if (bytes == nullptr) return ctx.reply.error(resp::Err::kOutOfMemory);
  if (!part.empty()) std::memcpy(bytes + offset, part.data(), part.size());
  scope.event(EventClass::kString, event);
  ctx.reply.integer(static_cast<int64_t>(size));
}

void append(Context& ctx) {
  const std::string_view part = ctx.arg(2);
  WriteScope scope(ctx.access, ctx.db(), ctx.keys[0]);
  if (!scope.exists()) {
    store_argument(ctx, scope, part);
    scope.event(EventClass::kString, "append");
    return ctx.reply.integer(static_cast<int64_t>(part.size()));
  }
  if (is_wrong_type(ctx, scope.entry())) return;
  const size_t old_size = scope.entry()->text_size();
  if (is_too_long(ctx, old_size, part.size())) return;
  write_part(ctx, scope, old_size, part, "append");
}

void setrange(Context& ctx) {
  int64_t offset = 0;
  if (!take_integer(ctx, ctx.arg(2), &offset)) return;
  if (offset < 0) return ctx.reply.error(resp::Err::kOffsetOutOfRange);
  const std::string_view part = ctx.arg(3);
  WriteScope scope(ctx.access, ctx.db(), ctx.keys[0]);
  if (is_wrong_type(ctx, scope.entry())) return;
  if (part.empty()) {
    const size_t size = scope.exists() ? scope.entry()->text_size() : 0;
    return ctx.reply.integer(static_cast<int64_t>(size));
  }
  if (is_too_long(ctx, static_cast<size_t>(offset), part.size())) return;
  write_part(ctx, scope, static_cast<size_t>(offset), part, "setrange");
}

}  // namespace

void register_strings(HandlerRegistry& registry) {
  registry.add("append", append);
  registry.add("get", get);
  registry.add("getdel", getdel);
  registry.add("getex", getex);
  registry.add("getrange", getrange);
  registry.add("getset", getset);
  registry.add("mget", mget);
  registry.add("mset", mset);
  registry.add("msetnx", msetnx);
  registry.add("psetex", psetex);
  registry.add("set", set);
  registry.add("setex", setex);
  registry.add("setnx", setnx);
  registry.add("setrange", setrange);
  registry.add("strlen", strlen_);
  registry.add("substr", getrange);
}

}  // namespace moon::commands
