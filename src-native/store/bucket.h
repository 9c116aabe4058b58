// A bucket of the table: sixteen slots, two cache lines. Touched under the slice's token; other
// threads may prefetch its address.
//
//   0                16        18       19       20       22          28        32 ........ 128
//   +----------------+---------+--------+--------+--------+-----------+---------+------------+
//   | fingerprint 16 | foreign | spilled| stashed| stash  | earliest  | version | ref 6 * 16 |
//   |                | 16 bits |        |        | filter | deadline  |         |            |
//   +----------------+---------+--------+--------+--------+-----------+---------+------------+
//
//   ref, 48 bit: address of the entry (aligned to 8), in its 3 low bits the tag of the hash
//
// Invariants:
// (1) fingerprint 0 means that the slot is empty;
// (2) an entry lives in its home bucket, in the one after it (then its bit in `foreign` is set
//     there and `spilled` counts it here), or in a stash bucket of the segment (then `stashed`
//     counts it here and `stash_filter` has its bit);
// (3) `earliest` is a lower bound of the deadlines of the entries that lie in this bucket;
// (4) `version` belongs to the snapshot: at which cut the bucket was last written out.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "base/assert.h"
#include "store/entry.h"
#include "store/key.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace moon::store {

// A fingerprint as it stands in a bucket: never 0.
inline uint8_t slot_fingerprint(uint64_t hash) {
  uint8_t fingerprint = hash_fingerprint(hash);
  return fingerprint == 0 ? 1 : fingerprint;
}

struct alignas(128) Bucket {
  static constexpr uint32_t kSlots = 16;
  static constexpr uint32_t kRefSize = 6;
  static constexpr uint64_t kNoDeadline = (uint64_t{1} << 48) - 1;

  uint8_t fingerprint[kSlots];
  uint16_t foreign;
  uint8_t spilled;
  uint8_t stashed;
  uint16_t stash_filter;
  uint8_t earliest[6];
  uint32_t version;
  uint8_t ref[kSlots * kRefSize];

  void reset() {
    std::memset(static_cast<void*>(this), 0, offsetof_ref());
    std::memset(earliest, 0xff, sizeof earliest);
  }

  // Bit i: slot i has this fingerprint.
  uint32_t match(uint8_t wanted) const {
#if defined(__SSE2__)
    __m128i have = _mm_load_si128(reinterpret_cast<const __m128i*>(fingerprint));
    __m128i want = _mm_set1_epi8(static_cast<char>(wanted));
    return static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(have, want)));
#elif defined(__ARM_NEON) && defined(__aarch64__)
    static const uint8_t kBits[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t equal = vceqq_u8(vld1q_u8(fingerprint), vdupq_n_u8(wanted));
    uint8x16_t bits = vandq_u8(equal, vld1q_u8(kBits));
    return static_cast<uint32_t>(vaddv_u8(vget_low_u8(bits))) |
           static_cast<uint32_t>(vaddv_u8(vget_high_u8(bits))) << 8;
#else
    uint32_t mask = 0;
    for (uint32_t i = 0; i < kSlots; ++i) mask |= uint32_t{fingerprint[i] == wanted} << i;
    return mask;
#endif
  }
  uint32_t occupied() const { return ~match(0) & 0xffff; }
  uint32_t own() const { return occupied() & ~uint32_t{foreign}; }
  bool full() const { return match(0) == 0; }

  uint64_t load_ref(uint32_t slot) const {
    uint32_t low;
    uint16_t high;
    std::memcpy(&low, ref + slot * kRefSize, sizeof low);
    std::memcpy(&high, ref + slot * kRefSize + 4, sizeof high);
    return low | uint64_t{high} << 32;
  }
  Entry* entry(uint32_t slot) const { return ref_entry(load_ref(slot)); }
  static Entry* ref_entry(uint64_t ref) { return reinterpret_cast<Entry*>(ref & ~uint64_t{7}); }
  static uint32_t ref_tag(uint64_t ref) { return ref & 7; }
  static uint64_t make_ref(const Entry* entry, uint32_t tag) {
    auto address = reinterpret_cast<uint64_t>(entry);
    MOON_DASSERT((address & 7) == 0);
    MOON_DASSERT(address >> 48 == 0);
    return address | tag;
  }
  void store_ref(uint32_t slot, uint64_t value) {
    auto low = static_cast<uint32_t>(value);
    auto high = static_cast<uint16_t>(value >> 32);
    std::memcpy(ref + slot * kRefSize, &low, sizeof low);
    std::memcpy(ref + slot * kRefSize + 4, &high, sizeof high);
  }

  // REQUIRES: not full().
  uint32_t put(uint8_t print, uint64_t value) {
    uint32_t slot = static_cast<uint32_t>(std::countr_zero(match(0)));
    fingerprint[slot] = print;
    store_ref(slot, value);
    return slot;
  }
  void clear(uint32_t slot) {
    fingerprint[slot] = 0;
    foreign &= static_cast<uint16_t>(~(1u << slot));
  }

  uint64_t earliest_ms() const {
    uint64_t value = 0;
    std::memcpy(&value, earliest, sizeof earliest);
    return value;
  }
  void set_earliest(uint64_t value) { std::memcpy(earliest, &value, sizeof earliest); }
  void lower_earliest(uint64_t value) {
    if (value < earliest_ms()) set_earliest(value);
  }

  void prefetch() const {
    __builtin_prefetch(this);
    __builtin_prefetch(reinterpret_cast<const char*>(this) + 64);
  }

 private:
  static constexpr size_t offsetof_ref() { return sizeof(Bucket) - kSlots * kRefSize; }
};
static_assert(sizeof(Bucket) == 128);

// As it stands in Bucket and Segment: kNoDeadline is greater than all others.
inline uint64_t deadline_order(const Entry& entry) {
  int64_t deadline = entry.deadline_ms();
  if (deadline == Entry::kNoDeadline) return Bucket::kNoDeadline;
  return static_cast<uint64_t>(deadline) < Bucket::kNoDeadline - 1
             ? static_cast<uint64_t>(deadline)
             : Bucket::kNoDeadline - 1;
}

}  // namespace moon::store
