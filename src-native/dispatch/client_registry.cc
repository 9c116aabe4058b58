#include "dispatch/client_registry.h"

#include <algorithm>

#include "shard/shard.h"

namespace moon::dispatch {

ClientRegistry::ClientRegistry(uint32_t shards) {
  for (uint32_t i = 0; i < shards; ++i) parts_.push_back(std::make_unique<Part>());
}

void ClientRegistry::add(Client& client) {
  Part& part = *parts_[client.home.index];
  std::lock_guard guard(part.mutex);
  part.clients.emplace(client.id, &client);
  count_.fetch_add(1, std::memory_order_relaxed);
}

void ClientRegistry::remove(Client& client) {
  Part& part = *parts_[client.home.index];
  std::lock_guard guard(part.mutex);
  if (part.clients.erase(client.id) != 0) count_.fetch_sub(1, std::memory_order_relaxed);
}

void ClientRegistry::for_each(const std::function<void(Client&)>& fn) const {
  std::vector<std::unique_lock<std::mutex>> locks;
  std::vector<Client*> all;
  for (const auto& part : parts_) {
    locks.emplace_back(part->mutex);
    for (const auto& [id, client] : part->clients) all.push_back(client);
  }
  std::sort(all.begin(), all.end(), [](Client* a, Client* b) { return a->id < b->id; });
  for (Client* client : all) fn(*client);
}

// The shard looks for kill_requested among its own clients when it is told: the message carries
// no client, which may be gone by then.
void ClientRegistry::request_kill(Client& client) {
  client.kill_requested.store(true, std::memory_order_release);
  client.home.post_external({on_kill_, nullptr});
}

}  // namespace moon::dispatch
