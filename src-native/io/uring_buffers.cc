#include "io/uring_buffers.h"

#include <errno.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>

#include "base/assert.h"

namespace moon::io {

namespace {
void* map_memory(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  // One huge page would be more than all buffers that a quiet server ever uses.
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  return memory;
}
}  // namespace

UringBuffers::~UringBuffers() {
  if (entries_ != nullptr) munmap(entries_, entries_bytes_);
  if (memory_ != nullptr) munmap(memory_, static_cast<size_t>(max_) * buffer_bytes_);
}

int UringBuffers::set_up(io_uring* ring, uint32_t buffer_bytes, uint32_t initial, uint32_t max) {
  MOON_ASSERT(std::has_single_bit(max));
  MOON_ASSERT(initial > 0);
  buffer_bytes_ = buffer_bytes;
  max_ = max;
  initial_ = std::min(initial, max);
  entries_bytes_ = max * sizeof(io_uring_buf);
  entries_ = static_cast<io_uring_buf_ring*>(map_memory(entries_bytes_));
  memory_ = static_cast<char*>(map_memory(static_cast<size_t>(max) * buffer_bytes));
  if (entries_ == nullptr || memory_ == nullptr) return -ENOMEM;
  io_uring_buf_reg registration = {};
  registration.ring_addr = reinterpret_cast<uint64_t>(entries_);
  registration.ring_entries = max;
  registration.bgid = kGroup;
  const int outcome = io_uring_register_buf_ring(ring, &registration, 0);
  if (outcome < 0) return outcome;
  target_ = initial_;
  while (circulating_ < target_) provide(fresh_++);
  return 0;
}

void UringBuffers::provide(uint32_t id) {
  // The tail overlays an unused field of the first entry, so an entry's fields are set one by one.
  const uint16_t tail = entries_->tail;
  io_uring_buf* entry = &entries_->bufs[tail & (max_ - 1)];
  entry->addr = reinterpret_cast<uint64_t>(at(id));
  entry->len = buffer_bytes_;
  entry->bid = static_cast<uint16_t>(id);
  std::atomic_ref<uint16_t>(entries_->tail)
      .store(static_cast<uint16_t>(tail + 1), std::memory_order_release);
  ++circulating_;
}

void UringBuffers::recycle(uint32_t id) {
  --circulating_;
  touched_ = true;
  if (circulating_ >= target_) {
    idle_.push_back(static_cast<uint16_t>(id));
    return;
  }
  provide(id);
}

void UringBuffers::grow(uint32_t count) {
  target_ = std::min(target_ + count, max_);
  while (circulating_ < target_ && !idle_.empty()) {
    provide(idle_.back());
    idle_.pop_back();
  }
  while (circulating_ < target_ && fresh_ < max_) provide(fresh_++);
}

void UringBuffers::trim() {
  const uint32_t wanted = std::clamp(peak_ + peak_ / 4, initial_, max_);
  if (wanted < target_) target_ = wanted;
  const bool quiet = peak_ == 0;
  peak_ = 0;
  if (!quiet || !touched_) return;
  madvise(memory_, static_cast<size_t>(fresh_) * buffer_bytes_, MADV_DONTNEED);
  touched_ = false;
}

}  // namespace moon::io
