#include "base/clock.h"

#include <gtest/gtest.h>

namespace moon {
namespace {

// The ticks are read inside one pair of clock readings and outside another, so that losing the
// processor in between moves no bound.
TEST(Clock, TicksMeasure) {
  const TickScale scale = TickScale::measure();
  const uint64_t outer_start = mono_ns();
  const uint64_t tick_start = ticks();
  const uint64_t inner_start = mono_ns();
  while (mono_ns() - inner_start < 5000000) {
  }
  const uint64_t inner = mono_ns() - inner_start;
  const auto by_ticks = static_cast<double>(scale.to_ns(ticks() - tick_start));
  const uint64_t outer = mono_ns() - outer_start;
  EXPECT_GE(by_ticks, 0.95 * static_cast<double>(inner));
  EXPECT_LE(by_ticks, 1.05 * static_cast<double>(outer));
}

TEST(Clock, ScalesAndUnitsAgree) {
  const TickScale scale = TickScale::measure();
  EXPECT_NEAR(static_cast<double>(scale.to_ns(scale.from_ns(1000000))), 1e6, 100);
  EXPECT_GT(wall_ms(), 1600000000000);
  EXPECT_LE(wall_ms(), wall_us() / 1000 + 1);
}

}  // namespace
}  // namespace moon
