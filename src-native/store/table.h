// The table of one database in one slice: hash -> entry. Extendible hashing in the manner of Dash
// (Lu et al., VLDB 2020): a directory indexed by the top bits of the hash, segments of up to 72
// buckets, one-byte fingerprints compared sixteen at a time.
//
//   root -> directory[hash >> (64 - depth)] -> segment: [header][home buckets ...][stash ...]
//           (address, depth and home count        bucket = home_index(next 16 bits of the hash)
//            of the segment in one word)
//
// Growth: one segment at a time. Its bucket count goes through kSegmentSteps, at the last it
// splits in two; nothing larger than a segment is ever rebuilt. Shrinking goes the same way back;
// a table without entries has no segment and no directory.
//
// Order: (directory index, home bucket) is monotonic in the hash. SCAN walks positions, the top
// 37 bits of the hash, so its cursor survives growth, shrinking and moves exactly.
//
// Deadlines: bucket and segment keep lower bounds, a heap orders the segments; bounds are made
// exact when they are looked at.
//
// Invariants:
// (1) everything REQUIRES the slice's token, but prefetch() and the two counts: any thread;
// (2) a Slot and the address of a bucket hold until the layout changes (layout_epoch());
//     an Entry stays where it is;
// (3) the table does not own entries.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/relaxed.h"
#include "store/directory_pool.h"
#include "store/segment.h"

namespace moon::store {

class Table {
 public:
  struct Slot {
    Entry* entry = nullptr;      // nullptr: not there
    Segment* segment = nullptr;
    Bucket* bucket = nullptr;
    uint32_t index = 0;
    uint32_t compares = 0;       // keys looked at
  };
  struct Due {
    uint64_t deadline_ms;
    Entry* entry;
    Bucket* bucket;
  };
  static constexpr uint64_t kScanEnd = UINT64_MAX;
  static constexpr uint64_t kDeadlineSlackMs = 16;

  Table(SegmentPool& segments, DirectoryPool& directories, uint64_t hash_seed);
  ~Table();
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  // Any thread.
  uint64_t size() const { return size_; }
  uint64_t deadline_count() const { return deadline_count_; }
  void prefetch(uint64_t hash) const;

  bool empty() const { return size_ == 0; }
  uint64_t hash_of(std::string_view key) const { return hash_bytes(key, seed_); }
  uint32_t layout_epoch() const { return layout_epoch_; }

  [[gnu::always_inline]] Slot find(uint64_t hash, std::string_view key) const;
  // As find(), for reading only; tells how many keys were compared.
  [[gnu::always_inline]] Entry* get(uint64_t hash, std::string_view key, uint32_t& compares) const;
  // The slot of this very entry, when the layout has changed since it was found.
  Slot find_entry(uint64_t hash, const Entry* entry) const;
  void prefetch_entry(uint64_t hash) const;  // of a key whose bucket is in the cache by now

  // REQUIRES: no entry with this key is there. Aborts when memory is refused.
  Slot insert(uint64_t hash, Entry* entry);
  // The entry has moved, its key is the same. REQUIRES: the slot holds.
  void replace(Slot& slot, Entry* entry);
  void erase(uint64_t hash, const Slot& slot);
  // Tells the deadline index. `had` is whether the entry had a deadline before.
  void deadline_changed(const Slot& slot, bool had);

  // All entries whose position is >= `position` in the bucket that position leads to; returns the
  // position to go on with, or kScanEnd. An entry that is there from the first call to the last
  // is visited once, exactly. `fn` may not change the table.
  template <typename Fn>
  uint64_t scan(uint64_t position, Fn&& fn) const;

  // `random` is 64 random bits. nullptr when the table is empty.
  Entry* random_entry(uint64_t random) const;
  // Up to `wanted` entries from one random place; with_deadline: only such as have a deadline.
  uint32_t sample(uint64_t random, Entry** out, uint32_t wanted, bool with_deadline);

  // Lower bound of all deadlines, Bucket::kNoDeadline when there is none.
  uint64_t earliest() const { return heap_.empty() ? Bucket::kNoDeadline : heap_[0]->earliest; }
  // Looks at the segment with the earliest bound: entries whose deadline is before `now_ms`, and
  // not after the deadlines of all other segments by more than kDeadlineSlackMs; in order, at most
  // `room`. The caller erases all of them. Nothing collected means that the bound was too low;
  // earliest() has risen.
  uint32_t collect_due(uint64_t now_ms, Due* out, uint32_t room);
  // The entry with the earliest deadline, nullptr when none has one.
  Entry* nearest_deadline();

  // Gives up one segment: fn(Entry*) for each of its entries. Returns false when nothing was
  // left. For tables that nobody looks keys up in any more.
  template <typename Fn>
  bool drain_segment(Fn&& fn);

  void segment_moved(Segment* segment);  // SegmentPool: it is at another address now

  // Figures for tests and DEBUG.
  uint64_t segment_count() const { return segment_count_; }
  uint64_t slot_count() const { return slot_count_; }
  uint32_t depth() const {
    return static_cast<uint32_t>(root_.load(std::memory_order_relaxed) >> kDepthShift);
  }
  void check() const;  // asserts every invariant; linear

 private:
  struct Gathered;
  struct Census;

  // A directory word: address of the segment (aligned to 128), its depth in the low 6 bits, its
  // home count in the top 16. The root: address of the directory, its depth in the top 8.
  static constexpr int kHomesShift = 48;
  static constexpr int kDepthShift = 56;
  static constexpr uint64_t kAddressMask = (uint64_t{1} << 48) - 128;
  static constexpr uint64_t kRootAddressMask = (uint64_t{1} << 48) - 1;
  static constexpr uint64_t kWordDepthMask = 63;

  static Segment* word_segment(uint64_t word) {
    return reinterpret_cast<Segment*>(word & kAddressMask);
  }
  static uint64_t make_word(const Segment* segment) {
    return reinterpret_cast<uint64_t>(segment) | segment->depth |
           uint64_t{segment->homes} << kHomesShift;
  }
  static Bucket* word_bucket(uint64_t word, uint64_t hash) {
    uint32_t home = Segment::home_index(hash, word & kWordDepthMask,
                                        static_cast<uint32_t>(word >> kHomesShift));
    return word_segment(word)->buckets() + home;
  }
  static uint64_t directory_index(uint64_t hash, uint32_t depth) {
    return hash >> 1 >> (63 - depth);
  }
  uint64_t word_at(uint64_t hash) const {
    uint64_t root = root_.load(std::memory_order_acquire);
    auto* directory = reinterpret_cast<const DirectorySlot*>(root & kRootAddressMask);
    return directory[directory_index(hash, static_cast<uint32_t>(root >> kDepthShift))].load(
        std::memory_order_relaxed);
  }
  DirectorySlot* directory() const {
    return reinterpret_cast<DirectorySlot*>(root_.load(std::memory_order_relaxed) &
                                            kRootAddressMask);
  }
  void set_root(DirectorySlot* directory, uint32_t depth) {
    root_.store(reinterpret_cast<uint64_t>(directory) | uint64_t{depth} << kDepthShift,
                std::memory_order_release);
  }

  [[gnu::always_inline]] static Entry* probe(const Bucket& bucket, uint32_t mask, uint64_t hash,
                                             std::string_view key, uint32_t& index,
                                             uint32_t& compares);
  Slot find_away(uint64_t hash, std::string_view key, uint64_t word, uint32_t compares) const;

  // table_grow.cc
  static bool place(Segment& segment, uint64_t hash, uint64_t ref, uint64_t deadline, Slot& slot);
  static bool place_displacing(Segment& segment, uint32_t home, uint8_t print, uint64_t ref,
                               Slot& slot);
  static bool place_in_stash(Segment& segment, uint32_t home, uint8_t print, uint64_t ref,
                             Slot& slot);
  static void move_slot(Bucket& from, uint32_t index, Bucket& to, bool foreign);
  void make_room(Segment* segment);
  void shrink(Segment* segment);
  bool merge(Segment* segment);
  void gather(Segment* segment, Gathered& out) const;
  void rebuild(Segment* segment, uint32_t step);
  void build(uint64_t prefix, uint32_t depth, Gathered& from, uint32_t begin, uint32_t end,
             uint32_t step);
  bool fill(Segment& segment, const Gathered& from, uint32_t begin, uint32_t end);
  void split(uint64_t prefix, uint32_t depth, Gathered& from, uint32_t begin, uint32_t end);
  void attach(Segment* segment);
  void detach(Segment* segment);
  void set_words(uint64_t prefix, uint32_t depth, uint64_t word);
  void double_directory();
  void halve_directory();
  void drop_directory();

  // table_deadline.cc
  void heap_add(Segment* segment);
  void heap_refile(Segment* segment);
  void heap_remove(Segment* segment);
  void heap_up(size_t index);
  void heap_down(size_t index);
  void heap_set(size_t index, Segment* segment) {
    heap_[index] = segment;
    segment->heap_index = static_cast<uint32_t>(index);
  }
  void refresh_earliest(Segment* segment);
  uint32_t sample_segment(Segment* segment, uint64_t random, Entry** out, uint32_t wanted,
                          bool with_deadline) const;

  // table_check.cc
  void check_slot(const Segment& segment, uint32_t bucket_index, uint32_t slot,
                  Census& census) const;
  uint32_t check_segment(const Segment& segment) const;  // its entries with a deadline

  template <typename Fn>
  void visit_home(Segment& segment, uint32_t home, uint64_t position, bool whole, Fn& fn) const;
  uint64_t position_after(const Segment& segment, uint32_t home) const;

  std::atomic<uint64_t> root_;
  uint64_t seed_;
  uint32_t layout_epoch_ = 0;
  uint32_t deepest_ = 0;          // segments as deep as the directory
  Relaxed<uint64_t> size_;
  Relaxed<uint64_t> deadline_count_;
  DirectorySlot single_{0};       // the directory of depth 0
  SegmentPool& segments_;
  DirectoryPool& directories_;
  std::vector<Segment*> heap_;    // segments with deadlines, least Segment::earliest first
  uint64_t segment_count_ = 0;
  uint64_t slot_count_ = 0;
  uint64_t drained_ = 0;          // directory slots that drain_segment() is done with
};

// ---- hot paths ---------------------------------------------------------------------------------

inline void Table::prefetch(uint64_t hash) const {
  uint64_t word = word_at(hash);
  if (word != 0) word_bucket(word, hash)->prefetch();
}

inline Entry* Table::probe(const Bucket& bucket, uint32_t mask, uint64_t hash,
                           std::string_view key, uint32_t& index, uint32_t& compares) {
  for (; mask != 0; mask &= mask - 1) {
    index = static_cast<uint32_t>(std::countr_zero(mask));
    uint64_t ref = bucket.load_ref(index);
    if (Bucket::ref_tag(ref) != hash_ref_tag(hash)) continue;
    ++compares;
    Entry* entry = Bucket::ref_entry(ref);
    if (entry->key_equals(key)) [[likely]] return entry;
  }
  return nullptr;
}

inline Entry* Table::get(uint64_t hash, std::string_view key, uint32_t& compares) const {
  compares = 0;
  uint64_t word = word_at(hash);
  if (word == 0) [[unlikely]] return nullptr;
  const Bucket& home = *word_bucket(word, hash);
  uint32_t index;
  uint32_t mask = home.match(slot_fingerprint(hash)) & ~uint32_t{home.foreign};
  Entry* entry = probe(home, mask, hash, key, index, compares);
  if (entry != nullptr) [[likely]] return entry;
  if ((home.spilled | home.stashed) == 0) return nullptr;
  Slot away = find_away(hash, key, word, compares);
  compares = away.compares;
  return away.entry;
}

inline Table::Slot Table::find(uint64_t hash, std::string_view key) const {
  Slot slot;
  uint64_t word = word_at(hash);
  if (word == 0) [[unlikely]] return slot;
  slot.segment = word_segment(word);
  slot.bucket = word_bucket(word, hash);
  const Bucket& home = *slot.bucket;
  uint32_t mask = home.match(slot_fingerprint(hash)) & ~uint32_t{home.foreign};
  slot.entry = probe(home, mask, hash, key, slot.index, slot.compares);
  if (slot.entry != nullptr) [[likely]] return slot;
  if ((home.spilled | home.stashed) != 0) slot = find_away(hash, key, word, slot.compares);
  return slot;
}

inline void Table::prefetch_entry(uint64_t hash) const {
  uint64_t word = word_at(hash);
  if (word == 0) return;
  const Bucket& home = *word_bucket(word, hash);
  uint32_t mask = home.match(slot_fingerprint(hash));
  for (; mask != 0; mask &= mask - 1) {
    uint64_t ref = home.load_ref(static_cast<uint32_t>(std::countr_zero(mask)));
    if (Bucket::ref_tag(ref) == hash_ref_tag(hash)) __builtin_prefetch(Bucket::ref_entry(ref));
  }
  if (home.spilled != 0) word_segment(word)->after(word_segment(word)->home_of(hash)).prefetch();
}

// ---- visiting ----------------------------------------------------------------------------------

template <typename Fn>
void Table::visit_home(Segment& segment, uint32_t home, uint64_t position, bool whole,
                       Fn& fn) const {
  auto visit = [&](const Bucket& bucket, uint32_t mask) {
    for (; mask != 0; mask &= mask - 1) {
      Entry* entry = bucket.entry(static_cast<uint32_t>(std::countr_zero(mask)));
      if (whole || hash_position(hash_of(entry->key())) >= position) fn(*entry);
    }
  };
  Bucket& bucket = segment.bucket(home);
  visit(bucket, bucket.own());
  if (bucket.spilled != 0) visit(segment.after(home), segment.after(home).foreign);
  if (bucket.stashed == 0) return;
  for (uint32_t i = segment.homes; i < segment.bucket_count(); ++i) {
    const Bucket& stash = segment.bucket(i);
    uint32_t mask = stash.occupied();
    for (; mask != 0; mask &= mask - 1) {
      Entry* entry = stash.entry(static_cast<uint32_t>(std::countr_zero(mask)));
      uint64_t hash = hash_of(entry->key());
      if (segment.home_of(hash) == home && hash_position(hash) >= position) fn(*entry);
    }
  }
}

template <typename Fn>
uint64_t Table::scan(uint64_t position, Fn&& fn) const {
  uint64_t hash = position << kPositionShift;
  uint64_t word = word_at(hash);
  if (word == 0) return kScanEnd;
  Segment& segment = *word_segment(word);
  uint32_t home = segment.home_of(hash);
  // Where the bucket begins nothing has to be left out.
  uint64_t begin = home == 0 ? hash_position(segment.prefix) : position_after(segment, home - 1);
  visit_home(segment, home, position, position <= begin, fn);
  uint64_t next = position_after(segment, home);
  return next >> kPositionBits != 0 ? kScanEnd : next;
}

template <typename Fn>
bool Table::drain_segment(Fn&& fn) {
  uint64_t slots = uint64_t{1} << depth();
  while (drained_ < slots && directory()[drained_].load(std::memory_order_relaxed) == 0) {
    ++drained_;
  }
  if (drained_ == slots) {
    drop_directory();
    return false;
  }
  Segment* segment = word_segment(directory()[drained_].load(std::memory_order_relaxed));
  for (uint32_t i = 0; i < segment->bucket_count(); ++i) {
    const Bucket& bucket = segment->bucket(i);
    for (uint32_t mask = bucket.occupied(); mask != 0; mask &= mask - 1) {
      fn(bucket.entry(static_cast<uint32_t>(std::countr_zero(mask))));
    }
  }
  size_ -= segment->size;
  set_words(segment->prefix, segment->depth, 0);
  detach(segment);
  return true;
}

}  // namespace moon::store
