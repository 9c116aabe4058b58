// The invariants of a table, asserted one by one; for tests and DEBUG.
#include <algorithm>

#include "store/table.h"

namespace moon::store {

// Entries by where they lie, as their hashes tell.
struct Table::Census {
  uint32_t spilled[256] = {};  // by home bucket
  uint32_t stashed[256] = {};
  uint32_t entries = 0;
  uint32_t in_stash = 0;
  uint32_t deadlines = 0;
};

void Table::check_slot(const Segment& segment, uint32_t bucket_index, uint32_t slot,
                       Census& census) const {
  const Bucket& bucket = segment.buckets()[bucket_index];
  const Entry& entry = *bucket.entry(slot);
  uint64_t hash = hash_of(entry.key());
  MOON_ASSERT(bucket.fingerprint[slot] == slot_fingerprint(hash));
  MOON_ASSERT(Bucket::ref_tag(bucket.load_ref(slot)) == hash_ref_tag(hash));
  uint64_t below_prefix = segment.depth == 0 ? ~uint64_t{0} : ~uint64_t{0} >> segment.depth;
  MOON_ASSERT((hash & ~below_prefix) == segment.prefix);
  MOON_ASSERT(deadline_order(entry) >= bucket.earliest_ms());
  uint32_t home = segment.home_of(hash);
  if (bucket_index >= segment.homes) {
    ++census.stashed[home];
    ++census.in_stash;
    uint32_t filter = segment.buckets()[home].stash_filter;
    MOON_ASSERT((filter >> (slot_fingerprint(hash) & 15) & 1) != 0);
  } else if ((bucket.foreign >> slot & 1) != 0) {
    ++census.spilled[home];
    MOON_ASSERT(bucket_index == (home + 1u == segment.homes ? 0 : home + 1));
  } else {
    MOON_ASSERT(home == bucket_index);
  }
  ++census.entries;
  census.deadlines += entry.has_deadline();
}

uint32_t Table::check_segment(const Segment& segment) const {
  Census census;
  uint64_t earliest = Bucket::kNoDeadline;
  for (uint32_t b = 0; b < segment.bucket_count(); ++b) {
    const Bucket& bucket = segment.buckets()[b];
    MOON_ASSERT((bucket.foreign & ~bucket.occupied()) == 0);
    for (uint32_t mask = bucket.occupied(); mask != 0; mask &= mask - 1) {
      check_slot(segment, b, static_cast<uint32_t>(std::countr_zero(mask)), census);
    }
    earliest = std::min(earliest, bucket.earliest_ms());
  }
  for (uint32_t home = 0; home < segment.homes; ++home) {
    MOON_ASSERT(census.spilled[home] == segment.buckets()[home].spilled);
    MOON_ASSERT(census.stashed[home] == segment.buckets()[home].stashed);
  }
  MOON_ASSERT(census.entries == segment.size);
  MOON_ASSERT(census.in_stash == segment.stash_size);
  MOON_ASSERT(segment.earliest <= earliest);
  bool heaped = segment.heap_index != Segment::kUnheaped;
  MOON_ASSERT(heaped == (segment.earliest != Bucket::kNoDeadline));
  if (heaped) MOON_ASSERT(heap_[segment.heap_index] == &segment);
  return census.deadlines;
}

void Table::check() const {
  uint64_t entries = 0, segments = 0, slots = 0, deepest = 0, deadlines = 0;
  uint64_t words = uint64_t{1} << depth();
  for (uint64_t i = 0; i < words;) {
    uint64_t word = directory()[i].load(std::memory_order_relaxed);
    if (word == 0) {
      MOON_ASSERT(words == 1 || drained_ != 0);
      ++i;
      continue;
    }
    const Segment& segment = *word_segment(word);
    MOON_ASSERT(segment.table == this);
    MOON_ASSERT(make_word(&segment) == word);
    MOON_ASSERT(directory_index(segment.prefix, depth()) == i);
    uint64_t span = uint64_t{1} << (depth() - segment.depth);
    for (uint64_t j = 0; j < span; ++j) {
      MOON_ASSERT(directory()[i + j].load(std::memory_order_relaxed) == word);
    }
    i += span;
    ++segments;
    slots += segment.slots();
    deepest += segment.depth == depth();
    entries += segment.size;
    deadlines += check_segment(segment);
  }
  MOON_ASSERT(entries == size_);
  MOON_ASSERT(deadlines == deadline_count_);
  MOON_ASSERT(segments == segment_count_);
  MOON_ASSERT(slots == slot_count_);
  MOON_ASSERT(deepest == deepest_);
  for (size_t i = 1; i < heap_.size(); ++i) {
    MOON_ASSERT(heap_[(i - 1) / 2]->earliest <= heap_[i]->earliest);
  }
}

}  // namespace moon::store
