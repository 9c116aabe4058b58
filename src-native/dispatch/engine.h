// What all shard threads of one server share beyond the keyspace: settings, the command table,
// clients, statistics, the way to the control plane. Owned by server/. Any thread, by the rules
// of each member.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/relaxed.h"
#include "base/settings.h"
#include "dispatch/client_registry.h"
#include "dispatch/command_table.h"
#include "dispatch/info_template.h"
#include "shard/shard.h"
#include "store/keyspace.h"

namespace moon::dispatch {

// Bits of Engine::gate: states of the server that a plain one is not in. Dispatch tests the word
// once per command.
enum EngineGate : uint32_t {
  kGateMemoryLimit = 1 << 0,   // maxmemory > 0
  kGateShuttingDown = 1 << 1,
};

// One command's figures on one thread (INFO commandstats, latencystats). Written by that thread.
struct CommandStat {
  CommandStat() = default;
  ~CommandStat() { delete latency.load(std::memory_order_relaxed); }
  Relaxed<uint64_t> calls;
  Relaxed<uint64_t> ticks;
  Relaxed<uint64_t> rejected;   // refused before execution
  Relaxed<uint64_t> failed;     // answered with an error
  // Histogram of ticks: 4 sub-buckets per power of two; allocated at the first call.
  static constexpr size_t kLatencyBuckets = 64 * 4;
  static size_t bucket_of(uint64_t ticks) {
    if (ticks < 4) return ticks;
    const int top = std::bit_width(ticks) - 1;  // >= 2
    return static_cast<size_t>(top) * 4 + ((ticks >> (top - 2)) & 3);
  }
  // The smallest number of ticks beyond the bucket.
  static uint64_t bucket_end(size_t bucket) {
    if (bucket < 4) return bucket + 1;
    const size_t top = bucket / 4;
    return (uint64_t{4} + bucket % 4 + 1) << (top - 2);
  }
  std::atomic<std::array<Relaxed<uint64_t>, kLatencyBuckets>*> latency{nullptr};
};

// Error replies by code on one thread. Errors are rare: a mutex is fine.
struct ErrorStats {
  static constexpr size_t kCodesMax = 128;  // further codes are not told apart: a client chooses
                                            // them in scripts to come
  std::mutex mutex;
  std::map<std::string, uint64_t, std::less<>> counts;
};

class Dispatcher;

struct ShardStats {
  std::unique_ptr<CommandStat[]> commands;   // by CommandRow::id
  ErrorStats errors;
};

// A command of route control on its way to TypeScript. The client waits; the thread does not.
struct ControlRequest {
  uint64_t client_id;
  uint32_t shard;    // the client's home
  std::vector<std::string> args;
};

// The control plane's side, implemented by addon/ (and by a fake in tests).
class ControlPort {
 public:
  virtual ~ControlPort() = default;
  virtual void request(ControlRequest request) = 0;
  // Fire and forget: warning, configChanged, stall, log. `json` is one JSON object.
  virtual void event(std::string_view name, std::string_view json) = 0;
};

// Facts fixed at start.
struct ServerFacts {
  std::string version, redis_version, run_id, executable, config_file, os;
  std::string io_driver, io_driver_reason;
  std::string memory_limit_source, build_id;
  std::vector<std::string> listeners;  // "name=tcp,bind=...,port=..."
  uint64_t memory_limit = 0;     // bytes the machine or cgroup allows, 0 unknown
  int64_t start_ms = 0;
  int64_t process_id = 0;
  int tcp_port = 0;              // bound
};

class Engine {
 public:
  std::atomic<uint32_t> gate{0};
  Settings settings;
  CommandTable commands;
  InfoTemplate info;
  ServerFacts facts;
  std::unique_ptr<store::Keyspace> keyspace;
  std::vector<shard::Shard*> shards;
  std::vector<std::unique_ptr<ShardStats>> stats;   // one per shard
  std::vector<Dispatcher*> dispatchers;             // one per shard
  std::unique_ptr<ClientRegistry> clients;
  ControlPort* control = nullptr;
  std::atomic<int64_t> stats_reset_ms{0};
  std::atomic<bool> active_expire{true};            // DEBUG SET-ACTIVE-EXPIRE
  std::atomic<uint64_t> peak_memory{0};
  uint64_t startup_memory = 0;                      // used_memory() before the first client
  // Per second, over the last whole second.
  struct Rates {
    Relaxed<uint64_t> commands, input_bytes, output_bytes, loop_turns, loop_busy_ns;
  };
  Rates rates;
  TickScale tick_scale = TickScale::measure();
  // Writes the effective configuration back to the conf file (CONFIG REWRITE); error text or "".
  std::function<std::string()> rewrite_config;

  CounterBook counters;                             // sums over all shards
  uint64_t used_memory() const;                     // bytes: keyspace and clients' buffers
  // Once a second: peak memory and the rates of INFO (instantaneous_*).
  void sample(int64_t mono_ms);
  void reset_stats();                               // CONFIG RESETSTAT
  void count_error(uint32_t shard, std::string_view code);

 private:
  struct Sample {
    int64_t mono_ms = 0;
    uint64_t commands = 0, input_bytes = 0, output_bytes = 0, loop_turns = 0, loop_busy_ns = 0;
  };
  Sample last_sample_;   // of the thread that samples
};

}  // namespace moon::dispatch
