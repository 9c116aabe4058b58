#include "base/ring.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace moon {
namespace {

TEST(Ring, FillsAndDrains) {
  SpscRing<int> ring(4);
  EXPECT_TRUE(ring.empty());
  EXPECT_EQ(ring.front(), nullptr);
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(ring.push(i));
    EXPECT_FALSE(ring.push(4));
    EXPECT_EQ(ring.size(), 4U);
    for (int i = 0; i < 4; ++i) {
      int value = -1;
      ASSERT_TRUE(ring.pop(&value));
      EXPECT_EQ(value, i);
    }
    EXPECT_TRUE(ring.empty());
  }
}

TEST(Ring, OwnsWhatItHolds) {
  auto ring = std::make_unique<SpscRing<std::unique_ptr<int>>>(8);
  auto first = std::make_unique<int>(1);
  EXPECT_TRUE(ring->push(std::move(first)));
  EXPECT_TRUE(ring->push(std::make_unique<int>(2)));
  std::unique_ptr<int> out;
  ASSERT_TRUE(ring->pop(&out));
  EXPECT_EQ(*out, 1);
  while (ring->push(std::make_unique<int>(3))) {
  }
  auto kept = std::make_unique<int>(4);
  EXPECT_FALSE(ring->push(std::move(kept)));
  EXPECT_NE(kept, nullptr);  // a full ring leaves the item alone
  ring.reset();              // the rest is destroyed; the sanitizer watches
}

TEST(Ring, TwoThreads) {
  constexpr uint64_t kItems = 200000;
  SpscRing<uint64_t> ring(64);
  std::thread producer([&ring] {
    for (uint64_t i = 0; i < kItems;) {
      if (ring.push(i)) {
        ++i;
      } else {
        std::this_thread::yield();
      }
    }
  });
  for (uint64_t expected = 0; expected < kItems;) {
    uint64_t value;
    if (ring.pop(&value)) {
      ASSERT_EQ(value, expected);
      ++expected;
    } else {
      std::this_thread::yield();
    }
  }
  producer.join();
  EXPECT_TRUE(ring.empty());
}

}  // namespace
}  // namespace moon
