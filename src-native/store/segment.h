// A segment of the table: a header and up to 72 buckets in one block; home buckets first, then
// the stash. And the pool that segments of one slice come from. Under the slice's token.
//
// Large blocks (the sizes a table that has grown uses) lie without gaps in regions, one size a
// region: when one is freed, the last block of its size moves into the hole, and its table is
// told (Segment::table, segment_moved). So a table in the middle of growing takes no more than
// its buckets do, although blocks of several sizes come and go in random order. Small blocks, of
// which a table has at most one, are single allocations.
//
// Invariants:
// (1) blocks are aligned to 128 bytes;
// (2) an address of a segment holds until the next allocate() or free() of the pool only.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/region_source.h"
#include "store/bucket.h"
#include "store/ledger.h"

namespace moon::store {

class Table;

struct alignas(128) Segment {
  static constexpr uint32_t kUnheaped = UINT32_MAX;

  Table* table;
  uint64_t prefix;         // the hash bits its keys share, at the top; below them 0
  uint64_t earliest;       // lower bound of the deadlines, Bucket::kNoDeadline when there is none
  uint32_t heap_index;     // in the table's deadline heap, or kUnheaped
  uint16_t size;           // entries
  uint16_t stash_size;     // of them in the stash
  uint8_t step;            // its size class, kSegmentSteps
  uint8_t depth;           // how many top bits of the hash lead here
  uint8_t homes;           // home buckets
  uint8_t stashes;         // stash buckets, after the home buckets

  Bucket* buckets() { return reinterpret_cast<Bucket*>(this + 1); }
  const Bucket* buckets() const { return reinterpret_cast<const Bucket*>(this + 1); }
  Bucket& bucket(uint32_t index) { return buckets()[index]; }
  uint32_t bucket_count() const { return uint32_t{homes} + stashes; }
  uint32_t slots() const { return bucket_count() * Bucket::kSlots; }

  // The 16 hash bits below the prefix, spread over the home buckets: monotonic in the hash.
  static uint32_t home_index(uint64_t hash, uint32_t depth, uint32_t homes) {
    return static_cast<uint32_t>((hash << depth >> 48) * homes >> 16);
  }
  uint32_t home_of(uint64_t hash) const { return home_index(hash, depth, homes); }
  Bucket& after(uint32_t home) { return bucket(home + 1 == homes ? 0 : home + 1); }
};
static_assert(sizeof(Segment) == 128);

// Bucket counts a segment goes through as it grows. The sizes from kFirstPooled on fill a region
// of 64 KiB (511 units of 128 bytes and one of header) with a whole number of blocks.
struct SegmentStep {
  uint8_t homes;
  uint8_t stashes;
  constexpr uint32_t units() const { return 1u + homes + stashes; }  // of 128 bytes
  constexpr uint32_t slots() const { return (uint32_t{homes} + stashes) * Bucket::kSlots; }
};
inline constexpr SegmentStep kSegmentSteps[] = {
    {1, 0},  {2, 0},  {4, 0},  {7, 1},  {14, 1}, {28, 2},  // 1, 2, 4, 8, 15, 30 buckets
    {38, 3}, {47, 3}, {59, 3}, {69, 3},                    // 41, 50, 62, 72
};
inline constexpr uint32_t kSegmentStepCount = sizeof kSegmentSteps / sizeof kSegmentSteps[0];
inline constexpr uint32_t kFirstPooledStep = 6;
inline constexpr uint32_t kSegmentSlotsMax = kSegmentSteps[kSegmentStepCount - 1].slots();

class SegmentPool {
 public:
  SegmentPool(RegionSource& regions, Ledger& ledger) : regions_(regions), ledger_(ledger) {}
  ~SegmentPool();
  SegmentPool(const SegmentPool&) = delete;
  SegmentPool& operator=(const SegmentPool&) = delete;

  // With empty buckets; table, prefix and depth are the caller's to fill. nullptr when memory is
  // refused.
  Segment* allocate(uint32_t step);
  // May move another segment into the place: its table hears of it.
  void free(Segment* segment);

 private:
  static constexpr size_t kUnit = 128;
  static constexpr size_t kRegionUnits = RegionSource::kRegionSize / kUnit - 1;

  struct Size {
    std::vector<char*> regions;
    size_t blocks = 0;
  };
  static constexpr size_t per_region(uint32_t step) {
    return kRegionUnits / kSegmentSteps[step].units();
  }
  char* block_at(uint32_t step, size_t index) const;

  std::array<Size, kSegmentStepCount - kFirstPooledStep> sizes_;
  RegionSource& regions_;
  Ledger& ledger_;
};

}  // namespace moon::store
