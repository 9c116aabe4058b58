// Generic commands on keys of any type.
#include "commands/common.h"
#include "commands/families.h"
#include "dispatch/arg_parser.h"
#include "dispatch/context.h"

namespace moon::commands {
namespace {

using store::Entry;
using store::EventClass;
using store::KeyRef;
using store::WriteScope;

// UNLINK is the same command: the store frees large values in steps, whoever deletes them.
void del(Context& ctx) {
  int64_t deleted = 0;
  for (const KeyRef& key : ctx.keys) {
    WriteScope scope(ctx.access, ctx.db(), key);
    if (!scope.exists()) continue;
    scope.remove();
    scope.event(EventClass::kGeneric, "del");
    ++deleted;
  }
  ctx.reply.integer(deleted);
}

void exists(Context& ctx) {
  int64_t found = 0;
  for (const KeyRef& key : ctx.keys) {
    if (read_untouched(ctx, key) != nullptr) ++found;
  }
  ctx.reply.integer(found);
}

// Counts as a use of the key also for clients that switched that off with CLIENT NO-TOUCH.
void touch(Context& ctx) {
  const bool before = ctx.access.no_touch;
  ctx.access.no_touch = false;
  int64_t found = 0;
  for (const KeyRef& key : ctx.keys) {
    if (ctx.read(key) != nullptr) ++found;
  }
  ctx.access.no_touch = before;
  ctx.reply.integer(found);
}

void type(Context& ctx) {
  const Entry* entry = read_untouched(ctx, ctx.keys[0]);
  ctx.reply.simple(entry == nullptr ? "none" : store::type_name(entry->type()));
}

void rename_key(Context& ctx, bool only_if_absent) {
  const bool same_key = ctx.keys[0].bytes == ctx.keys[1].bytes;
  WriteScope source(ctx.access, ctx.db(), ctx.keys[0]);
  if (!source.exists()) return ctx.reply.error(resp::Err::kNoSuchKey);
  if (same_key) return only_if_absent ? ctx.reply.integer(0) : ctx.reply.ok();
  WriteScope destination(ctx.access, ctx.db(), ctx.keys[1]);
  if (only_if_absent && destination.exists()) return ctx.reply.integer(0);
  destination.take_value(source);
  source.event(EventClass::kGeneric, "rename_from");
  destination.event(EventClass::kGeneric, "rename_to");
  return only_if_absent ? ctx.reply.integer(1) : ctx.reply.ok();
}

void rename(Context& ctx) { rename_key(ctx, false); }
void renamenx(Context& ctx) { rename_key(ctx, true); }

void copy(Context& ctx) {
  uint32_t to_db = ctx.db();
  bool replace = false;
  ArgParser parser(ctx, 3);
  while (parser.has_next()) {
    if (parser.take_word("REPLACE")) {
      replace = true;
    } else if (parser.take_option("DB", 1)) {
      if (!take_database(ctx, parser.take(), &to_db)) return;
    } else {
      return parser.syntax_error();
    }
  }
  if (to_db == ctx.db() && ctx.keys[0].bytes == ctx.keys[1].bytes) {
    return ctx.reply.error(resp::Err::kSameObject);
  }
  const Entry* source = ctx.read(ctx.keys[0]);
  if (source == nullptr) return ctx.reply.integer(0);
  WriteScope destination(ctx.access, to_db, ctx.keys[1]);
  if (destination.exists() && !replace) return ctx.reply.integer(0);
  destination.copy_value(*source);
  destination.event(EventClass::kGeneric, "copy_to");
  ctx.reply.integer(1);
}

void move(Context& ctx) {
  uint32_t to_db = 0;
  if (!take_database(ctx, ctx.arg(2), &to_db)) return;
  if (to_db == ctx.db()) return ctx.reply.error(resp::Err::kSameObject);
  WriteScope source(ctx.access, ctx.db(), ctx.keys[0]);
  if (!source.exists()) return ctx.reply.integer(0);
  WriteScope destination(ctx.access, to_db, ctx.keys[0]);
  if (destination.exists()) return ctx.reply.integer(0);
  destination.take_value(source);
  source.event(EventClass::kGeneric, "move_from");
  destination.event(EventClass::kGeneric, "move_to");
  ctx.reply.integer(1);
}

}  // namespace

void register_keys(HandlerRegistry& registry) {
  registry.add("del", del);
  registry.add("unlink", del);
  registry.add("exists", exists);
  registry.add("touch", touch);
  registry.add("type", type);
  registry.add("rename", rename);
  registry.add("renamenx", renamenx);
  registry.add("copy", copy);
  registry.add("move", move);
}

}  // namespace moon::commands
