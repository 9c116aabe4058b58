// How the table grows and shrinks: placing entries, rebuilding a segment, the directory.
#include <algorithm>

#include "store/table.h"

namespace moon::store {

namespace {

// How full a segment may get before it grows. The small steps have no stash: they fill until an
// entry finds no place.
constexpr uint32_t grow_limit(uint32_t step) {
  uint32_t slots = kSegmentSteps[step].slots();
  return kSegmentSteps[step].stashes == 0 ? slots : slots * 15 / 16;
}

// Below this a smaller size is looked for.
constexpr uint32_t shrink_limit(uint32_t step) {
  return step == 0 ? 1 : kSegmentSteps[step].slots() * 9 / 20;
}

// The smallest step in which this many entries lie comfortably.
uint32_t fitting_step(uint32_t entries, uint32_t percent) {
  uint32_t step = 0;
  while (step + 1 < kSegmentStepCount && kSegmentSteps[step].slots() * percent < entries * 100) {
    ++step;
  }
  return step;
}

constexpr uint32_t kSplitPercent = 85;   // load of a half right after a split, at most
constexpr uint32_t kShrinkPercent = 75;  // load after shrinking, at most

}  // namespace

// The entries of one or two segments on their way into others.
struct Table::Gathered {
  uint32_t count = 0;
  uint64_t ref[kSegmentSlotsMax];
  uint64_t hash[kSegmentSlotsMax];
  uint64_t deadline[kSegmentSlotsMax];
};

// ---- placing -----------------------------------------------------------------------------------

Table::Slot Table::insert(uint64_t hash, Entry* entry) {
  uint64_t ref = Bucket::make_ref(entry, hash_ref_tag(hash));
  if (word_at(hash) == 0) {
    Gathered none;
    build(0, 0, none, 0, 0, 0);
  }
  Slot slot;
  slot.entry = entry;
  for (;;) {
    uint64_t word = word_at(hash);
    Segment& segment = *word_segment(word);
    Bucket& home = *word_bucket(word, hash);
    if (segment.size < grow_limit(segment.step)) {
      slot.segment = &segment;
      if (!home.full()) [[likely]] {
        slot.bucket = &home;
        slot.index = home.put(slot_fingerprint(hash), ref);
        ++segment.size;
        break;
      }
      ++layout_epoch_;
      if (place(segment, hash, ref, Bucket::kNoDeadline, slot)) break;
    }
    make_room(&segment);
  }
  ++size_;
  if (entry->has_deadline()) deadline_changed(slot, false);
  return slot;
}

bool Table::place(Segment& segment, uint64_t hash, uint64_t ref, uint64_t deadline, Slot& slot) {
  uint32_t home_index = segment.home_of(hash);
  Bucket& home = segment.bucket(home_index);
  uint8_t print = slot_fingerprint(hash);
  if (!home.full()) {
    slot.bucket = &home;
    slot.index = home.put(print, ref);
  } else {
    Bucket& next = segment.after(home_index);
    if (!next.full()) {
      slot.bucket = &next;
      slot.index = next.put(print, ref);
      next.foreign |= static_cast<uint16_t>(1u << slot.index);
      ++home.spilled;
    } else if (!place_displacing(segment, home_index, print, ref, slot) &&
               !place_in_stash(segment, home_index, print, ref, slot)) {
      return false;
    }
  }
  ++segment.size;
  if (deadline != Bucket::kNoDeadline) {
    slot.bucket->lower_earliest(deadline);
    segment.earliest = std::min(segment.earliest, deadline);
  }
  return true;
}

// Home and the bucket after it are full: makes a hole in one of them by moving an entry that may
// lie elsewhere.
bool Table::place_displacing(Segment& segment, uint32_t home_index, uint8_t print, uint64_t ref,
                             Slot& slot) {
  Bucket& home = segment.bucket(home_index);
  Bucket& before = segment.bucket((home_index == 0 ? segment.homes : home_index) - 1u);
  if (home.foreign != 0 && !before.full()) {
    move_slot(home, static_cast<uint32_t>(std::countr_zero(home.foreign)), before, false);
    --before.spilled;
    slot.bucket = &home;
    slot.index = home.put(print, ref);
    return true;
  }
  Bucket& next = segment.after(home_index);
  uint32_t next_index = static_cast<uint32_t>(&next - segment.buckets());
  Bucket& over_next = segment.after(next_index);
  uint32_t own = next.own();
  if (own == 0 || over_next.full()) return false;
  move_slot(next, static_cast<uint32_t>(std::countr_zero(own)), over_next, true);
  ++next.spilled;
  slot.bucket = &next;
  slot.index = next.put(print, ref);
  next.foreign |= static_cast<uint16_t>(1u << slot.index);
  ++home.spilled;
  return true;
}

bool Table::place_in_stash(Segment& segment, uint32_t home_index, uint8_t print, uint64_t ref,
                           Slot& slot) {
  for (uint32_t i = segment.homes; i < segment.bucket_count(); ++i) {
    Bucket& stash = segment.bucket(i);
    if (stash.full()) continue;
    slot.bucket = &stash;
    slot.index = stash.put(print, ref);
    Bucket& home = segment.bucket(home_index);
    ++home.stashed;
    home.stash_filter |= static_cast<uint16_t>(1u << (print & 15));
    ++segment.stash_size;
    return true;
  }
  return false;
}

void Table::move_slot(Bucket& from, uint32_t index, Bucket& to, bool foreign) {
  uint32_t at = to.put(from.fingerprint[index], from.load_ref(index));
  if (foreign) to.foreign |= static_cast<uint16_t>(1u << at);
  from.clear(index);
  to.lower_earliest(from.earliest_ms());  // not exact, but without a look at the entry
}

void Table::erase(uint64_t hash, const Slot& slot) {
  Segment& segment = *slot.segment;
  Bucket& home = segment.bucket(segment.home_of(hash));
  slot.bucket->clear(slot.index);
  if (slot.bucket != &home) [[unlikely]] {
    if (slot.bucket < segment.buckets() + segment.homes) {
      --home.spilled;
    } else {
      --segment.stash_size;
      if (--home.stashed == 0) home.stash_filter = 0;
    }
  }
  --segment.size;
  --size_;
  if (slot.entry->has_deadline()) --deadline_count_;
  if (segment.size < shrink_limit(segment.step)) [[unlikely]] shrink(&segment);
}

// ---- rebuilding --------------------------------------------------------------------------------

void Table::gather(Segment* segment, Gathered& out) const {
  uint32_t begin = out.count;
  for (uint32_t i = 0; i < segment->bucket_count(); ++i) {
    const Bucket& bucket = segment->bucket(i);
    for (uint32_t mask = bucket.occupied(); mask != 0; mask &= mask - 1) {
      out.ref[out.count++] = bucket.load_ref(static_cast<uint32_t>(std::countr_zero(mask)));
    }
  }
  // Entries lie anywhere in memory: ask for them well ahead.
  constexpr uint32_t kAhead = 16;
  for (uint32_t i = begin; i < out.count; ++i) {
    if (i + kAhead < out.count) __builtin_prefetch(Bucket::ref_entry(out.ref[i + kAhead]));
    const Entry& entry = *Bucket::ref_entry(out.ref[i]);
    out.hash[i] = hash_of(entry.key());
    out.deadline[i] = deadline_order(entry);
  }
}

// An entry found no place, or the segment is as full as it may get.
void Table::make_room(Segment* segment) {
  uint32_t step = segment->step;
  // Long churn leaves entries in the stash that a rebuild brings home again.
  bool churned = segment->size < kSegmentSteps[step].slots() * 3 / 5 && segment->stash_size != 0;
  if (step + 1 < kSegmentStepCount || churned) {
    rebuild(segment, churned ? step : step + 1);
    return;
  }
  Gathered all;
  gather(segment, all);
  uint64_t prefix = segment->prefix;
  uint32_t depth = segment->depth;
  detach(segment);
  split(prefix, depth, all, 0, all.count);
}

void Table::rebuild(Segment* segment, uint32_t step) {
  Gathered all;
  gather(segment, all);
  uint64_t prefix = segment->prefix;
  uint32_t depth = segment->depth;
  detach(segment);
  build(prefix, depth, all, 0, all.count, step);
}

// A segment of at least `step` with these entries. What no segment can hold is split.
void Table::build(uint64_t prefix, uint32_t depth, Gathered& from, uint32_t begin, uint32_t end,
                  uint32_t step) {
  ++layout_epoch_;
  for (; step < kSegmentStepCount; ++step) {
    if (kSegmentSteps[step].slots() < end - begin) continue;
    Segment* segment = segments_.allocate(step);
    MOON_ASSERT(segment != nullptr);
    segment->table = this;
    segment->prefix = prefix;
    segment->depth = static_cast<uint8_t>(depth);
    if (fill(*segment, from, begin, end)) {
      attach(segment);
      return;
    }
    segments_.free(segment);
  }
  split(prefix, depth, from, begin, end);
}

bool Table::fill(Segment& segment, const Gathered& from, uint32_t begin, uint32_t end) {
  Slot slot;
  for (uint32_t i = begin; i < end; ++i) {
    if (!place(segment, from.hash[i], from.ref[i], from.deadline[i], slot)) return false;
  }
  return true;
}

void Table::split(uint64_t prefix, uint32_t depth, Gathered& from, uint32_t begin, uint32_t end) {
  MOON_ASSERT(depth < DirectoryPool::kMaxDepth);
  if (depth == this->depth()) double_directory();
  uint64_t bit = uint64_t{1} << (63 - depth);
  uint32_t middle = begin;
  for (uint32_t i = begin; i < end; ++i) {
    if ((from.hash[i] & bit) != 0) continue;
    std::swap(from.ref[i], from.ref[middle]);
    std::swap(from.hash[i], from.hash[middle]);
    std::swap(from.deadline[i], from.deadline[middle]);
    ++middle;
  }
  build(prefix, depth + 1, from, begin, middle, fitting_step(middle - begin, kSplitPercent));
  build(prefix | bit, depth + 1, from, middle, end, fitting_step(end - middle, kSplitPercent));
}

// ---- shrinking ---------------------------------------------------------------------------------

void Table::shrink(Segment* segment) {
  if (empty()) {
    while (drain_segment([](Entry*) {})) {
    }
    ++layout_epoch_;
    return;
  }
  uint32_t step = fitting_step(segment->size, kShrinkPercent);
  if (step < kFirstPooledStep && segment->depth != 0 && merge(segment)) return;
  if (step < segment->step) rebuild(segment, step);
}

// With the segment that shares all but the last bit of the prefix.
bool Table::merge(Segment* segment) {
  uint32_t depth = segment->depth;
  uint64_t bit = uint64_t{1} << (64 - depth);
  Segment* buddy = word_segment(word_at(segment->prefix ^ bit));
  uint32_t together = uint32_t{segment->size} + buddy->size;
  if (buddy->depth != depth) return false;
  if (together * 100 > kSegmentSteps[kSegmentStepCount - 1].slots() * kShrinkPercent) return false;
  uint64_t prefix = segment->prefix & ~bit;
  Gathered all;
  gather(segment, all);
  gather(buddy, all);
  // By prefix: giving the first one back may move the second.
  detach(word_segment(word_at(prefix)));
  detach(word_segment(word_at(prefix | bit)));
  build(prefix, depth - 1, all, 0, all.count, fitting_step(together, kShrinkPercent));
  while (deepest_ == 0 && this->depth() != 0) halve_directory();
  return true;
}

// ---- directory ---------------------------------------------------------------------------------

void Table::set_words(uint64_t prefix, uint32_t depth, uint64_t word) {
  uint64_t first = directory_index(prefix, this->depth());
  uint64_t span = uint64_t{1} << (this->depth() - depth);
  DirectorySlot* slots = directory();
  for (uint64_t i = 0; i < span; ++i) slots[first + i].store(word, std::memory_order_relaxed);
}

void Table::attach(Segment* segment) {
  set_words(segment->prefix, segment->depth, make_word(segment));
  ++segment_count_;
  slot_count_ += segment->slots();
  deepest_ += segment->depth == depth();
  if (segment->earliest != Bucket::kNoDeadline) heap_add(segment);
}

// Its words are left as they are: somebody overwrites them.
void Table::detach(Segment* segment) {
  if (segment->heap_index != Segment::kUnheaped) heap_remove(segment);
  --segment_count_;
  slot_count_ -= segment->slots();
  deepest_ -= segment->depth == depth();
  segments_.free(segment);
}

void Table::double_directory() {
  uint32_t old_depth = depth();
  DirectorySlot* old = directory();
  DirectorySlot* grown = directories_.allocate(old_depth + 1);
  for (uint64_t i = 0; i < uint64_t{1} << old_depth; ++i) {
    uint64_t word = old[i].load(std::memory_order_relaxed);
    grown[2 * i].store(word, std::memory_order_relaxed);
    grown[2 * i + 1].store(word, std::memory_order_relaxed);
  }
  set_root(grown, old_depth + 1);
  if (old != &single_) directories_.retire(old, old_depth);
  deepest_ = 0;
}

// REQUIRES: no segment is as deep as the directory.
void Table::halve_directory() {
  uint32_t old_depth = depth();
  DirectorySlot* old = directory();
  DirectorySlot* cut = old_depth == 1 ? &single_ : directories_.allocate(old_depth - 1);
  deepest_ = 0;
  for (uint64_t i = 0; i < uint64_t{1} << (old_depth - 1); ++i) {
    uint64_t word = old[2 * i].load(std::memory_order_relaxed);
    cut[i].store(word, std::memory_order_relaxed);
    deepest_ += word_segment(word)->depth == old_depth - 1;
  }
  set_root(cut, old_depth - 1);
  directories_.retire(old, old_depth);
}

void Table::drop_directory() {
  uint32_t old_depth = depth();
  DirectorySlot* old = directory();
  single_.store(0, std::memory_order_relaxed);
  set_root(&single_, 0);
  if (old != &single_) directories_.retire(old, old_depth);
  deepest_ = 0;
  drained_ = 0;
  deadline_count_ = 0;  // a drained table goes with all its deadlines
}

}  // namespace moon::store
