#include "dispatch/client_eviction.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace moon::dispatch {
namespace {

// Bytes, 0: no limit. A percentage is one of maxmemory, so without maxmemory there is no limit.
uint64_t limit_of(const Settings& settings) {
  const int64_t setting = settings.get(Setting::kMaxmemoryClients);
  if (setting >= 0) return static_cast<uint64_t>(setting);
  const auto maxmemory = static_cast<uint64_t>(settings.get(Setting::kMaxmemory));
  return maxmemory / 100 * static_cast<uint64_t>(-setting);
}

}  // namespace

void evict_clients(Engine& engine, Counters& counters) {
  const uint64_t limit = limit_of(engine.settings);
  if (limit == 0) return;
  uint64_t total = engine.counters.total(Counter::kClientMemory);
  if (total <= limit) return;
  std::vector<std::pair<uint64_t, uint64_t>> largest;  // bytes, id
  engine.clients->for_each([&](Client& client) {
    const uint64_t bytes = client.memory_bytes.get();
    if (client.kill_requested.load(std::memory_order_relaxed)) {
      total -= std::min(total, bytes);
    } else if (bytes != 0 && !client.has_flag(kClientNoEvict | kClientInProcess)) {
      largest.emplace_back(bytes, client.id);
    }
  });
  std::sort(largest.rbegin(), largest.rend());
  std::vector<uint64_t> doomed;
  for (const auto& [bytes, id] : largest) {
    if (total <= limit) break;
    total -= std::min(total, bytes);
    doomed.push_back(id);
  }
  // A second walk under the locks: a client may have left since the first.
  std::sort(doomed.begin(), doomed.end());
  engine.clients->for_each([&](Client& client) {
    if (!std::binary_search(doomed.begin(), doomed.end(), client.id)) return;
    engine.clients->request_kill(client);
    counters.add(Counter::kEvictedClients);
  });
}

}  // namespace moon::dispatch
