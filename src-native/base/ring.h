// A bounded queue between exactly two threads. push() belongs to the producer, front()/pop() to
// the consumer; empty() and size() may be asked from anywhere and are a snapshot.
//
//   producer line: [tail, producer's copy of head]      consumer line: [head, its copy of tail]
//
// Invariants:
// (1) head <= tail <= head + capacity, both count up for ever and wrap by the mask;
// (2) an item is visible to the consumer once the producer's release store of tail is;
// (3) each side re-reads the other's index only when its copy says full (or empty), so that the
//     two cache lines travel once per batch and not once per item.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "base/assert.h"

namespace moon {

inline constexpr size_t kCacheLine = 64;

template <typename Item>
class SpscRing {
  static_assert(std::is_nothrow_move_constructible_v<Item>);
  static_assert(std::is_nothrow_destructible_v<Item>);

 public:
  // REQUIRES: capacity is a power of two.
  explicit SpscRing(size_t capacity)
      : mask_(capacity - 1), slots_(std::make_unique<Slot[]>(capacity)) {
    MOON_ASSERT(capacity != 0);
    MOON_ASSERT((capacity & (capacity - 1)) == 0);
  }
  ~SpscRing() {
    while (front() != nullptr) pop();
  }
  SpscRing(const SpscRing&) = delete;
  SpscRing& operator=(const SpscRing&) = delete;

  size_t capacity() const { return mask_ + 1; }

  // Producer. False when full; the item is then left as it was.
  bool push(Item&& item) {
    const size_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_seen_ > mask_) {
      head_seen_ = head_.load(std::memory_order_acquire);
      if (tail - head_seen_ > mask_) return false;
    }
    ::new (static_cast<void*>(slots_[tail & mask_].bytes)) Item(std::move(item));
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }
  bool push(const Item& item) {
    Item copy(item);
    return push(std::move(copy));
  }

  // Consumer. The oldest item, nullptr when empty; valid until pop().
  Item* front() {
    const size_t head = head_.load(std::memory_order_relaxed);
    if (head == tail_seen_) {
      tail_seen_ = tail_.load(std::memory_order_acquire);
      if (head == tail_seen_) return nullptr;
    }
    return std::launder(reinterpret_cast<Item*>(slots_[head & mask_].bytes));
  }
  // Consumer. REQUIRES: front() was not nullptr.
  void pop() {
    const size_t head = head_.load(std::memory_order_relaxed);
    MOON_DASSERT(head != tail_seen_);
    std::launder(reinterpret_cast<Item*>(slots_[head & mask_].bytes))->~Item();
    head_.store(head + 1, std::memory_order_release);
  }
  bool pop(Item* item) {
    Item* oldest = front();
    if (oldest == nullptr) return false;
    *item = std::move(*oldest);
    pop();
    return true;
  }

  bool empty() const { return size() == 0; }
  size_t size() const {
    // Head first: tail read afterwards is not behind it.
    const size_t head = head_.load(std::memory_order_acquire);
    return tail_.load(std::memory_order_acquire) - head;
  }

 private:
  struct Slot {
    alignas(Item) unsigned char bytes[sizeof(Item)];
  };

  const size_t mask_;
  const std::unique_ptr<Slot[]> slots_;
  alignas(kCacheLine) std::atomic<size_t> tail_{0};
  size_t head_seen_ = 0;
  alignas(kCacheLine) std::atomic<size_t> head_{0};
  size_t tail_seen_ = 0;
};

}  // namespace moon
