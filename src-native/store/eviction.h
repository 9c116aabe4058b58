// Which key goes when memory is full: access bits (LRU clock, LFU counter) and the pool of
// candidates, as Redis does it, per slice. Under the slice's token.
//
// Access bits of an entry, 24:
//   LRU    seconds of the last access, modulo 2^24
//   LFU    16 bits minutes of the last decay, 8 bits logarithmic counter (Morris)
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/settings.h"
#include "store/entry.h"

namespace moon::store {

enum class EvictionKind : uint8_t { kNone, kLru, kLfu, kRandom, kTtl };

struct EvictionPolicy {
  EvictionKind kind = EvictionKind::kNone;
  bool with_deadline = false;  // volatile-*: only keys that have one
};
EvictionPolicy eviction_policy(const Settings& settings);
inline bool is_lfu(int64_t policy_word) {
  return policy_word == settings_words::kMaxmemoryPolicyAllkeysLfu ||
         policy_word == settings_words::kMaxmemoryPolicyVolatileLfu;
}

inline constexpr uint32_t kAccessMask = 0xffffff;
inline constexpr uint32_t kLfuInitial = 5;  // a new key's counter, so that it is not evicted first

inline uint32_t lru_clock(int64_t now_ms) {
  return static_cast<uint32_t>(now_ms / 1000) & kAccessMask;
}
uint64_t idle_seconds(const Entry& entry, int64_t now_ms);
inline uint32_t lfu_minutes(int64_t now_ms) {
  return static_cast<uint32_t>(now_ms / 60000) & 0xffff;
}
inline uint32_t lfu_bits(uint32_t minutes, uint32_t counter) { return minutes << 8 | counter; }
// The counter as it would be decayed to now (OBJECT FREQ).
uint32_t lfu_counter(const Entry& entry, int64_t now_ms, const Settings& settings);
// The bits after one more access. `random` is 64 random bits.
uint32_t lfu_touched(const Entry& entry, int64_t now_ms, const Settings& settings,
                     uint64_t random);
// The bits of a new key.
uint32_t initial_access(const Settings& settings, int64_t now_ms);

// Keys that were sampled and are good to evict, best last. Names, not addresses: a candidate may
// be gone or changed by the time it is chosen.
class EvictionPool {
 public:
  static constexpr size_t kSize = 16;

  struct Candidate {
    uint64_t score = 0;  // higher goes first
    uint64_t hash = 0;
    uint32_t db = 0;
    std::string key;
  };

  bool empty() const { return used_ == 0; }
  void offer(uint64_t score, uint32_t db, uint64_t hash, std::string_view key);
  Candidate take_best() { return std::move(candidates_[--used_]); }
  void clear() { used_ = 0; }

 private:
  std::array<Candidate, kSize> candidates_;  // ascending score
  size_t used_ = 0;
};

}  // namespace moon::store
