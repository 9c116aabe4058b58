// One shard thread: reactor, shard and network of one index, and the loop that turns them.
//
//   loop: reactor turn (receive -> execute) -> mesh -> upkeep of the owned slices -> sends queued
//
// Constructed and destroyed by the starting thread; between start() and join() everything inside
// belongs to the thread it runs, except what is said to be for any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "dispatch/engine.h"
#include "io/reactor.h"
#include "net/network.h"
#include "shard/shard.h"

namespace moon::server {

struct ListenSocket {
  int fd;
  bool unix_socket;
};

class ShardThread final : private io::WorkSource {
 public:
  ShardThread(dispatch::Engine& engine, uint32_t index, const shard::ShardOptions& options);
  ~ShardThread();

  // Creates the reactor on the new thread; returns when that has succeeded or failed.
  bool start(io::Driver driver, const io::ReactorOptions& options,
             std::vector<ListenSocket> listeners, int cpu, std::string* why);
  // Any thread. Stop accepting; end as soon as every client has what it is owed, or at
  // deadline_ms (monotonic) at the latest.
  void stop_gracefully(uint64_t deadline_ms);
  void stop_now();   // any thread
  // All clients are closed; the thread serves the mesh until allow_end(), since parked commands of
  // other threads may still need it.
  void wait_closed();
  void allow_end();
  void join();

  shard::Shard& shard() { return shard_; }
  net::Network& network() { return *network_; }
  io::Driver driver() const { return driver_; }
  // Monotonic milliseconds of the last finished turn; any thread (health checks).
  uint64_t last_turn_ms() const { return last_turn_ms_.load(std::memory_order_relaxed); }

 private:
  struct Tick final : io::Timer {
    ShardThread* thread = nullptr;
    void on_timer(int64_t now_us) override;
  };

  bool has_work() override { return shard_.has_messages(); }
  bool set_up(io::Driver driver, const io::ReactorOptions& options,
              const std::vector<ListenSocket>& listeners, std::string* why);
  void loop();
  void tear_down();
  int64_t upkeep();               // microseconds until there is more to do, -1 for never
  void watch_for_stall();
  void publish_reactor_stats();

  dispatch::Engine& engine_;
  shard::Shard shard_;
  std::unique_ptr<io::Reactor> reactor_;
  std::unique_ptr<net::Network> network_;
  std::thread thread_;
  Tick tick_;
  io::Driver driver_ = io::Driver::kEpoll;
  io::ReactorStats published_;    // what the counters have already
  std::atomic<uint64_t> last_turn_ms_{0};
  std::atomic<bool> stop_now_{false};
  std::atomic<uint64_t> stop_deadline_ms_{0};   // 0: not stopping
  std::atomic<bool> closed_{false};
  std::atomic<bool> may_end_{false};
  bool accepting_ = true;
};

}  // namespace moon::server
