// CONFIG: settings read and changed while the server runs.
#include <string>
#include <utility>
#include <vector>

#include "commands/common.h"
#include "commands/conf_rewriter.h"
#include "commands/families.h"
#include "dispatch/context.h"

namespace moon::commands {
namespace {

void config_get(Context& ctx) {
  const auto found = ctx.engine.settings.get_matching(ctx.args.subspan(2));
  ctx.reply.map(found.size());
  for (const auto& [name, value] : found) {
    ctx.reply.bulk(name);
    ctx.reply.bulk(value);
  }
}

SettingOrigin origin_of(const dispatch::Client& client) {
  if (client.has_flag(dispatch::kClientInProcess)) return SettingOrigin::kHost;
  return is_local(client) ? SettingOrigin::kLocalClient : SettingOrigin::kRemoteClient;
}

void config_set(Context& ctx) {
  if (ctx.argc() % 2 != 0) return ctx.reply.error(resp::Err::kSyntax);
  std::vector<Settings::Assignment> assignments;
  for (size_t i = 2; i < ctx.argc(); i += 2) assignments.emplace_back(ctx.arg(i), ctx.arg(i + 1));
  std::string error;
  if (!ctx.engine.settings.set_many(assignments, origin_of(ctx.client), &error)) {
    return ctx.reply.error("ERR " + error);
  }
  ctx.reply.ok();
}

void config_resetstat(Context& ctx) {
  ctx.engine.reset_stats();
  ctx.engine.peak_memory.store(ctx.engine.used_memory(), std::memory_order_relaxed);
  ctx.engine.stats_reset_ms.store(ctx.now_ms(), std::memory_order_relaxed);
  ctx.reply.ok();
}

// Writes and syncs a file of a few kilobytes on this thread, as Redis does.
void config_rewrite(Context& ctx) {
  const std::string& path = ctx.engine.facts.config_file;
  if (path.empty()) return ctx.reply.error(resp::Err::kNoConfigFile);
  const std::string error = rewrite_conf_file(path, ctx.engine.settings);
  if (!error.empty()) return ctx.reply.error("ERR Rewriting config file: " + error);
  ctx.reply.ok();
}

}  // namespace

void register_config(HandlerRegistry& registry) {
  registry.add("config_get", config_get);
  registry.add("config_help", reply_help);
  registry.add("config_resetstat", config_resetstat);
  registry.add("config_rewrite", config_rewrite);
  registry.add("config_set", config_set);
}

}  // namespace moon::commands
