// A server: who starts whom, in which order. Decodes the tables, builds the keyspace, binds the
// listeners, starts the shard threads, and takes all that down again. Several may live in one
// process; nothing is global.
//
// start(), stop() and the destructor are for the starting thread (or one at a time); call() and
// answer_control() for any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dispatch/engine.h"
#include "server/shard_thread.h"

namespace moon::server {

struct StartOptions {
  std::string tables;              // the blob of src/native/encode-tables.ts
  std::string moon_version;
  std::string redis_version;
  std::string run_id;              // 40 hex digits
  std::string config_file;         // absolute path or ""
  std::string executable;
  std::string working_directory;   // absolute; relative paths of directives start here
  bool any_port = false;           // port 0 binds any free port; otherwise it means no TCP
};

struct StartError {
  std::string code;      // errno name, or "tables", "threads", "io"
  std::string message;
  std::string cure;
};

struct Warning {
  std::string code;
  std::string message;
  std::string cure;
};

class Server {
 public:
  // nullptr with *error filled. `control` must outlive the server.
  static std::unique_ptr<Server> start(StartOptions options, dispatch::ControlPort& control,
                                       StartError* error);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // JSON of what was resolved: port, addresses, driver, shards, memory limit, warnings.
  std::string info() const;

  // RESP commands in, their replies to `done` (on a shard thread; "closed" when stopping).
  void call(std::vector<char> request,
            std::function<void(const char* error, std::string replies)> done);
  void answer_control(uint64_t client_id, uint32_t shard, std::string reply);

  // Stops accepting, lets clients have what they are owed for at most timeout_ms, joins. Blocks.
  void stop(bool graceful, uint64_t timeout_ms);
  // Any thread: ends a graceful stop at once.
  void hurry();

  dispatch::Engine& engine() { return engine_; }
  const std::vector<std::unique_ptr<ShardThread>>& threads() const { return threads_; }

 private:
  Server(StartOptions options, dispatch::ControlPort& control);

  bool decode_tables(StartError* error);
  void resolve();
  bool bind_listeners(StartError* error);
  bool bind_tcp(uint16_t port, StartError* error);
  bool bind_unix(StartError* error);
  bool start_threads(StartError* error);
  void watch_settings();
  void apply_memory_limit();
  void note_driver(const ShardThread& thread, const std::string& why);

  static constexpr int kSpinsOversubscribed = 8;

  StartOptions options_;
  dispatch::Engine engine_;
  std::vector<std::unique_ptr<ShardThread>> threads_;
  std::vector<std::vector<ListenSocket>> sockets_;   // per shard, until its thread has them
  std::vector<std::string> addresses_;
  std::string unix_socket_;
  std::vector<Warning> warnings_;
  uint32_t shard_count_ = 1;
  std::atomic<uint32_t> next_call_shard_{0};
  bool stopped_ = false;
};

}  // namespace moon::server
