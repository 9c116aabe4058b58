// The deadline index of a table: bounds in buckets and segments, a heap over the segments.
#include <algorithm>

#include "store/table.h"

namespace moon::store {

void Table::deadline_changed(const Slot& slot, bool had) {
  bool has = slot.entry->has_deadline();
  deadline_count_ += uint64_t{has} - uint64_t{had};
  if (!has) return;
  uint64_t deadline = deadline_order(*slot.entry);
  slot.bucket->lower_earliest(deadline);
  Segment* segment = slot.segment;
  if (deadline >= segment->earliest) return;
  segment->earliest = deadline;
  if (segment->heap_index == Segment::kUnheaped) {
    heap_add(segment);
  } else {
    heap_up(segment->heap_index);
  }
}

uint32_t Table::collect_due(uint64_t now_ms, Due* out, uint32_t room) {
  if (now_ms == 0 || earliest() >= now_ms) return 0;
  Segment* segment = heap_[0];
  uint64_t others = Bucket::kNoDeadline;
  for (size_t child = 1; child < std::min<size_t>(heap_.size(), 3); ++child) {
    others = std::min(others, heap_[child]->earliest);
  }
  // A visit costs about as much as ten deletions: it takes what is due a little later as well.
  uint64_t limit = std::min(now_ms - 1, std::max(others, segment->earliest + kDeadlineSlackMs));
  auto earlier = [](const Due& a, const Due& b) { return a.deadline_ms < b.deadline_ms; };
  uint32_t found = 0;
  for (uint32_t i = 0; i < segment->bucket_count(); ++i) {
    Bucket& bucket = segment->bucket(i);
    if (bucket.earliest_ms() > limit) continue;
    uint64_t rest = Bucket::kNoDeadline;
    for (uint32_t mask = bucket.occupied(); mask != 0; mask &= mask - 1) {
      Entry* entry = bucket.entry(static_cast<uint32_t>(std::countr_zero(mask)));
      uint64_t deadline = deadline_order(*entry);
      if (deadline > limit || (found == room && deadline >= out[0].deadline_ms)) {
        rest = std::min(rest, deadline);
        continue;
      }
      if (found == room) {  // full: the latest of those chosen has to wait
        std::pop_heap(out, out + found, earlier);
        const Due& latest = out[--found];
        if (latest.bucket == &bucket) {
          rest = std::min(rest, latest.deadline_ms);
        } else {
          latest.bucket->lower_earliest(latest.deadline_ms);
        }
      }
      out[found++] = {deadline, entry, &bucket};
      std::push_heap(out, out + found, earlier);
    }
    bucket.set_earliest(rest);
  }
  std::sort_heap(out, out + found, earlier);
  heap_refile(segment);
  return found;
}

Entry* Table::nearest_deadline() {
  while (!heap_.empty()) {
    Segment* segment = heap_[0];
    Bucket* first = &segment->bucket(0);
    for (uint32_t i = 1; i < segment->bucket_count(); ++i) {
      if (segment->bucket(i).earliest_ms() < first->earliest_ms()) first = &segment->bucket(i);
    }
    Entry* nearest = nullptr;
    uint64_t exact = Bucket::kNoDeadline;
    for (uint32_t mask = first->occupied(); mask != 0; mask &= mask - 1) {
      Entry* entry = first->entry(static_cast<uint32_t>(std::countr_zero(mask)));
      if (deadline_order(*entry) >= exact) continue;
      nearest = entry;
      exact = deadline_order(*entry);
    }
    if (nearest != nullptr && exact == segment->earliest) return nearest;
    first->set_earliest(exact);
    heap_refile(segment);
  }
  return nullptr;
}

// Makes the bounds of all buckets exact.
void Table::refresh_earliest(Segment* segment) {
  for (uint32_t i = 0; i < segment->bucket_count(); ++i) {
    Bucket& bucket = segment->bucket(i);
    if (bucket.earliest_ms() == Bucket::kNoDeadline) continue;
    uint64_t exact = Bucket::kNoDeadline;
    for (uint32_t mask = bucket.occupied(); mask != 0; mask &= mask - 1) {
      const Entry* entry = bucket.entry(static_cast<uint32_t>(std::countr_zero(mask)));
      exact = std::min(exact, deadline_order(*entry));
    }
    bucket.set_earliest(exact);
  }
  heap_refile(segment);
}

// ---- heap --------------------------------------------------------------------------------------

// The bounds of its buckets have risen.
void Table::heap_refile(Segment* segment) {
  uint64_t earliest = Bucket::kNoDeadline;
  for (uint32_t i = 0; i < segment->bucket_count(); ++i) {
    earliest = std::min(earliest, segment->bucket(i).earliest_ms());
  }
  segment->earliest = earliest;
  if (earliest == Bucket::kNoDeadline) {
    heap_remove(segment);
  } else {
    heap_up(segment->heap_index);
    heap_down(segment->heap_index);
  }
}

void Table::heap_add(Segment* segment) {
  heap_.push_back(nullptr);
  heap_set(heap_.size() - 1, segment);
  heap_up(segment->heap_index);
}

void Table::heap_remove(Segment* segment) {
  size_t hole = segment->heap_index;
  segment->heap_index = Segment::kUnheaped;
  Segment* last = heap_.back();
  heap_.pop_back();
  if (last == segment) {
    if (heap_.empty()) heap_.shrink_to_fit();
    return;
  }
  heap_set(hole, last);
  heap_up(hole);
  heap_down(last->heap_index);
}

void Table::heap_up(size_t index) {
  Segment* segment = heap_[index];
  while (index > 0) {
    size_t parent = (index - 1) / 2;
    if (heap_[parent]->earliest <= segment->earliest) break;
    heap_set(index, heap_[parent]);
    index = parent;
  }
  heap_set(index, segment);
}

void Table::heap_down(size_t index) {
  Segment* segment = heap_[index];
  for (;;) {
    size_t child = 2 * index + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_[child + 1]->earliest < heap_[child]->earliest) ++child;
    if (segment->earliest <= heap_[child]->earliest) break;
    heap_set(index, heap_[child]);
    index = child;
  }
  heap_set(index, segment);
}

}  // namespace moon::store
