// DEBUG: what test suites use to look inside and to bring about what is rare. Refused unless
// enable-debug-command allows it.
//
// DEBUG holds the tokens of all slices: DEBUG SLEEP stops every command on keys meanwhile, which
// is what the suites that use it want to see; PING, INFO and their like go on on other threads.
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/glob.h"
#include "base/json.h"
#include "base/lower.h"
#include "base/numbers.h"
#include "commands/common.h"
#include "commands/families.h"
#include "dispatch/context.h"
#include "store/eviction.h"

namespace moon::commands {
namespace {

using store::Entry;
using store::KeyRef;

// --- SLEEP ------------------------------------------------------------------------------------

void debug_sleep(Context& ctx) {
  constexpr double kStepSeconds = 0.01;  // the sleep ends early when the server shuts down
  double seconds = 0;
  parse_double(ctx.arg(2), &seconds);  // no number is no sleep, as in Redis
  while (seconds > 0) {
    if ((ctx.engine.gate.load(std::memory_order_relaxed) & dispatch::kGateShuttingDown) != 0) break;
    const double step = std::min(seconds, kStepSeconds);
    timespec span = {0, static_cast<long>(step * 1e9)};
    nanosleep(&span, nullptr);
    seconds -= step;
  }
  ctx.reply.ok();
}

// --- OBJECT -----------------------------------------------------------------------------------

// Bytes of the value in an RDB file, before compression.
size_t serialized_length(const Entry& entry) {
  if (entry.type() != store::Type::kString) return entry.memory();
  const size_t size = entry.text_size();
  constexpr size_t kIntegerDigitsMax = 11;
  store::DigitBuffer scratch;
  int64_t value = 0;
  if (size <= kIntegerDigitsMax && parse_int64(entry.text(scratch), &value)) {
    if (value == static_cast<int8_t>(value)) return 2;
    if (value == static_cast<int16_t>(value)) return 3;
    if (value == static_cast<int32_t>(value)) return 5;
  }
  return size + (size < 64 ? 1 : size < 16384 ? 2 : 5);
}

void debug_object(Context& ctx) {
  const KeyRef key = ctx.keyspace().key_ref(ctx.arg(2), 2);
  const Entry* entry = ctx.peek(key);
  if (entry == nullptr) return ctx.reply.error(resp::Err::kNoSuchKey);
  char line[256];
  const std::string_view encoding = store::encoding_name(entry->encoding());
  const int size = std::snprintf(
      line, sizeof line,
      "Value at:%p refcount:1 encoding:%.*s serializedlength:%zu lru:%u lru_seconds_idle:%llu",
      static_cast<const void*>(entry), MOON_TEXT(encoding), serialized_length(*entry),
      entry->access(), static_cast<unsigned long long>(store::idle_seconds(*entry, ctx.now_ms())));
  ctx.reply.simple({line, static_cast<size_t>(size)});
}

// --- POPULATE ---------------------------------------------------------------------------------

bool take_positive(Context& ctx, size_t index, int64_t* value) {
  if (parse_int64(ctx.arg(index), value) && *value >= 0) return true;
  ctx.reply.error(resp::Err::kOutOfRangePositive);
  return false;
}

// DEBUG POPULATE count [prefix] [size]: "key:0" = "value:0" and so on; with a size the values are
// cut or filled with zero bytes. Keys that exist are left alone.
void debug_populate(Context& ctx) {
  int64_t count = 0;
  int64_t size = 0;
  if (!take_positive(ctx, 2, &count)) return;
  if (ctx.argc() > 4 && !take_positive(ctx, 4, &size)) return;
  const std::string prefix(ctx.argc() > 3 ? ctx.arg(3) : "key");
  for (int64_t i = 0; i < count; ++i) {
    const std::string name = prefix + ':' + std::to_string(i);
    store::WriteScope scope(ctx.access, ctx.db(), ctx.keyspace().key_ref(name, 0));
    if (scope.exists()) continue;
    std::string value = "value:" + std::to_string(i);
    if (size > 0) value.resize(static_cast<size_t>(size));
    scope.set_text(value);
    scope.event(store::EventClass::kString, "set");
  }
  ctx.reply.ok();
}

// --- PROTOCOL ---------------------------------------------------------------------------------

void debug_protocol_map(resp::Reply& reply) {
  reply.map(3);
  for (int i = 0; i < 3; ++i) {
    reply.integer(i);
    reply.boolean(i == 1);
  }
}

void debug_protocol_attribute(resp::Reply& reply) {
  if (reply.version() == 3) {
    reply.raw("|1\r\n");
    reply.bulk("key-popularity");
    reply.array(2);
    reply.bulk("key:123");
    reply.integer(90);
  }
  reply.bulk("Some real reply following the attribute");
}

void debug_protocol_push(resp::Reply& reply) {
  if (reply.version() != 3) return reply.error("ERR RESP2 is not supported by this command");
  reply.push(2);
  reply.bulk("server-cpu-usage");
  reply.integer(42);
  reply.bulk("Some real reply following the push reply");
}

void debug_protocol(Context& ctx) {
  resp::Reply& reply = ctx.reply;
  const auto is = [&ctx](std::string_view name) { return equals_ignore_case(ctx.arg(2), name); };
  if (is("string")) return reply.bulk("Hello World");
  if (is("integer")) return reply.integer(12345);
  if (is("double")) return reply.real(3.141);
  if (is("null")) return reply.null();
  if (is("array") || is("set")) {
    is("array") ? reply.array(3) : reply.set(3);
    for (int i = 0; i < 3; ++i) reply.integer(i);
    return;
  }
  if (is("map")) return debug_protocol_map(reply);
  if (is("attrib")) return debug_protocol_attribute(reply);
  if (is("push")) return debug_protocol_push(reply);
  if (is("true")) return reply.boolean(true);
  if (is("false")) return reply.boolean(false);
  if (is("verbatim")) return reply.verbatim("txt", "This is a verbatim\nstring");
  if (is("bignum")) return reply.big_number("1234567999999999999999999999999999999");
  reply.error(
      "ERR Wrong protocol type name. Please use one of the following: "
      "string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|true|false");
}

// --- the rest ---------------------------------------------------------------------------------

void debug_error(Context& ctx) { ctx.reply.error(ctx.arg(2)); }

void write_log(Context& ctx, std::string_view message) {
  if (ctx.engine.control == nullptr) return;
  std::string json = R"({"level":"warning","message":)";
  append_json_string(&json, message);
  json += '}';
  ctx.engine.control->event("log", json);
}

void debug_log(Context& ctx) {
  write_log(ctx, "DEBUG LOG: " + std::string(ctx.arg(2)));
  ctx.reply.ok();
}

// Where memory lies, written to the log.
void debug_jmap(Context& ctx) {
  write_log(ctx, "DEBUG JMAP: " + allocator_report());
  ctx.reply.ok();
}

void debug_set_active_expire(Context& ctx) {
  int64_t on = 0;
  parse_int64(ctx.arg(2), &on);
  ctx.engine.active_expire.store(on != 0, std::memory_order_relaxed);
  ctx.reply.ok();
}

// DEBUG STRINGMATCH-LEN length pattern: whether the pattern matches that many letters a, for
// tests that patterns cost what they should.
void debug_stringmatch_len(Context& ctx) {
  constexpr int64_t kLengthMax = 64 << 20;
  int64_t length = 0;
  if (!parse_int64(ctx.arg(2), &length) || length < 0 || length > kLengthMax) {
    return ctx.reply.error(resp::Err::kOutOfRange);
  }
  ctx.reply.integer(glob_match(ctx.arg(3), std::string(static_cast<size_t>(length), 'a')) ? 1 : 0);
}

void debug_reload(Context& ctx) {
  ctx.reply.error("ERR DEBUG RELOAD needs persistence, and this server keeps its data in memory");
}

void debug_crash(Context& ctx) {
  const std::string_view word = ctx.arg(1);
  ctx.reply.error_format("ERR DEBUG %.*s is refused: other servers may live in this process",
                         MOON_TEXT(word));
}

void debug_help(Context& ctx);

struct Subcommand {
  std::string_view name;
  size_t argc_min;
  size_t argc_max;
  Handler handler;
  std::string_view operands;
  std::string_view help;
};

constexpr Subcommand kSubcommands[] = {
    {"error", 3, 3, debug_error, "<string>", "Answer with <string> as an error."},
    {"help", 2, 2, debug_help, "", "Print this help."},
    {"jmap", 2, 2, debug_jmap, "", "Write the allocator's report to the server's log."},
    {"log", 3, 3, debug_log, "<message>", "Write <message> to the server's log."},
    {"object", 3, 3, debug_object, "<key>", "Show where and how the value of <key> is kept."},
    {"oom", 2, 2, debug_crash, "", "Refused."},
    {"panic", 2, 2, debug_crash, "", "Refused."},
    {"populate", 3, 5, debug_populate, "<count> [<prefix>] [<size>]",
     "Create <count> keys <prefix>:<n>; prefix `key` by default."},
    {"protocol", 3, 3, debug_protocol, "<type>", "Answer with a sample of a protocol type."},
    {"reload", 2, 4, debug_reload, "", "Needs persistence."},
    {"segfault", 2, 2, debug_crash, "", "Refused."},
    {"set-active-expire", 3, 3, debug_set_active_expire, "<0|1>",
     "Whether keys are expired before they are looked at."},
    {"sleep", 3, 3, debug_sleep, "<seconds>", "Stop all commands on keys for <seconds>."},
    {"stringmatch-len", 4, 4, debug_stringmatch_len, "<length> <pattern>",
     "Whether <pattern> matches <length> letters `a`."},
};

void debug_help(Context& ctx) {
  ctx.reply.array(1 + 2 * std::size(kSubcommands));
  ctx.reply.simple("DEBUG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:");
  for (const Subcommand& subcommand : kSubcommands) {
    std::string line(subcommand.name);
    for (char& c : line) c = to_upper(c);
    if (!subcommand.operands.empty()) line += ' ';
    line += subcommand.operands;
    ctx.reply.simple(line);
    ctx.reply.simple("    " + std::string(subcommand.help));
  }
}

bool allowed(const Context& ctx) {
  const std::string mode = ctx.engine.settings.text(Setting::kEnableDebugCommand);
  return mode == "yes" || (mode == "local" && is_local(ctx.client));
}

void debug(Context& ctx) {
  if (!allowed(ctx)) {
    constexpr std::string_view kCommand = "DEBUG";
    constexpr std::string_view kDirective = "enable-debug-command";
    return ctx.reply.error_format(resp::kErrCommandDisabled, MOON_TEXT(kCommand),
                                  MOON_TEXT(kDirective));
  }
  for (const Subcommand& subcommand : kSubcommands) {
    if (!equals_ignore_case(ctx.arg(1), subcommand.name)) continue;
    if (ctx.argc() < subcommand.argc_min || ctx.argc() > subcommand.argc_max) break;
    return subcommand.handler(ctx);
  }
  const std::string_view word = ctx.arg(1).substr(0, 128);
  ctx.reply.error_format(
      "ERR unknown subcommand or wrong number of arguments for '%.*s'. Try DEBUG HELP.",
      MOON_TEXT(word));
}

}  // namespace

void register_debug(HandlerRegistry& registry) { registry.add("debug", debug); }

}  // namespace moon::commands
