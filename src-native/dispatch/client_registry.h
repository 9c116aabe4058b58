// All connected clients of a server, for CLIENT LIST, CLIENT KILL and limits. Any thread; a
// client is added and removed by its home thread. One mutex per shard: connecting on one shard
// does not disturb another.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>
#include <atomic>

#include "dispatch/client.h"

namespace moon::dispatch {

class ClientRegistry {
 public:
  explicit ClientRegistry(uint32_t shards);

  uint64_t next_id() { return ids_.fetch_add(1, std::memory_order_relaxed) + 1; }
  void add(Client& client);
  void remove(Client& client);
  // Calls fn for every client in ascending id order, under the registry's locks: fn reads
  // published fields or sets kill_requested and must not block.
  void for_each(const std::function<void(Client&)>& fn) const;
  // Asks a client to go: sets kill_requested and tells its shard, which closes all clients that
  // have it set. The caller decides about itself.
  void request_kill(Client& client);
  // What the told shard runs (net/ knows how to close a connection). Before the threads run.
  void set_kill_handler(void (*handler)(shard::Shard& home, void* unused)) {
    on_kill_ = handler;
  }
  uint64_t size() const { return count_.load(std::memory_order_relaxed); }

 private:
  struct alignas(64) Part {
    mutable std::mutex mutex;
    std::unordered_map<uint64_t, Client*> clients;
  };
  std::vector<std::unique_ptr<Part>> parts_;
  void (*on_kill_)(shard::Shard&, void*) = nullptr;
  std::atomic<uint64_t> ids_{0};
  std::atomic<uint64_t> count_{0};
};

}  // namespace moon::dispatch
