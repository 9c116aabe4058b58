// CLIENT: what the server knows about connections, and what a connection wants to be.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/lower.h"
#include "base/numbers.h"
#include "commands/common.h"
#include "commands/families.h"
#include "dispatch/context.h"

namespace moon::commands {
namespace {

using dispatch::Client;

// --- description ------------------------------------------------------------------------------

std::string flag_letters(const Client& client) {
  std::string letters;
  if ((client.gate & dispatch::kGateMulti) != 0) letters += 'x';
  if (client.watch_dirty.load(std::memory_order_relaxed)) letters += 'd';
  if (client.has_flag(dispatch::kClientCloseAfterReply)) letters += 'c';
  if (client.has_flag(dispatch::kClientCloseAsap) ||
      client.kill_requested.load(std::memory_order_relaxed)) {
    letters += 'A';
  }
  if (client.has_flag(dispatch::kClientUnixSocket)) letters += 'U';
  if (client.has_flag(dispatch::kClientNoEvict)) letters += 'e';
  if (client.has_flag(dispatch::kClientNoTouch)) letters += 'T';
  if (letters.empty()) letters = "N";
  return letters;
}

void append_number(std::string& out, const char* field, uint64_t value) {
  char digits[kIntegerMax];
  out += field;
  out.append(digits, format_uint64(value, digits));
}

uint64_t seconds_since(int64_t now_ms, int64_t then_ms) {
  return now_ms > then_ms ? static_cast<uint64_t>(now_ms - then_ms) / 1000 : 0;
}

void append_text(std::string& out, const char* field, std::string_view value) {
  out += field;
  out += value;
}

// One line of CLIENT LIST, without its end. Arguments are views into the query buffer, and there
// is no reply buffer of fixed size in front of the output blocks: argv-mem, rbs, rbp and obl are
// truly 0.
std::string describe(const Client& client, int64_t now_ms) {
  const bool in_multi = (client.gate & dispatch::kGateMulti) != 0;
  const uint64_t output_memory = client.output_bytes;
  const CommandRow* last = client.last_command;
  std::string line;
  line.reserve(320);
  append_number(line, "id=", client.id);
  append_text(line, " addr=", client.address);
  append_text(line, " laddr=", client.local_address);
  append_text(line, " fd=", std::to_string(client.descriptor));
  append_text(line, " name=", client.name());
  append_number(line, " age=", seconds_since(now_ms, client.created_ms));
  append_number(line, " idle=", seconds_since(now_ms, client.last_interaction_ms));
  append_text(line, " flags=", flag_letters(client));
  append_number(line, " db=", client.db);
  line += " sub=0 psub=0 ssub=0";
  if (in_multi) {
    append_number(line, " multi=", client.queued_commands);
  } else {
    line += " multi=-1";
  }
  append_number(line, " qbuf=", client.query_buffer_bytes);
  append_number(line, " qbuf-free=", client.query_buffer_free);
  line += " argv-mem=0";
  append_number(line, " multi-mem=", client.queued_memory);
  line += " rbs=0 rbp=0 obl=0";
  append_number(line, " oll=", client.output_chunks);
  append_number(line, " omem=", output_memory);
  append_number(line, " tot-mem=", client.memory_bytes);
  line += " events=";
  if (client.descriptor >= 0) line += output_memory == 0 ? "r" : "rw";
  append_text(line, " cmd=", last == nullptr ? "NULL" : last->name);
  line += " user=default redir=-1";
  append_number(line, " resp=", client.resp);
  append_text(line, " lib-name=", client.library_name());
  append_text(line, " lib-ver=", client.library_version());
  return line;
}

// --- filters ----------------------------------------------------------------------------------

enum class ClientType : uint8_t { kNormal, kReplica, kPubsub, kMaster };

// False after the error reply was written.
bool take_type(Context& ctx, std::string_view word, std::optional<ClientType>* type) {
  if (equals_ignore_case(word, "normal")) {
    *type = ClientType::kNormal;
  } else if (equals_ignore_case(word, "slave") || equals_ignore_case(word, "replica")) {
    *type = ClientType::kReplica;
  } else if (equals_ignore_case(word, "pubsub")) {
    *type = ClientType::kPubsub;
  } else if (equals_ignore_case(word, "master")) {
    *type = ClientType::kMaster;
  } else {
    ctx.reply.error_format("ERR Unknown client type '%.*s'", MOON_TEXT(word));
    return false;
  }
  return true;
}

struct KillFilter {
  std::optional<uint64_t> id;
  std::optional<std::string_view> address;
  std::optional<std::string_view> local_address;
  std::optional<ClientType> type;
  bool skip_me = true;

  bool matches(const Client& client, const Client& me) const {
    if (id && client.id != *id) return false;
    if (address && client.address != *address) return false;
    if (local_address && client.local_address != *local_address) return false;
    // Every client is a normal one: there are no replicas and no subscribers.
    if (type && *type != ClientType::kNormal) return false;
    return !(skip_me && &client == &me);
  }
};

// One "filter value" pair of the new form. False after the error reply was written.
bool take_filter(Context& ctx, std::string_view word, std::string_view value,
                 KillFilter* filter) {
  if (equals_ignore_case(word, "ID")) {
    int64_t id = 0;
    if (!parse_int64(value, &id) || id < 1) {
      ctx.reply.error(resp::Err::kClientIdNotPositive);
      return false;
    }
    filter->id = static_cast<uint64_t>(id);
  } else if (equals_ignore_case(word, "TYPE")) {
    return take_type(ctx, value, &filter->type);
  } else if (equals_ignore_case(word, "ADDR")) {
    filter->address = value;
  } else if (equals_ignore_case(word, "LADDR")) {
    filter->local_address = value;
  } else if (equals_ignore_case(word, "USER")) {
    // `default` is the user of every client: as a filter it passes all of them.
    if (value != "default") {
      ctx.reply.error_format("ERR No such user '%.*s'", MOON_TEXT(value));
      return false;
    }
  } else if (equals_ignore_case(word, "SKIPME") && equals_ignore_case(value, "yes")) {
    filter->skip_me = true;
  } else if (equals_ignore_case(word, "SKIPME") && equals_ignore_case(value, "no")) {
    filter->skip_me = false;
  } else {
    ctx.reply.error(resp::Err::kSyntax);
    return false;
  }
  return true;
}

// --- handlers ---------------------------------------------------------------------------------

void client_id(Context& ctx) { ctx.reply.integer(static_cast<int64_t>(ctx.client.id)); }

void client_info(Context& ctx) {
  ctx.reply.verbatim("txt", describe(ctx.client, ctx.now_ms()) + '\n');
}

void list_ids(Context& ctx) {
  std::vector<uint64_t> ids;
  for (std::string_view word : ctx.args.subspan(3)) {
    int64_t id = 0;
    if (!parse_int64(word, &id)) return ctx.reply.error(resp::Err::kInvalidClientId);
    ids.push_back(static_cast<uint64_t>(id));
  }
  std::map<uint64_t, std::string> lines;
  ctx.engine.clients->for_each([&](Client& client) {
    if (std::find(ids.begin(), ids.end(), client.id) == ids.end()) return;
    lines[client.id] = describe(client, ctx.now_ms()) + '\n';
  });
  std::string text;
  for (uint64_t id : ids) {
    auto found = lines.find(id);
    if (found != lines.end()) text += found->second;
  }
  ctx.reply.verbatim("txt", text);
}

void client_list(Context& ctx) {
  std::optional<ClientType> type;
  if (ctx.argc() == 4 && equals_ignore_case(ctx.arg(2), "TYPE")) {
    if (!take_type(ctx, ctx.arg(3), &type)) return;
  } else if (ctx.argc() > 3 && equals_ignore_case(ctx.arg(2), "ID")) {
    return list_ids(ctx);
  } else if (ctx.argc() != 2) {
    return ctx.reply.error(resp::Err::kSyntax);
  }
  std::string text;
  if (!type || *type == ClientType::kNormal) {
    ctx.engine.clients->for_each([&](Client& client) {
      text += describe(client, ctx.now_ms());
      text += '\n';
    });
  }
  ctx.reply.verbatim("txt", text);
}

void client_kill(Context& ctx) {
  KillFilter filter;
  const bool old_form = ctx.argc() == 3;
  if (old_form) {
    filter.address = ctx.arg(2);
    filter.skip_me = false;
  } else {
    for (size_t i = 2; i < ctx.argc(); i += 2) {
      if (i + 1 == ctx.argc()) return ctx.reply.error(resp::Err::kSyntax);
      if (!take_filter(ctx, ctx.arg(i), ctx.arg(i + 1), &filter)) return;
    }
  }
  int64_t killed = 0;
  dispatch::ClientRegistry& clients = *ctx.engine.clients;
  clients.for_each([&](Client& client) {
    if (!filter.matches(client, ctx.client)) return;
    ++killed;
    if (&client == &ctx.client) {
      client.set_flag(dispatch::kClientCloseAfterReply);  // after the answer to this command
    } else {
      clients.request_kill(client);
    }
  });
  if (!old_form) return ctx.reply.integer(killed);
  if (killed == 0) return ctx.reply.error(resp::Err::kNoSuchClient);
  ctx.reply.ok();
}

void client_getname(Context& ctx) {
  const std::string name = ctx.client.name();
  if (name.empty()) return ctx.reply.null();
  ctx.reply.bulk(name);
}

void client_setname(Context& ctx) {
  if (!is_plain_name(ctx.arg(2))) return ctx.reply.error(resp::Err::kClientNameCharacters);
  ctx.client.set_name(ctx.arg(2));
  ctx.reply.ok();
}

void client_setinfo(Context& ctx) {
  const std::string_view option = ctx.arg(2);
  const bool is_name = equals_ignore_case(option, "LIB-NAME");
  if (!is_name && !equals_ignore_case(option, "LIB-VER")) {
    return ctx.reply.error_format("ERR Unrecognized option '%.*s'", MOON_TEXT(option));
  }
  if (!is_plain_name(ctx.arg(3))) {
    return ctx.reply.error_format(
        "ERR %s cannot contain spaces, newlines or special characters.",
        is_name ? "lib-name" : "lib-ver");
  }
  if (is_name) {
    ctx.client.set_library_name(ctx.arg(3));
  } else {
    ctx.client.set_library_version(ctx.arg(3));
  }
  ctx.reply.ok();
}

void switch_flag(Context& ctx, dispatch::ClientFlag flag) {
  if (equals_ignore_case(ctx.arg(2), "ON")) {
    ctx.client.set_flag(flag);
  } else if (equals_ignore_case(ctx.arg(2), "OFF")) {
    ctx.client.clear_flag(flag);
  } else {
    return ctx.reply.error(resp::Err::kSyntax);
  }
  ctx.reply.ok();
}

void client_no_evict(Context& ctx) { switch_flag(ctx, dispatch::kClientNoEvict); }
void client_no_touch(Context& ctx) { switch_flag(ctx, dispatch::kClientNoTouch); }

void client_reply(Context& ctx) {
  if (equals_ignore_case(ctx.arg(2), "ON")) {
    ctx.client.clear_gate(dispatch::kGateReplyOff | dispatch::kGateReplySkip |
                          dispatch::kGateReplySkipNext);
    return ctx.reply.ok();
  }
  if (equals_ignore_case(ctx.arg(2), "OFF")) {
    return ctx.client.set_gate(dispatch::kGateReplyOff);
  }
  if (equals_ignore_case(ctx.arg(2), "SKIP")) {
    if ((ctx.client.gate & dispatch::kGateReplyOff) == 0) {
      ctx.client.set_gate(dispatch::kGateReplySkipNext);
    }
    return;
  }
  ctx.reply.error(resp::Err::kSyntax);
}

}  // namespace

void register_client(HandlerRegistry& registry) {
  registry.add("client_getname", client_getname);
  registry.add("client_help", reply_help);
  registry.add("client_id", client_id);
  registry.add("client_info", client_info);
  registry.add("client_kill", client_kill);
  registry.add("client_list", client_list);
  registry.add("client_no_evict", client_no_evict);
  registry.add("client_no_touch", client_no_touch);
  registry.add("client_reply", client_reply);
  registry.add("client_setinfo", client_setinfo);
  registry.add("client_setname", client_setname);
}

}  // namespace moon::commands
