// INFO's blocks of lines: one line a command, an error code, a database, a shard.
#include <array>
#include <cstdio>
#include <map>
#include <string>

#include "dispatch/engine.h"
#include "server/gauges.h"

namespace moon::server {

namespace {

using dispatch::CommandStat;
using dispatch::Engine;

Engine& engine_of(void* server) { return *static_cast<Engine*>(server); }

struct CommandTotals {
  uint64_t calls = 0, ticks = 0, rejected = 0, failed = 0;
};

CommandTotals totals_of(Engine& engine, size_t command) {
  CommandTotals totals;
  for (const auto& shard : engine.stats) {
    const CommandStat& stat = shard->commands[command];
    totals.calls += stat.calls;
    totals.ticks += stat.ticks;
    totals.rejected += stat.rejected;
    totals.failed += stat.failed;
  }
  return totals;
}

void write_commandstats(void* server, std::string& out) {
  Engine& engine = engine_of(server);
  for (const CommandRow& row : engine.commands.rows()) {
    const CommandTotals totals = totals_of(engine, static_cast<size_t>(row.id));
    if (totals.calls == 0 && totals.rejected == 0) continue;
    const uint64_t usec = engine.tick_scale.to_us(totals.ticks);
    const double per_call =
        totals.calls == 0 ? 0.0
                          : static_cast<double>(engine.tick_scale.to_ns(totals.ticks)) / 1000 /
                                static_cast<double>(totals.calls);
    char line[256];
    std::snprintf(line, sizeof line,
                  "cmdstat_%.*s:calls=%llu,usec=%llu,usec_per_call=%.2f,rejected_calls=%llu,"
                  "failed_calls=%llu\r\n",
                  static_cast<int>(row.name.size()), row.name.data(),
                  static_cast<unsigned long long>(totals.calls),
                  static_cast<unsigned long long>(usec), per_call,
                  static_cast<unsigned long long>(totals.rejected),
                  static_cast<unsigned long long>(totals.failed));
    out += line;
  }
}

void write_errorstats(void* server, std::string& out) {
  std::map<std::string, uint64_t> totals;
  for (const auto& shard : engine_of(server).stats) {
    std::lock_guard guard(shard->errors.mutex);
    for (const auto& [code, count] : shard->errors.counts) totals[code] += count;
  }
  for (const auto& [code, count] : totals) {
    out += "errorstat_" + code + ":count=" + std::to_string(count) + "\r\n";
  }
}

using Histogram = std::array<uint64_t, CommandStat::kLatencyBuckets>;

uint64_t collect_latency(Engine& engine, size_t command, Histogram* histogram) {
  histogram->fill(0);
  uint64_t count = 0;
  for (const auto& shard : engine.stats) {
    const auto* buckets = shard->commands[command].latency.load(std::memory_order_acquire);
    if (buckets == nullptr) continue;
    for (size_t i = 0; i < buckets->size(); ++i) {
      (*histogram)[i] += (*buckets)[i];
      count += (*buckets)[i];
    }
  }
  return count;
}

// Microseconds below which `percentile` percent of the calls stayed: the upper end of the bucket.
double latency_at(Engine& engine, const Histogram& histogram, uint64_t count, double percentile) {
  const double wanted = static_cast<double>(count) * percentile / 100;
  uint64_t seen = 0;
  for (size_t i = 0; i < histogram.size(); ++i) {
    seen += histogram[i];
    if (histogram[i] == 0 || static_cast<double>(seen) < wanted) continue;
    const uint64_t end = CommandStat::bucket_end(i);
    return static_cast<double>(engine.tick_scale.to_ns(end)) / 1000;
  }
  return 0;
}

void write_latencystats(void* server, std::string& out) {
  Engine& engine = engine_of(server);
  if (!engine.settings.on(Setting::kLatencyTracking)) return;
  const std::vector<double> percentiles = engine.settings.percentiles();
  for (const CommandRow& row : engine.commands.rows()) {
    Histogram histogram;
    const uint64_t count = collect_latency(engine, static_cast<size_t>(row.id), &histogram);
    if (count == 0) continue;
    out += "latency_percentiles_usec_" + std::string(row.name) + ":";
    for (size_t i = 0; i < percentiles.size(); ++i) {
      char text[64];
      std::snprintf(text, sizeof text, "%sp%.17g=%.3f", i == 0 ? "" : ",", percentiles[i],
                    latency_at(engine, histogram, count, percentiles[i]));
      out += text;
    }
    out += "\r\n";
  }
}

void write_keyspace(void* server, std::string& out) {
  store::Keyspace& keyspace = *engine_of(server).keyspace;
  for (uint32_t db = 0; db < keyspace.database_count(); ++db) {
    const uint64_t keys = keyspace.key_count(db);
    if (keys == 0) continue;
    out += "db" + std::to_string(db) + ":keys=" + std::to_string(keys) +
           ",expires=" + std::to_string(keyspace.deadline_count(db)) + ",avg_ttl=0\r\n";
  }
}

void write_shards(void* server, std::string& out) {
  Engine& engine = engine_of(server);
  store::Keyspace& keyspace = *engine.keyspace;
  for (const shard::Shard* shard : engine.shards) {
    uint64_t bytes = 0;
    uint64_t keys = 0;
    for (uint32_t i = shard->index; i < keyspace.slice_count(); i += shard->shard_count()) {
      bytes += keyspace.slice(i).ledger().total();
      for (uint32_t db = 0; db < keyspace.database_count(); ++db) {
        keys += keyspace.slice(i).key_count(db);
      }
    }
    out += "shard" + std::to_string(shard->index) + ":keys=" + std::to_string(keys) +
           ",bytes=" + std::to_string(bytes) + ",clients=" +
           std::to_string(static_cast<int64_t>(shard->counters.get(Counter::kConnectedClients))) +
           ",commands=" + std::to_string(shard->counters.get(Counter::kTotalCommandsProcessed)) +
           ",turns=" + std::to_string(shard->counters.get(Counter::kLoopTurns)) + "\r\n";
  }
}

}  // namespace

void register_stats_blocks(GaugeRegistry& registry) {
  registry.add("commandstats", write_commandstats);
  registry.add("errorstats", write_errorstats);
  registry.add("latencystats", write_latencystats);
  registry.add("keyspace", write_keyspace);
  registry.add("shard_lines", write_shards);
}

}  // namespace moon::server
