#include "server/server.h"

#include <sys/random.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "base/clock.h"
#include "base/json.h"
#include "base/tables_hash.h"
#include "commands/families.h"
#include "dispatch/tables.h"
#include "dispatch/tables.h"
#include "io/cpu.h"
#include "net/local_session.h"
#include "server/gauges.h"

namespace moon::server {

namespace {

uint64_t random_seed() {
  uint64_t seed = 0;
  if (getrandom(&seed, sizeof seed, 0) != sizeof seed) seed = mono_ns() ^ getpid();
  return seed;
}

void add_field(std::string* json, const char* name, std::string_view value) {
  if (json->back() != '{') *json += ',';
  append_json_string(json, name);
  *json += ':';
  append_json_string(json, value);
}

void add_number(std::string* json, const char* name, uint64_t value) {
  if (json->back() != '{') *json += ',';
  append_json_string(json, name);
  *json += ':' + std::to_string(value);
}

// "0-3,6" as in server-cpulist: the processors that shard threads are pinned to, in turn. A step
// ("0-7:2") is understood as by Redis.
std::vector<int> parse_cpu_list(const std::string& text) {
  std::vector<int> cpus;
  const char* at = text.c_str();
  while (*at != 0) {
    char* end = nullptr;
    const long first = std::strtol(at, &end, 10);
    if (end == at) break;
    long last = first;
    long step = 1;
    if (*end == '-') last = std::strtol(end + 1, &end, 10);
    if (*end == ':') step = std::max(1L, std::strtol(end + 1, &end, 10));
    for (long cpu = first; cpu <= last && cpus.size() < shard::kMaxShards; cpu += step) {
      cpus.push_back(static_cast<int>(cpu));
    }
    at = *end == ',' ? end + 1 : end;
    if (at == end && *end != 0) break;
  }
  return cpus;
}

std::string operating_system() {
  utsname name;
  if (uname(&name) != 0) return "Linux";
  return std::string(name.sysname) + " " + name.release + " " + name.machine;
}

}  // namespace

Server::Server(StartOptions options, dispatch::ControlPort& control)
    : options_(std::move(options)) {
  engine_.control = &control;
}

Server::~Server() { stop(false, 0); }

std::unique_ptr<Server> Server::start(StartOptions options, dispatch::ControlPort& control,
                                      StartError* error) {
  std::unique_ptr<Server> server(new Server(std::move(options), control));
  if (!server->decode_tables(error)) return nullptr;
  server->resolve();
  if (!server->bind_listeners(error) || !server->start_threads(error)) return nullptr;
  return server;
}

bool Server::decode_tables(StartError* error) {
  HandlerRegistry handlers;
  commands::register_all(handlers);
  GaugeRegistry gauges;
  register_gauges(gauges);
  error->code = "tables";
  return decode_table_blob(options_.tables, handlers, gauges, &engine_.settings,
                           &engine_.commands, &engine_.info, &error->message);
}

// What the settings leave open: shard count by CPU quota, slices by shards, the machine's memory.
void Server::resolve() {
  const Settings& settings = engine_.settings;
  const auto wanted = static_cast<uint32_t>(settings.get(Setting::kShards));
  shard_count_ = wanted != 0 ? wanted : static_cast<uint32_t>(io::cpu_budget().shards);
  shard_count_ = std::clamp<uint32_t>(shard_count_, 1, shard::kMaxShards);
  // One thread needs no more than one slice; several collide less on more slices than threads.
  const auto per_shard = static_cast<uint32_t>(settings.get(Setting::kSlicesPerShard));
  const uint32_t slices = shard_count_ == 1
                              ? 1
                              : std::min(shard_count_ * per_shard, shard::kMaxSlices);
  const io::MemoryBudget memory = io::memory_budget();
  engine_.facts.memory_limit = memory.bytes;
  engine_.facts.memory_limit_source = memory.limit;
  engine_.facts.build_id = kTablesHash;
  engine_.facts.version = options_.moon_version;
  engine_.facts.redis_version = options_.redis_version;
  engine_.facts.run_id = options_.run_id;
  engine_.facts.executable = options_.executable;
  engine_.facts.config_file = options_.config_file;
  engine_.facts.os = operating_system();
  engine_.facts.start_ms = wall_ms();
  engine_.facts.process_id = getpid();
  engine_.keyspace = std::make_unique<store::Keyspace>(
      slices, static_cast<uint32_t>(settings.get(Setting::kDatabases)), random_seed(), settings);
  engine_.clients = std::make_unique<dispatch::ClientRegistry>(shard_count_);
  engine_.clients->set_kill_handler(&net::Network::on_kill);
  engine_.dispatchers.resize(shard_count_);
  for (uint32_t i = 0; i < shard_count_; ++i) {
    engine_.stats.push_back(std::make_unique<dispatch::ShardStats>());
    engine_.stats.back()->commands = std::make_unique<dispatch::CommandStat[]>(kCommandCount);
  }
  watch_settings();
  apply_memory_limit();
}

// Settings whose change must reach something beyond the table.
void Server::watch_settings() {
  engine_.settings.on_change(Setting::kMaxmemory, [this](const Settings&, Setting, std::string*) {
    apply_memory_limit();
    return true;
  });
  engine_.settings.set_observer([this](const Settings& settings, std::span<const Setting> list) {
    for (Setting setting : list) {
      std::string json = "{";
      add_field(&json, "name", settings.row(setting).name);
      add_field(&json, "value", settings.text(setting));
      json += '}';
      engine_.control->event("configChanged", json);
    }
  });
}

void Server::apply_memory_limit() {
  if (engine_.settings.get(Setting::kMaxmemory) > 0) {
    engine_.gate.fetch_or(dispatch::kGateMemoryLimit, std::memory_order_relaxed);
  } else {
    engine_.gate.fetch_and(~dispatch::kGateMemoryLimit, std::memory_order_relaxed);
  }
}

bool Server::start_threads(StartError* error) {
  const Settings& settings = engine_.settings;
  const auto cpus = static_cast<uint32_t>(io::cpu_budget().shards);
  shard::ShardOptions options;
  options.shard_count = shard_count_;
  options.seed = random_seed();
  // Decided from the resolved count: with one shard there is nothing to cross.
  options.path = settings.get(Setting::kCrossShardFastPath) ==
                         settings_words::kCrossShardFastPathOff
                     ? shard::CrossShardPath::kMesh
                     : shard::CrossShardPath::kInPlace;
  // A holder that shares our processor cannot finish while we spin.
  if (shard_count_ > cpus) options.spins = kSpinsOversubscribed;
  io::ReactorOptions reactor_options;
  if (shard_count_ <= cpus) {
    reactor_options.busy_poll_us = static_cast<uint32_t>(settings.get(Setting::kIoBusyPollUs));
  }
  for (uint32_t i = 0; i < shard_count_; ++i) {
    threads_.push_back(std::make_unique<ShardThread>(engine_, i, options));
    engine_.shards.push_back(&threads_.back()->shard());
    engine_.counters.attach(&threads_.back()->shard().counters);
  }
  for (shard::Shard* shard : engine_.shards) shard->peers = &engine_.shards;
  auto driver = static_cast<io::Driver>(settings.get(Setting::kIoDriver));
  const std::vector<int> affinity = parse_cpu_list(settings.text(Setting::kServerCpulist));
  for (uint32_t i = 0; i < shard_count_; ++i) {
    std::string why;
    const int cpu = affinity.empty() ? -1 : affinity[i % affinity.size()];
    std::vector<ListenSocket> listeners = std::move(sockets_[i]);
    sockets_[i].clear();
    if (!threads_[i]->start(driver, reactor_options, std::move(listeners), cpu, &why)) {
      *error = {"io", why, ""};
      return false;
    }
    if (i == 0) note_driver(*threads_[0], why);
    // All threads use what the first one got.
    driver = threads_[0]->driver();
  }
  engine_.startup_memory = engine_.used_memory();
  return true;
}

void Server::note_driver(const ShardThread& thread, const std::string& why) {
  engine_.facts.io_driver = io::driver_name(thread.driver());
  const int64_t wanted = engine_.settings.get(Setting::kIoDriver);
  if (wanted != settings_words::kIoDriverAuto) {
    engine_.facts.io_driver_reason = "io-driver " + engine_.facts.io_driver;
  } else if (why.empty()) {
    engine_.facts.io_driver_reason = "probe succeeded";
  } else {
    engine_.facts.io_driver_reason = why;
    warnings_.push_back({"IO_URING_REFUSED", why, ""});
  }
}

std::string Server::info() const {
  std::string json = "{";
  add_number(&json, "port", static_cast<uint64_t>(engine_.facts.tcp_port));
  json += ",\"addresses\":[";
  for (size_t i = 0; i < addresses_.size(); ++i) {
    if (i != 0) json += ',';
    append_json_string(&json, addresses_[i]);
  }
  json += "]";
  add_field(&json, "unixSocket", unix_socket_);
  add_field(&json, "ioDriver", engine_.facts.io_driver);
  add_field(&json, "ioDriverReason", engine_.facts.io_driver_reason);
  add_number(&json, "shards", shard_count_);
  add_number(&json, "slices", engine_.keyspace->slice_count());
  add_number(&json, "memoryLimit", engine_.facts.memory_limit);
  add_field(&json, "memoryLimitSource", engine_.facts.memory_limit_source);
  json += ",\"warnings\":[";
  for (size_t i = 0; i < warnings_.size(); ++i) {
    if (i != 0) json += ',';
    json += '{';
    add_field(&json, "code", warnings_[i].code);
    add_field(&json, "message", warnings_[i].message);
    if (!warnings_[i].cure.empty()) add_field(&json, "cure", warnings_[i].cure);
    json += '}';
  }
  return json + "]}";
}

// --- calls from the host program ----------------------------------------------------------------

void Server::call(std::vector<char> request,
                  std::function<void(const char* error, std::string replies)> done) {
  auto* call = new net::LocalCall{std::move(request), std::move(done)};
  const uint32_t target = next_call_shard_.fetch_add(1, std::memory_order_relaxed) % shard_count_;
  engine_.shards[target]->post_external(
      {[](shard::Shard& home, void* pointer) {
         std::unique_ptr<net::LocalCall> owned(static_cast<net::LocalCall*>(pointer));
         static_cast<net::Network*>(home.thread_owner)->call_local(std::move(owned));
       },
       call});
}

void Server::answer_control(uint64_t client_id, uint32_t shard, std::string reply) {
  struct Answer {
    uint64_t client_id;
    std::string reply;
  };
  engine_.shards[shard]->post_external(
      {[](shard::Shard& home, void* pointer) {
         std::unique_ptr<Answer> answer(static_cast<Answer*>(pointer));
         static_cast<net::Network*>(home.thread_owner)
             ->answer_control(answer->client_id, answer->reply);
       },
       new Answer{client_id, std::move(reply)}});
}

// --- stop ---------------------------------------------------------------------------------------

void Server::hurry() {
  for (auto& thread : threads_) thread->stop_now();
}

void Server::stop(bool graceful, uint64_t timeout_ms) {
  if (stopped_) return;
  stopped_ = true;
  engine_.gate.fetch_or(dispatch::kGateShuttingDown, std::memory_order_relaxed);
  for (auto& thread : threads_) {
    if (graceful) {
      thread->stop_gracefully(mono_ms() + timeout_ms);
    } else {
      thread->stop_now();
    }
  }
  // Threads that have closed their clients go on serving the mesh until the last one has.
  for (auto& thread : threads_) thread->wait_closed();
  for (auto& thread : threads_) thread->allow_end();
  for (auto& thread : threads_) thread->join();
  for (auto& sockets : sockets_) {
    for (const ListenSocket& socket : sockets) ::close(socket.fd);
  }
  if (!unix_socket_.empty()) ::unlink(unix_socket_.c_str());
}

}  // namespace moon::server
