// Timers: a binary heap of intrusive nodes. Used by one thread, the reactor's.
//
// Invariants: (1) a Timer is in at most one heap; while armed, heap_[timer.index_] == &timer.
// (2) A timer fires once per arm() and is disarmed before on_timer() runs, so on_timer() may arm it
// again. (3) The owner cancels a timer before it destroys it (asserted).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/assert.h"

namespace moon::io {

class TimerHeap;

class Timer {
 public:
  Timer() = default;
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // `now_us` is the reactor's clock of this turn, at or after the deadline.
  virtual void on_timer(int64_t now_us) = 0;

  bool is_armed() const { return index_ != kNotArmed; }
  int64_t deadline_us() const { return deadline_us_; }

 protected:
  ~Timer() { MOON_ASSERT(!is_armed()); }

 private:
  friend class TimerHeap;
  static constexpr size_t kNotArmed = SIZE_MAX;

  size_t index_ = kNotArmed;
  int64_t deadline_us_ = 0;
};

class TimerHeap {
 public:
  static constexpr int64_t kNever = INT64_MAX;

  TimerHeap() = default;
  TimerHeap(const TimerHeap&) = delete;
  TimerHeap& operator=(const TimerHeap&) = delete;
  ~TimerHeap() {
    for (Timer* timer : heap_) timer->index_ = Timer::kNotArmed;
  }

  // Arms the timer, or moves the deadline of an armed one.
  void arm(Timer& timer, int64_t deadline_us) {
    if (!timer.is_armed()) {
      timer.index_ = heap_.size();
      timer.deadline_us_ = deadline_us;
      heap_.push_back(&timer);
      sift_up(timer.index_);
      return;
    }
    timer.deadline_us_ = deadline_us;
    sift_up(timer.index_);
    sift_down(timer.index_);
  }

  // Does nothing for a timer that is not armed.
  void cancel(Timer& timer) {
    if (!timer.is_armed()) return;
    const size_t hole = timer.index_;
    MOON_DASSERT(heap_[hole] == &timer);
    timer.index_ = Timer::kNotArmed;
    Timer* last = heap_.back();
    heap_.pop_back();
    if (last == &timer) return;
    heap_[hole] = last;
    last->index_ = hole;
    sift_up(hole);
    sift_down(last->index_);
  }

  int64_t next_deadline_us() const { return heap_.empty() ? kNever : heap_[0]->deadline_us_; }
  size_t size() const { return heap_.size(); }

  // Fires what is due. A timer that re-arms itself for a time already past waits for the next call,
  // because no call fires more timers than were armed when it began.
  size_t run_due(int64_t now_us) {
    size_t fired = 0;
    for (size_t budget = heap_.size(); budget > 0; --budget) {
      if (next_deadline_us() > now_us) break;
      Timer& timer = *heap_[0];
      cancel(timer);
      timer.on_timer(now_us);
      ++fired;
    }
    return fired;
  }

 private:
  void swap_nodes(size_t left, size_t right) {
    std::swap(heap_[left], heap_[right]);
    heap_[left]->index_ = left;
    heap_[right]->index_ = right;
  }

  void sift_up(size_t at) {
    while (at > 0) {
      const size_t parent = (at - 1) / 2;
      if (heap_[parent]->deadline_us_ <= heap_[at]->deadline_us_) return;
      swap_nodes(parent, at);
      at = parent;
    }
  }

  void sift_down(size_t at) {
    for (;;) {
      size_t child = 2 * at + 1;
      if (child >= heap_.size()) return;
      if (child + 1 < heap_.size() &&
          heap_[child + 1]->deadline_us_ < heap_[child]->deadline_us_) {
        ++child;
      }
      if (heap_[at]->deadline_us_ <= heap_[child]->deadline_us_) return;
      swap_nodes(at, child);
      at = child;
    }
  }

  std::vector<Timer*> heap_;
};

}  // namespace moon::io
