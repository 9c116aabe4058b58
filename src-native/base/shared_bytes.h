// A reference-counted block of bytes: a large string value, a large argument received into
// place, and a large reply sent by reference are the same block. The count is atomic because a
// reply may be in flight on one thread while another overwrites the key; the bytes are written
// only while there is one owner (unique()).
//
//   [refs u32][reserved u32][size u64][capacity u64][bytes ... capacity]
//
// Allocated with malloc so that any thread may free it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include "base/assert.h"

namespace moon {

class SharedBytes {
 public:
  // One owner, `size` bytes of unspecified content; nullptr when memory is refused.
  static SharedBytes* allocate(size_t size, size_t capacity) {
    MOON_DASSERT(size <= capacity);
    void* block = std::malloc(sizeof(SharedBytes) + capacity);
    if (block == nullptr) return nullptr;
    return new (block) SharedBytes(size, capacity);
  }

  // REQUIRES: unique(). May move the block; capacity grows, size is kept (or cut to capacity).
  static SharedBytes* reallocate(SharedBytes* bytes, size_t capacity) {
    MOON_DASSERT(bytes->unique());
    void* block = std::realloc(static_cast<void*>(bytes), sizeof(SharedBytes) + capacity);
    if (block == nullptr) return nullptr;
    auto* moved = static_cast<SharedBytes*>(block);
    moved->capacity_ = capacity;
    if (moved->size_ > capacity) moved->size_ = capacity;
    return moved;
  }

  void add_ref() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) std::free(static_cast<void*>(this));
  }
  bool unique() const { return refs_.load(std::memory_order_acquire) == 1; }

  char* data() { return reinterpret_cast<char*>(this + 1); }
  const char* data() const { return reinterpret_cast<const char*>(this + 1); }
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  size_t footprint() const { return sizeof(SharedBytes) + capacity_; }  // bytes asked of malloc
  void set_size(size_t size) {
    MOON_DASSERT(size <= capacity_);
    size_ = size;
  }
  std::string_view view() const { return {data(), size_}; }

 private:
  SharedBytes(size_t size, size_t capacity) : refs_(1), size_(size), capacity_(capacity) {}

  std::atomic<uint32_t> refs_;
  [[maybe_unused]] uint32_t reserved_ = 0;
  uint64_t size_;
  uint64_t capacity_;
};
static_assert(sizeof(SharedBytes) == 24);

}  // namespace moon
