#include "server/gauges.h"

#include <sys/resource.h>

#include <cstdio>
#include <ctime>

#include "base/clock.h"
#include "dispatch/engine.h"
#include "store/eviction.h"

namespace moon::server {

namespace {

using dispatch::Engine;

Engine& engine_of(void* server) { return *static_cast<Engine*>(server); }

void append(std::string& out, uint64_t value) { out += std::to_string(value); }

int64_t uptime_seconds(Engine& engine) {
  const int64_t elapsed_ms = wall_ms() - engine.facts.start_ms;
  return elapsed_ms > 0 ? elapsed_ms / 1000 : 0;  // the wall clock may have been set back
}

// Seconds with six digits, as getrusage tells them.
void append_cpu(std::string& out, int who, bool system) {
  rusage usage;
  if (getrusage(who, &usage) != 0) {
    out += "0.000000";
    return;
  }
  const timeval& time = system ? usage.ru_stime : usage.ru_utime;
  char text[40];
  std::snprintf(text, sizeof text, "%lld.%06ld", static_cast<long long>(time.tv_sec),
                static_cast<long>(time.tv_usec));
  out += text;
}

void append_kbps(std::string& out, uint64_t bytes_per_second) {
  char text[40];
  std::snprintf(text, sizeof text, "%.2f", static_cast<double>(bytes_per_second) / 1024);
  out += text;
}

// The largest of a per-client figure, now.
template <typename Figure>
uint64_t largest_of_clients(Engine& engine, Figure figure) {
  uint64_t largest = 0;
  engine.clients->for_each([&](dispatch::Client& client) {
    largest = std::max<uint64_t>(largest, figure(client));
  });
  return largest;
}

void add_facts(GaugeRegistry& registry) {
  registry.add("redis_version", [](void* s, std::string& out) {
    out += engine_of(s).facts.redis_version;
  });
  registry.add("moon_version", [](void* s, std::string& out) {
    out += engine_of(s).facts.version;
  });
  registry.add("redis_build_id", [](void* s, std::string& out) {
    // Stands for the tables the binary was built from.
    out += engine_of(s).facts.build_id;
  });
  registry.add("os", [](void* s, std::string& out) { out += engine_of(s).facts.os; });
  registry.add("io_driver", [](void* s, std::string& out) {
    out += engine_of(s).facts.io_driver;
  });
  registry.add("io_driver_reason", [](void* s, std::string& out) {
    out += engine_of(s).facts.io_driver_reason;
  });
  registry.add("gcc_version", [](void*, std::string& out) { out += __VERSION__; });
  registry.add("process_id", [](void* s, std::string& out) {
    append(out, static_cast<uint64_t>(engine_of(s).facts.process_id));
  });
  registry.add("run_id", [](void* s, std::string& out) { out += engine_of(s).facts.run_id; });
  registry.add("master_replid", [](void* s, std::string& out) {
    out += engine_of(s).facts.run_id;
  });
  registry.add("tcp_port", [](void* s, std::string& out) {
    append(out, static_cast<uint64_t>(engine_of(s).facts.tcp_port));
  });
  registry.add("executable", [](void* s, std::string& out) {
    out += engine_of(s).facts.executable;
  });
  registry.add("config_file", [](void* s, std::string& out) {
    out += engine_of(s).facts.config_file;
  });
  registry.add("listeners", [](void* s, std::string& out) {
    size_t number = 0;
    for (const std::string& listener : engine_of(s).facts.listeners) {
      out += "listener" + std::to_string(number++) + ":" + listener + "\r\n";
    }
  });
  registry.add("shards", [](void* s, std::string& out) {
    append(out, engine_of(s).shards.size());
  });
  registry.add("slices", [](void* s, std::string& out) {
    append(out, engine_of(s).keyspace->slice_count());
  });
  registry.add("cross_shard_fast_path", [](void* s, std::string& out) {
    Engine& engine = engine_of(s);
    const bool in_place = engine.shards[0]->path() == shard::CrossShardPath::kInPlace;
    out += engine.shards.size() > 1 && in_place ? "on" : "off";
  });
}

void add_time(GaugeRegistry& registry) {
  registry.add("server_time_usec", [](void*, std::string& out) {
    append(out, static_cast<uint64_t>(wall_us()));
  });
  registry.add("uptime_in_seconds", [](void* s, std::string& out) {
    append(out, static_cast<uint64_t>(uptime_seconds(engine_of(s))));
  });
  registry.add("uptime_in_days", [](void* s, std::string& out) {
    append(out, static_cast<uint64_t>(uptime_seconds(engine_of(s)) / 86400));
  });
  registry.add("lru_clock", [](void*, std::string& out) {
    append(out, store::lru_clock(wall_ms()));
  });
  registry.add("rdb_changes_since_last_save", [](void* s, std::string& out) {
    append(out, engine_of(s).keyspace->changes());
  });
  registry.add("rdb_last_save_time", [](void* s, std::string& out) {
    append(out, static_cast<uint64_t>(engine_of(s).facts.start_ms / 1000));
  });
}

void add_processor(GaugeRegistry& registry) {
  registry.add("used_cpu_sys",
               [](void*, std::string& out) { append_cpu(out, RUSAGE_SELF, true); });
  registry.add("used_cpu_user",
               [](void*, std::string& out) { append_cpu(out, RUSAGE_SELF, false); });
  registry.add("used_cpu_sys_children",
               [](void*, std::string& out) { append_cpu(out, RUSAGE_CHILDREN, true); });
  registry.add("used_cpu_user_children",
               [](void*, std::string& out) { append_cpu(out, RUSAGE_CHILDREN, false); });
  // The shard thread that answers: there is no main thread that serves commands.
  registry.add("used_cpu_sys_main_thread",
               [](void*, std::string& out) { append_cpu(out, RUSAGE_THREAD, true); });
  registry.add("used_cpu_user_main_thread",
               [](void*, std::string& out) { append_cpu(out, RUSAGE_THREAD, false); });
}

void add_rates(GaugeRegistry& registry) {
  registry.add("instantaneous_ops_per_sec", [](void* s, std::string& out) {
    append(out, engine_of(s).rates.commands);
  });
  registry.add("instantaneous_input_kbps", [](void* s, std::string& out) {
    append_kbps(out, engine_of(s).rates.input_bytes);
  });
  registry.add("instantaneous_output_kbps", [](void* s, std::string& out) {
    append_kbps(out, engine_of(s).rates.output_bytes);
  });
  registry.add("instantaneous_eventloop_cycles_per_sec", [](void* s, std::string& out) {
    append(out, engine_of(s).rates.loop_turns);
  });
  registry.add("instantaneous_eventloop_duration_usec", [](void* s, std::string& out) {
    Engine& engine = engine_of(s);
    const uint64_t turns = engine.rates.loop_turns;
    append(out, turns == 0 ? 0 : engine.rates.loop_busy_ns / turns / 1000);
  });
  registry.add("eventloop_duration_cmd_sum", [](void* s, std::string& out) {
    Engine& engine = engine_of(s);
    uint64_t ticks = 0;
    for (const auto& shard : engine.stats) {
      for (size_t i = 0; i < kCommandCount; ++i) ticks += shard->commands[i].ticks;
    }
    append(out, engine.tick_scale.to_us(ticks));
  });
  registry.add("client_recent_max_input_buffer", [](void* s, std::string& out) {
    append(out, largest_of_clients(engine_of(s), [](dispatch::Client& client) {
             return client.query_buffer_bytes.get();
           }));
  });
  registry.add("client_recent_max_output_buffer", [](void* s, std::string& out) {
    append(out, largest_of_clients(engine_of(s), [](dispatch::Client& client) {
             return client.output_bytes.get();
           }));
  });
}

}  // namespace

void register_server_gauges(GaugeRegistry& registry) {
  add_facts(registry);
  add_time(registry);
  add_processor(registry);
  add_rates(registry);
}

void register_gauges(GaugeRegistry& registry) {
  register_server_gauges(registry);
  register_memory_gauges(registry);
  register_stats_blocks(registry);
}

}  // namespace moon::server
