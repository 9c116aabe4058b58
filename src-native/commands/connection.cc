// Commands on the connection itself: who speaks, which protocol, are you there.
#include <cstdint>
#include <optional>
#include <string>

#include "base/lower.h"
#include "base/numbers.h"
#include "commands/common.h"
#include "commands/families.h"
#include "dispatch/context.h"
#include "dispatch/transaction.h"

namespace moon::commands {
namespace {

// Takes the same time whatever the position of the first difference, so that a password cannot
// be found byte by byte.
bool same_secret(std::string_view secret, std::string_view given) {
  size_t difference = secret.size() ^ given.size();
  for (size_t i = 0; i < given.size(); ++i) {
    const char expected = secret.empty() ? '\0' : secret[i % secret.size()];
    difference |= static_cast<unsigned char>(expected ^ given[i]);
  }
  return difference == 0;
}

// The only user is `default`, whose password is requirepass; without one, any password is right.
bool authenticate(Context& ctx, std::string_view user, std::string_view password) {
  const std::string secret = ctx.engine.settings.text(Setting::kRequirepass);
  const bool right = secret.empty() || same_secret(secret, password);
  if (user != "default" || !right) {
    ctx.shard.counters.add(Counter::kAclAccessDeniedAuth);
    ctx.reply.error(resp::Err::kWrongPass);
    return false;
  }
  ctx.client.clear_gate(dispatch::kGateAuth);
  return true;
}

void auth(Context& ctx) {
  if (ctx.argc() > 3) return ctx.reply.error(resp::Err::kSyntax);
  if (ctx.argc() == 3) {
    if (authenticate(ctx, ctx.arg(1), ctx.arg(2))) ctx.reply.ok();
    return;
  }
  if (ctx.engine.settings.text(Setting::kRequirepass).empty()) {
    return ctx.reply.error(resp::Err::kAuthNoPassword);
  }
  if (authenticate(ctx, "default", ctx.arg(1))) ctx.reply.ok();
}

struct HelloOptions {
  std::optional<int64_t> version;
  bool has_password = false;
  std::string_view user;
  std::string_view password;
  std::optional<std::string_view> name;
};

// False after the error reply was written.
bool take_hello(Context& ctx, HelloOptions* options) {
  if (ctx.argc() > 1) {
    int64_t version = 0;
    if (!parse_int64(ctx.arg(1), &version)) {
      ctx.reply.error(resp::Err::kProtoNotInteger);
      return false;
    }
    if (version < 2 || version > 3) {
      ctx.reply.error(resp::Err::kNoProto);
      return false;
    }
    options->version = version;
  }
  for (size_t i = 2; i < ctx.argc(); ++i) {
    const std::string_view word = ctx.arg(i);
    const size_t more = ctx.argc() - 1 - i;
    if (equals_ignore_case(word, "AUTH") && more >= 2) {
      options->has_password = true;
      options->user = ctx.arg(i + 1);
      options->password = ctx.arg(i + 2);
      i += 2;
    } else if (equals_ignore_case(word, "SETNAME") && more >= 1) {
      options->name = ctx.arg(++i);
      if (!is_plain_name(*options->name)) {
        ctx.reply.error(resp::Err::kClientNameCharacters);
        return false;
      }
    } else {
      ctx.reply.error_format("ERR Syntax error in HELLO option '%.*s'", MOON_TEXT(word));
      return false;
    }
  }
  return true;
}

void hello(Context& ctx) {
  HelloOptions options;
  if (!take_hello(ctx, &options)) return;
  if (options.has_password && !authenticate(ctx, options.user, options.password)) return;
  if ((ctx.client.gate & dispatch::kGateAuth) != 0) {
    return ctx.reply.error(resp::Err::kHelloNoAuth);
  }
  if (options.name) ctx.client.set_name(*options.name);
  if (options.version) {
    ctx.client.resp = static_cast<uint8_t>(*options.version);
    ctx.reply.set_version(static_cast<int>(*options.version));
  }
  resp::Reply& reply = ctx.reply;
  reply.map(7);
  reply.bulk("server");
  reply.bulk("redis");
  reply.bulk("version");
  reply.bulk(ctx.engine.facts.redis_version);
  reply.bulk("proto");
  reply.integer(ctx.client.resp);
  reply.bulk("id");
  reply.integer(static_cast<int64_t>(ctx.client.id));
  reply.bulk("mode");
  reply.bulk("standalone");
  reply.bulk("role");
  reply.bulk("master");
  reply.bulk("modules");
  reply.array(0);
}

void ping(Context& ctx) {
  if (ctx.argc() > 2) return ctx.wrong_arity();
  if (ctx.argc() == 2) return ctx.reply.bulk(ctx.arg(1));
  ctx.reply.simple("PONG");
}

void echo(Context& ctx) { ctx.reply.bulk(ctx.arg(1)); }

void quit(Context& ctx) {
  ctx.reply.ok();
  ctx.client.set_flag(dispatch::kClientCloseAfterReply);
}

// As a connection just accepted. The library's name and version stay: they tell what stands
// behind the connection, not what it did.
void reset(Context& ctx) {
  dispatch::Client& client = ctx.client;
  dispatch::discard_transaction(client);
  dispatch::unwatch_all(client, ctx.keyspace());
  client.db = 0;
  client.resp = 2;
  ctx.reply.set_version(2);
  client.set_name({});
  client.clear_flag(dispatch::kClientNoEvict | dispatch::kClientNoTouch);
  client.clear_gate(dispatch::kGateReplyOff | dispatch::kGateReplySkip |
                    dispatch::kGateReplySkipNext);
  if (!ctx.engine.settings.text(Setting::kRequirepass).empty()) {
    client.set_gate(dispatch::kGateAuth);
  }
  ctx.reply.simple("RESET");
}

}  // namespace

void register_connection(HandlerRegistry& registry) {
  registry.add("auth", auth);
  registry.add("hello", hello);
  registry.add("ping", ping);
  registry.add("echo", echo);
  registry.add("quit", quit);
  registry.add("reset", reset);
}

}  // namespace moon::commands
