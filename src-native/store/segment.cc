#include "store/segment.h"

#include <cstdlib>
#include <new>

#include "store/table.h"

namespace moon::store {

SegmentPool::~SegmentPool() {
  for (const Size& size : sizes_) MOON_ASSERT(size.blocks == 0);
}

char* SegmentPool::block_at(uint32_t step, size_t index) const {
  const Size& size = sizes_[step - kFirstPooledStep];
  size_t each = per_region(step);
  return size.regions[index / each] + kUnit +
         index % each * kSegmentSteps[step].units() * kUnit;
}

Segment* SegmentPool::allocate(uint32_t step) {
  const SegmentStep& shape = kSegmentSteps[step];
  size_t bytes = shape.units() * kUnit;
  void* block;
  if (step < kFirstPooledStep) {
    block = std::aligned_alloc(kUnit, bytes);
    if (block == nullptr) return nullptr;
  } else {
    Size& size = sizes_[step - kFirstPooledStep];
    if (size.blocks == size.regions.size() * per_region(step)) {
      void* region = regions_.take();
      if (region == nullptr) return nullptr;
      size.regions.push_back(static_cast<char*>(region));
    }
    block = block_at(step, size.blocks++);
  }
  ledger_.tables += bytes;
  auto* segment = new (block) Segment{};
  segment->step = static_cast<uint8_t>(step);
  segment->homes = shape.homes;
  segment->stashes = shape.stashes;
  segment->earliest = Bucket::kNoDeadline;
  segment->heap_index = Segment::kUnheaped;
  for (uint32_t i = 0; i < segment->bucket_count(); ++i) segment->bucket(i).reset();
  return segment;
}

void SegmentPool::free(Segment* segment) {
  uint32_t step = segment->step;
  size_t bytes = kSegmentSteps[step].units() * kUnit;
  ledger_.tables -= bytes;
  if (step < kFirstPooledStep) {
    std::free(segment);
    return;
  }
  Size& size = sizes_[step - kFirstPooledStep];
  char* last = block_at(step, --size.blocks);
  if (last != reinterpret_cast<char*>(segment)) {
    std::memcpy(static_cast<void*>(segment), last, bytes);
    segment->table->segment_moved(segment);
  }
  if (size.blocks % per_region(step) == 0) {
    regions_.give(size.regions.back());
    size.regions.pop_back();
  }
}

}  // namespace moon::store
