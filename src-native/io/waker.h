// SleepGate: how threads agree on who must be woken. One word per sleeping thread.
//
//   sleeper:  announce(); look for work once more; sleep only if there was none; end().
//   waker:    queue the work; claim_if_sleeping(); a true result means: make the wake-up call.
//
// Any thread may call the waker's side, the reactor's thread the sleeper's.
//
// Why no wake-up is lost: announce() and the waker's fence are sequentially consistent. Either the
// waker sees the announcement and calls, or the sleeper's announcement came after the waker's fence
// and its second look sees the queued work. Of several wakers one wins the exchange and calls.
#pragma once

#include <atomic>
#include <cstdint>

namespace moon::io {

#if defined(__SANITIZE_THREAD__)
#define MOON_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MOON_TSAN 1
#endif
#endif

class SleepGate {
 public:
  // Sleeper: about to sleep. False if a claim() arrived since the last end(): do not sleep.
  bool announce() {
    uint32_t expected = kAwake;
    const bool announced =
        state_.compare_exchange_strong(expected, kSleeping, std::memory_order_seq_cst);
    full_fence();  // an exchange by load-exclusive/store-exclusive is none (arm64 without LSE)
    return announced;
  }

  // Sleeper: awake again, whether it slept or not. True if somebody had called for it.
  bool end() { return state_.exchange(kAwake, std::memory_order_seq_cst) == kCalled; }

  // Sleeper: end() without the cost of an exchange, for turns that never meant to sleep.
  bool end_if_called() {
    if (state_.load(std::memory_order_relaxed) != kCalled) return false;
    return end();
  }

  // Waker, after queueing work that the sleeper looks for after announce().
  bool claim_if_sleeping() {
    full_fence();
    uint32_t seen = state_.load(std::memory_order_relaxed);
    if (seen != kSleeping) return false;
    return state_.compare_exchange_strong(seen, kCalled, std::memory_order_seq_cst);
  }

  // Waker: the current or the next sleep must not happen, no work queue involved.
  bool claim() {
    full_fence();
    if (state_.load(std::memory_order_relaxed) == kCalled) return false;
    return state_.exchange(kCalled, std::memory_order_seq_cst) == kSleeping;
  }

  bool is_called() const { return state_.load(std::memory_order_relaxed) == kCalled; }

 private:
  enum State : uint32_t { kAwake, kSleeping, kCalled };

  void full_fence() {
#ifdef MOON_TSAN
    // The sanitizer does not know fences. A read-modify-write of the word orders the same.
    state_.fetch_or(0, std::memory_order_seq_cst);
#else
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  }

  std::atomic<uint32_t> state_{kAwake};
};

}  // namespace moon::io
