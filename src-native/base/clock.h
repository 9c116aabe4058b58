// Time. Any thread.
//
// wall_*: since the Unix epoch, may jump (expiry times, TIME). mono_*: never goes back (timeouts,
// durations). ticks(): the processor's counter, a few nanoseconds to read, for measuring short
// spans on one thread; TickScale turns a difference into nanoseconds.
#pragma once

#include <cstdint>
#include <ctime>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace moon {

namespace detail {
inline uint64_t clock_ns(clockid_t id) {
  timespec time;
  clock_gettime(id, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000ULL + static_cast<uint64_t>(time.tv_nsec);
}
}  // namespace detail

inline int64_t wall_us() {
  return static_cast<int64_t>(detail::clock_ns(CLOCK_REALTIME) / 1000);
}
inline int64_t wall_ms() {
  return static_cast<int64_t>(detail::clock_ns(CLOCK_REALTIME) / 1000000);
}
inline uint64_t mono_ns() { return detail::clock_ns(CLOCK_MONOTONIC); }
inline uint64_t mono_us() { return mono_ns() / 1000; }
inline uint64_t mono_ms() { return mono_ns() / 1000000; }

inline uint64_t ticks() {
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  return mono_ns();
#endif
}

// How long a tick lasts, as a 32.32 fixed-point number of nanoseconds. Make one at start and hand
// it on: measuring takes about a millisecond where the processor does not tell.
class TickScale {
 public:
  static TickScale measure();

  // Exact to a few parts in 10^4; differences of hours do not overflow.
  uint64_t to_ns(uint64_t tick_count) const {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(tick_count) * ns_per_tick_) >> 32);
  }
  uint64_t to_us(uint64_t tick_count) const { return to_ns(tick_count) / 1000; }
  uint64_t from_ns(uint64_t ns) const {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(ns) << 32) / ns_per_tick_);
  }

 private:
  explicit TickScale(uint64_t ns_per_tick) : ns_per_tick_(ns_per_tick) {}

  uint64_t ns_per_tick_;  // << 32, never 0
};

inline TickScale TickScale::measure() {
#if defined(__aarch64__)
  uint64_t hertz;
  asm volatile("mrs %0, cntfrq_el0" : "=r"(hertz));
  if (hertz == 0) hertz = 1;
  return TickScale((1000000000ULL << 32) / hertz);
#elif defined(__x86_64__)
  // Read the counter between two clock reads and keep the tightest pair of several, so that an
  // interrupt at either end does not spoil the scale.
  struct Sample {
    uint64_t ns, tick;
  };
  auto sample = [] {
    Sample best = {0, 0};
    uint64_t best_width = UINT64_MAX;
    for (int i = 0; i < 8; ++i) {
      const uint64_t before = mono_ns();
      const uint64_t tick = ticks();
      const uint64_t after = mono_ns();
      if (after - before < best_width) {
        best_width = after - before;
        best = {before + (after - before) / 2, tick};
      }
    }
    return best;
  };
  const Sample first = sample();
  Sample last = first;
  while (last.ns - first.ns < 1000000 || last.tick == first.tick) last = sample();
  const unsigned __int128 span_ns = last.ns - first.ns;
  const uint64_t scale = static_cast<uint64_t>((span_ns << 32) / (last.tick - first.tick));
  return TickScale(scale == 0 ? 1 : scale);
#else
  return TickScale(1ULL << 32);
#endif
}

}  // namespace moon
