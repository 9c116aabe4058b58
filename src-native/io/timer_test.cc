#include "io/timer.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

namespace moon::io {
namespace {

struct TestTimer : Timer {
  void on_timer(int64_t now_us) override {
    ++fired;
    if (hook) hook(now_us);
  }
  int fired = 0;
  std::function<void(int64_t)> hook;
};

TEST(TimerHeap, FiresInOrderOfDeadlines) {
  TimerHeap heap;
  std::vector<std::unique_ptr<TestTimer>> timers;
  std::vector<int64_t> order;
  uint32_t dice = 1;
  for (int i = 0; i < 500; ++i) {
    dice = dice * 1664525 + 1013904223;
    timers.push_back(std::make_unique<TestTimer>());
    TestTimer* timer = timers.back().get();
    timer->hook = [&order, timer](int64_t) { order.push_back(timer->deadline_us()); };
    heap.arm(*timer, dice >> 22);
  }
  // Move some, cancel some.
  for (size_t i = 0; i < timers.size(); i += 3) heap.arm(*timers[i], (i * 7919) % 1000);
  for (size_t i = 1; i < timers.size(); i += 5) heap.cancel(*timers[i]);
  const size_t armed = heap.size();
  size_t fired = 0;
  for (int64_t now = 0; now < 1100; now += 13) fired += heap.run_due(now);
  EXPECT_EQ(fired, armed);
  EXPECT_EQ(order.size(), armed);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_EQ(heap.next_deadline_us(), TimerHeap::kNever);
}

TEST(TimerHeap, RearmedForThePastWaitsForTheNextRun) {
  TimerHeap heap;
  TestTimer timer;
  timer.hook = [&](int64_t now_us) { heap.arm(timer, now_us - 5); };
  heap.arm(timer, 10);
  EXPECT_EQ(heap.run_due(10), 1u);
  EXPECT_TRUE(timer.is_armed());
  EXPECT_EQ(heap.run_due(10), 1u);
  heap.cancel(timer);
  heap.cancel(timer);
  EXPECT_EQ(heap.run_due(100), 0u);
}

TEST(TimerHeap, TimerMayCancelAnother) {
  TimerHeap heap;
  TestTimer first, second;
  first.hook = [&](int64_t) { heap.cancel(second); };
  heap.arm(first, 1);
  heap.arm(second, 2);
  EXPECT_EQ(heap.run_due(5), 1u);
  EXPECT_EQ(second.fired, 0);
}

}  // namespace
}  // namespace moon::io
