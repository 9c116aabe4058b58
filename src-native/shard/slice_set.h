// A set of slices, walked in ascending order: the order in which tokens are taken. Any thread.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "base/assert.h"

namespace moon::shard {

inline constexpr uint32_t kMaxSlices = 512;

class SliceSet {
 public:
  static constexpr uint32_t kEnd = UINT32_MAX;

  void add(uint32_t slice) {
    MOON_DASSERT(slice < kMaxSlices);
    words_[slice / 64] |= uint64_t{1} << (slice % 64);
  }
  void add_all(uint32_t count) {
    for (uint32_t slice = 0; slice < count; ++slice) add(slice);
  }
  void merge(const SliceSet& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  bool contains(uint32_t slice) const {
    return (words_[slice / 64] >> (slice % 64) & 1) != 0;
  }
  bool empty() const { return first() == kEnd; }
  uint32_t first() const { return next(0); }
  // The smallest member >= from, or kEnd.
  uint32_t next(uint32_t from) const {
    for (size_t i = from / 64; i < words_.size(); ++i) {
      uint64_t word = words_[i];
      if (i == from / 64) word &= ~uint64_t{0} << (from % 64);
      if (word != 0) return static_cast<uint32_t>(i * 64 + std::countr_zero(word));
    }
    return kEnd;
  }
  uint32_t size() const {
    uint32_t count = 0;
    for (uint64_t word : words_) count += std::popcount(word);
    return count;
  }

 private:
  std::array<uint64_t, kMaxSlices / 64> words_{};
};

}  // namespace moon::shard
