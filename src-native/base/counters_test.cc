#include "base/counters.h"

#include <gtest/gtest.h>

#include <thread>

namespace moon {
namespace {

TEST(Counters, SumOverThreads) {
  Counters first;
  Counters second;
  CounterBook book;
  book.attach(&first);
  book.attach(&second);
  first.add(Counter::kKeyspaceHits);
  second.add(Counter::kKeyspaceHits, 41);
  EXPECT_EQ(book.total(Counter::kKeyspaceHits), 42u);
  EXPECT_EQ(book.total(Counter::kKeyspaceMisses), 0u);
}

TEST(Counters, ResetForgetsCountersAndKeepsLevels) {
  Counters counters;
  CounterBook book;
  book.attach(&counters);
  counters.add(Counter::kKeyspaceHits, 5);
  counters.add(Counter::kConnectedClients, 3);
  book.reset();
  EXPECT_EQ(book.total(Counter::kKeyspaceHits), 0u);
  EXPECT_EQ(book.total(Counter::kConnectedClients), 3u);
  counters.add(Counter::kKeyspaceHits, 2);
  EXPECT_EQ(book.total(Counter::kKeyspaceHits), 2u);
}

TEST(Counters, LevelsMayGoBelowZeroOnOneThread) {
  Counters first;
  Counters second;
  CounterBook book;
  book.attach(&first);
  book.attach(&second);
  first.add(Counter::kConnectedClients, 2);
  second.sub(Counter::kConnectedClients);
  EXPECT_EQ(book.total(Counter::kConnectedClients), 1u);
  second.sub(Counter::kConnectedClients, 2);
  EXPECT_EQ(book.total(Counter::kConnectedClients), 0u);
}

TEST(Counters, ReadersSeeWholeValuesWhileTheOwnerCounts) {
  constexpr uint64_t kRounds = 100000;
  Counters counters;
  CounterBook book;
  book.attach(&counters);
  std::thread owner([&counters] {
    for (uint64_t i = 0; i < kRounds; ++i) counters.add(Counter::kTotalCommandsProcessed);
  });
  uint64_t seen = 0;
  while (seen < kRounds) {
    const uint64_t now = book.total(Counter::kTotalCommandsProcessed);
    EXPECT_GE(now, seen);
    seen = now;
  }
  owner.join();
  EXPECT_EQ(seen, kRounds);
}

}  // namespace
}  // namespace moon
