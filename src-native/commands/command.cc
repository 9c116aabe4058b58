// COMMAND: the command table as clients see it. The encoded replies come from the control plane.
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/glob.h"
#include "base/lower.h"
#include "commands/common.h"
#include "commands/families.h"
#include "dispatch/context.h"
#include "dispatch/key_specs.h"

namespace moon::commands {
namespace {

std::string_view info_of(const Context& ctx, const CommandRow& row) {
  return ctx.reply.version() == 3 ? row.info_resp3 : row.info_resp2;
}

std::string_view docs_of(const Context& ctx, const CommandRow& row) {
  return ctx.reply.version() == 3 ? row.docs_resp3 : row.docs_resp2;
}

void all_infos(Context& ctx) {
  const auto commands = ctx.engine.commands.commands();
  ctx.reply.array(commands.size());
  for (const CommandRow& row : commands) ctx.reply.raw(info_of(ctx, row));
}

void command(Context& ctx) { all_infos(ctx); }

void command_info(Context& ctx) {
  if (ctx.argc() == 2) return all_infos(ctx);
  ctx.reply.array(ctx.argc() - 2);
  for (std::string_view name : ctx.args.subspan(2)) {
    const CommandRow* row = ctx.engine.commands.lookup_full(name);
    if (row == nullptr) {
      ctx.reply.null();
    } else {
      ctx.reply.raw(info_of(ctx, *row));
    }
  }
}

void command_docs(Context& ctx) {
  if (ctx.argc() == 2) {
    const auto commands = ctx.engine.commands.commands();
    ctx.reply.map(commands.size());
    for (const CommandRow& row : commands) ctx.reply.raw(docs_of(ctx, row));
    return;
  }
  std::vector<const CommandRow*> found;
  for (std::string_view name : ctx.args.subspan(2)) {
    const CommandRow* row = ctx.engine.commands.lookup_full(name);
    if (row != nullptr) found.push_back(row);
  }
  ctx.reply.map(found.size());
  for (const CommandRow* row : found) ctx.reply.raw(docs_of(ctx, *row));
}

void command_count(Context& ctx) {
  ctx.reply.integer(static_cast<int64_t>(ctx.engine.commands.commands().size()));
}

// --- COMMAND LIST -----------------------------------------------------------------------------

struct ListFilter {
  enum class Kind : uint8_t { kNone, kModule, kAclCategory, kPattern };
  Kind kind = Kind::kNone;
  std::string_view pattern;
  uint32_t category = 0;

  bool passes(const CommandRow& row) const {
    switch (kind) {
      case Kind::kNone:
        return true;
      case Kind::kModule:
        return false;  // there are no modules
      case Kind::kAclCategory:
        return (row.acl_categories & category) != 0;
      case Kind::kPattern:
        return glob_match(pattern, row.name, true);
    }
    return false;
  }
};

bool take_filter(Context& ctx, ListFilter* filter) {
  if (ctx.argc() == 2) return true;
  if (ctx.argc() != 5 || !equals_ignore_case(ctx.arg(2), "FILTERBY")) return false;
  if (equals_ignore_case(ctx.arg(3), "MODULE")) {
    filter->kind = ListFilter::Kind::kModule;
  } else if (equals_ignore_case(ctx.arg(3), "ACLCAT")) {
    filter->kind = ListFilter::Kind::kAclCategory;
    filter->category = CommandTable::acl_category(ctx.arg(4));
  } else if (equals_ignore_case(ctx.arg(3), "PATTERN")) {
    filter->kind = ListFilter::Kind::kPattern;
    filter->pattern = ctx.arg(4);
  } else {
    return false;
  }
  return true;
}

void command_list(Context& ctx) {
  ListFilter filter;
  if (!take_filter(ctx, &filter)) return ctx.reply.error(resp::Err::kSyntax);
  std::vector<std::string_view> names;
  for (const CommandRow& row : ctx.engine.commands.rows()) {
    if (filter.passes(row)) names.push_back(row.name);
  }
  ctx.reply.array(names.size());
  for (std::string_view name : names) ctx.reply.bulk(name);
}

// --- COMMAND GETKEYS --------------------------------------------------------------------------

struct FlagName {
  uint32_t bit;
  std::string_view name;
};

// In the order in which Redis lists them.
constexpr FlagName kFlagNames[] = {
    {KeyFlag::kReadOnly, "RO"},   {KeyFlag::kReadWrite, "RW"}, {KeyFlag::kOverwrite, "OW"},
    {KeyFlag::kRemove, "RM"},     {KeyFlag::kAccess, "access"}, {KeyFlag::kUpdate, "update"},
    {KeyFlag::kInsert, "insert"}, {KeyFlag::kDelete, "delete"},
};

// What SET and BITFIELD do to their key depends on their options; the spec names the most.
uint32_t actual_flags(const CommandRow& row, std::span<const std::string_view> args,
                      uint32_t flags) {
  constexpr uint32_t kReadAndWrite = KeyFlag::kReadWrite | KeyFlag::kAccess | KeyFlag::kUpdate;
  if (row.id == CommandId::kSet) {
    for (std::string_view word : args.subspan(3)) {
      if (equals_ignore_case(word, "GET")) return kReadAndWrite;
    }
    return KeyFlag::kOverwrite | KeyFlag::kUpdate;
  }
  if (row.id == CommandId::kBitfield) {
    for (std::string_view word : args.subspan(2)) {
      if (equals_ignore_case(word, "SET") || equals_ignore_case(word, "INCRBY")) {
        return kReadAndWrite;
      }
    }
    return KeyFlag::kReadOnly | KeyFlag::kAccess;
  }
  return flags;
}

void reply_flags(Context& ctx, uint32_t flags) {
  size_t count = 0;
  for (const FlagName& flag : kFlagNames) count += (flags & flag.bit) != 0;
  ctx.reply.set(count);
  for (const FlagName& flag : kFlagNames) {
    if ((flags & flag.bit) != 0) ctx.reply.simple(flag.name);
  }
}

// The command in the arguments from 2 on, with its keys. nullptr after the error reply.
const CommandRow* find_keys(Context& ctx, std::vector<KeyRef>* keys) {
  const auto args = ctx.args.subspan(2);
  const CommandRow* row = ctx.engine.commands.lookup(args[0]);
  if (row != nullptr && row->is_container() && args.size() > 1) {
    row = ctx.engine.commands.lookup_subcommand(*row, args[1]);
  }
  if (row == nullptr) {
    ctx.reply.error("ERR Invalid command specified");
    return nullptr;
  }
  if (row->key_specs.empty()) {
    ctx.reply.error("ERR The command has no key arguments");
    return nullptr;
  }
  if (!row->arity_ok(args.size())) {
    ctx.reply.error("ERR Invalid number of arguments specified for command");
    return nullptr;
  }
  const bool found = extract_keys(*row, args, keys) == KeyExtract::kOk && !keys->empty();
  if (!found && !row->has(CommandFlag::kNoMandatoryKeys)) {
    ctx.reply.error("ERR Invalid arguments specified for command");
    return nullptr;
  }
  if (!found) keys->clear();
  return row;
}

void command_getkeys(Context& ctx) {
  std::vector<KeyRef> keys;
  if (find_keys(ctx, &keys) == nullptr) return;
  ctx.reply.array(keys.size());
  for (const KeyRef& key : keys) ctx.reply.bulk(ctx.arg(2 + key.index));
}

void command_getkeysandflags(Context& ctx) {
  std::vector<KeyRef> keys;
  const CommandRow* row = find_keys(ctx, &keys);
  if (row == nullptr) return;
  ctx.reply.array(keys.size());
  for (const KeyRef& key : keys) {
    ctx.reply.array(2);
    ctx.reply.bulk(ctx.arg(2 + key.index));
    reply_flags(ctx, actual_flags(*row, ctx.args.subspan(2), key.flags));
  }
}

}  // namespace

void register_command(HandlerRegistry& registry) {
  registry.add("command", command);
  registry.add("command_count", command_count);
  registry.add("command_docs", command_docs);
  registry.add("command_getkeys", command_getkeys);
  registry.add("command_getkeysandflags", command_getkeysandflags);
  registry.add("command_help", reply_help);
  registry.add("command_info", command_info);
  registry.add("command_list", command_list);
}

}  // namespace moon::commands
