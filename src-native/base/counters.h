// Counters: what the server counts, one slot per row of src/metrics/counters.ts.
//
// Each shard thread owns one Counters and is the only one that writes it, so add() is a plain add
// (relaxed load, relaxed store, no lock prefix). Any thread may read; a reader sees each slot
// whole, and slots of different names may be a few increments apart.
//
// A *counter* only grows and is set back by CONFIG RESETSTAT. A *level* goes up and down (clients
// connected now); one thread may hold a negative share of it, only the sum over threads has a
// meaning, and RESETSTAT leaves it alone.
//
// CounterBook sums over the threads. RESETSTAT cannot store zeros into slots that other threads
// are writing; it remembers the sums of that moment instead and subtracts them from then on.
// Invariant: attach() is called for every thread before any of them runs.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace moon {

enum class Counter : uint16_t {
#define MOON_COUNTER(id, is_level) id,
#include "base/generated/counters.inc"
#undef MOON_COUNTER
  kCount
};

inline constexpr size_t kCounterCount = static_cast<size_t>(Counter::kCount);

inline constexpr bool kCounterIsLevel[kCounterCount] = {
#define MOON_COUNTER(id, is_level) is_level,
#include "base/generated/counters.inc"
#undef MOON_COUNTER
};

class alignas(64) Counters {
 public:
  Counters() = default;
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;

  // Owner thread only.
  void add(Counter counter, uint64_t n = 1) {
    std::atomic<uint64_t>& slot = slots_[static_cast<size_t>(counter)];
    slot.store(slot.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  void sub(Counter level, uint64_t n = 1) { add(level, uint64_t{0} - n); }

  // Any thread.
  uint64_t get(Counter counter) const {
    return slots_[static_cast<size_t>(counter)].load(std::memory_order_relaxed);
  }

 private:
  std::array<std::atomic<uint64_t>, kCounterCount> slots_{};
};

class CounterBook {
 public:
  // Before the threads run. The Counters must outlive the book.
  void attach(const Counters* counters) { threads_.push_back(counters); }

  // Any thread. A level whose sum is momentarily negative (its +1 not yet seen) reads as 0.
  uint64_t total(Counter counter) const {
    uint64_t sum = raw(counter) -
                   baseline_[static_cast<size_t>(counter)].load(std::memory_order_relaxed);
    return static_cast<int64_t>(sum) < 0 ? 0 : sum;
  }

  // CONFIG RESETSTAT; any thread.
  void reset() {
    for (size_t i = 0; i < kCounterCount; ++i) {
      if (kCounterIsLevel[i]) continue;
      baseline_[i].store(raw(static_cast<Counter>(i)), std::memory_order_relaxed);
    }
  }

 private:
  uint64_t raw(Counter counter) const {
    uint64_t sum = 0;
    for (const Counters* thread : threads_) sum += thread->get(counter);
    return sum;
  }

  std::vector<const Counters*> threads_;
  std::array<std::atomic<uint64_t>, kCounterCount> baseline_{};
};

}  // namespace moon
