#include "store/eviction.h"

#include <algorithm>

namespace moon::store {

EvictionPolicy eviction_policy(const Settings& settings) {
  switch (settings.get(Setting::kMaxmemoryPolicy)) {
    case settings_words::kMaxmemoryPolicyAllkeysLru:
      return {EvictionKind::kLru, false};
    case settings_words::kMaxmemoryPolicyAllkeysLfu:
      return {EvictionKind::kLfu, false};
    case settings_words::kMaxmemoryPolicyAllkeysRandom:
      return {EvictionKind::kRandom, false};
    case settings_words::kMaxmemoryPolicyVolatileLru:
      return {EvictionKind::kLru, true};
    case settings_words::kMaxmemoryPolicyVolatileLfu:
      return {EvictionKind::kLfu, true};
    case settings_words::kMaxmemoryPolicyVolatileRandom:
      return {EvictionKind::kRandom, true};
    case settings_words::kMaxmemoryPolicyVolatileTtl:
      return {EvictionKind::kTtl, true};
    default:
      return {};
  }
}

uint64_t idle_seconds(const Entry& entry, int64_t now_ms) {
  return (lru_clock(now_ms) - entry.access()) & kAccessMask;  // the clock may have gone round
}

uint32_t lfu_counter(const Entry& entry, int64_t now_ms, const Settings& settings) {
  uint32_t counter = entry.access() & 0xff;
  auto decay = static_cast<uint64_t>(settings.get(Setting::kLfuDecayTime));
  if (decay == 0) return counter;
  uint64_t elapsed = (lfu_minutes(now_ms) - (entry.access() >> 8)) & 0xffff;
  uint64_t periods = elapsed / decay;
  return periods >= counter ? 0 : counter - static_cast<uint32_t>(periods);
}

uint32_t lfu_touched(const Entry& entry, int64_t now_ms, const Settings& settings,
                     uint64_t random) {
  uint32_t counter = lfu_counter(entry, now_ms, settings);
  if (counter < 255) {
    // Counts one access in (excess over the initial value) * factor + 1.
    uint64_t excess = counter > kLfuInitial ? counter - kLfuInitial : 0;
    auto factor = static_cast<uint64_t>(settings.get(Setting::kLfuLogFactor));
    uint64_t one_in = excess * factor + 1;
    if (static_cast<uint64_t>((random >> 32) * static_cast<unsigned __int128>(one_in) >> 32) == 0) {
      ++counter;
    }
  }
  return lfu_bits(lfu_minutes(now_ms), counter);
}

uint32_t initial_access(const Settings& settings, int64_t now_ms) {
  if (is_lfu(settings.get(Setting::kMaxmemoryPolicy))) {
    return lfu_bits(lfu_minutes(now_ms), kLfuInitial);
  }
  return lru_clock(now_ms);
}

void EvictionPool::offer(uint64_t score, uint32_t db, uint64_t hash, std::string_view key) {
  for (size_t i = 0; i < used_; ++i) {
    if (candidates_[i].hash == hash && candidates_[i].db == db) return;
  }
  if (used_ == kSize) {
    if (score <= candidates_[0].score) return;
    std::rotate(candidates_.begin(), candidates_.begin() + 1, candidates_.end());
    --used_;
  }
  size_t place = used_;
  while (place > 0 && candidates_[place - 1].score > score) {
    std::swap(candidates_[place], candidates_[place - 1]);
    --place;
  }
  ++used_;
  Candidate& candidate = candidates_[place];
  candidate.score = score;
  candidate.hash = hash;
  candidate.db = db;
  candidate.key.assign(key);
}

}  // namespace moon::store
