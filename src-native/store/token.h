// The token of a slice: one atomic word. Whoever holds it may touch everything in the slice;
// nobody else may. Nobody sleeps on it: an operation that cannot have it waits in the slice's
// queue (TokenWaiter) while its thread goes on with other work.
//
//   word: bit 0 held, bit 1 wanted (the queue is not empty, or is being looked at)
//
// Invariants:
// (1) try_acquire() succeeds only from 0: once somebody waits, nobody overtakes the queue, so
//     nothing starves;
// (2) release() with `wanted` set keeps the word held and passes it to the first waiter: the
//     caller must deliver the grant (shard/ does, through the mesh);
// (3) what was written under the token is visible to the next holder (acquire/release).
//
// Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/assert.h"

namespace moon::store {

struct TokenWaiter {
  TokenWaiter* next_waiter = nullptr;
};

class alignas(64) Token {
 public:
  bool try_acquire() {
    uint32_t expected = 0;
    return word_.load(std::memory_order_relaxed) == 0 &&
           word_.compare_exchange_strong(expected, kHeld, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }

  // Takes the token (true) or queues the waiter (false); then the release that reaches it
  // returns it.
  bool acquire_or_enqueue(TokenWaiter* waiter);

  // nullptr: the token is free. Otherwise it was passed, still held, to the returned waiter.
  TokenWaiter* release() {
    uint32_t expected = kHeld;
    if (word_.compare_exchange_strong(expected, 0, std::memory_order_release,
                                      std::memory_order_relaxed)) {
      return nullptr;
    }
    return release_wanted();
  }

  bool held() const { return (word_.load(std::memory_order_relaxed) & kHeld) != 0; }
  bool wanted() const { return (word_.load(std::memory_order_relaxed) & kWanted) != 0; }

 private:
  static constexpr uint32_t kHeld = 1;
  static constexpr uint32_t kWanted = 2;

  TokenWaiter* release_wanted();

  std::atomic<uint32_t> word_{0};
  std::mutex queue_mutex_;  // guards the two below; held for a few instructions, slow path only
  TokenWaiter* first_ = nullptr;
  TokenWaiter* last_ = nullptr;
};

}  // namespace moon::store
