#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "io/reactor.h"

namespace moon::io {
namespace {

// A single-slot mailbox per pair stands in for the mesh: what has_work() looks at.
struct Node : WorkSource {
  bool has_work() override { return posted.load(std::memory_order_acquire) != taken; }

  std::unique_ptr<Reactor> reactor;
  alignas(64) std::atomic<uint64_t> posted{0};
  uint64_t taken = 0;
  std::atomic<uint64_t> finished{0};
  std::atomic<bool> ready{false};
  std::atomic<bool> stop{false};
};

struct WakeCase {
  const char* name;
  Driver left, right;
};

class WakeTest : public testing::TestWithParam<WakeCase> {
 protected:
  static void create(Node& node, Driver driver) {
    std::string why;
    node.reactor = Reactor::create(driver, ReactorOptions(), &why);
    ASSERT_NE(node.reactor, nullptr) << why;
    node.reactor->set_work_source(&node);
  }
};

// Two reactors throw a ball to each other and sleep in between: one lost wake-up ends the game.
TEST_P(WakeTest, PingPongLosesNoWakeUp) {
  constexpr uint64_t kRounds = 20'000;
  Node nodes[2];
  std::atomic<int> created{0};
  auto play = [&](int self, Driver driver) {
    Node& mine = nodes[self];
    Node& other = nodes[1 - self];
    create(mine, driver);
    created.fetch_add(1);
    while (created.load() < 2) std::this_thread::yield();
    if (self == 0) {
      other.posted.fetch_add(1, std::memory_order_release);
      other.reactor->wake_if_sleeping(mine.reactor.get());
    }
    while (mine.taken < kRounds) {
      mine.reactor->turn(20'000'000);
      for (uint64_t seen = mine.posted.load(std::memory_order_acquire); mine.taken < seen;) {
        ++mine.taken;
        if (self == 1 && mine.taken == kRounds) break;
        other.posted.fetch_add(1, std::memory_order_release);
        other.reactor->wake_if_sleeping(mine.reactor.get());
      }
    }
    if (self == 1) {  // node 0 waits for the last one
      other.posted.fetch_add(1, std::memory_order_release);
      other.reactor->wake_if_sleeping(mine.reactor.get());
    }
    mine.reactor->turn(0);
  };
  const int64_t start_us = Reactor::clock_us();
  std::thread left(play, 0, GetParam().left);
  std::thread right(play, 1, GetParam().right);
  left.join();
  right.join();
  EXPECT_LT(Reactor::clock_us() - start_us, 19'000'000) << "a wake-up was lost";
  EXPECT_GE(nodes[0].taken, kRounds);
  EXPECT_EQ(nodes[1].taken, kRounds);
  const bool rings = GetParam().left == Driver::kUring && GetParam().right == Driver::kUring;
  EXPECT_EQ(nodes[0].reactor->stats().wakes_ring > 0, rings);
}

// Threads without a reactor call wake() at a sleeper that has no work source.
TEST_P(WakeTest, ForeignThreadsWakeTheSleeper) {
  constexpr int kThreads = 3;
  constexpr uint64_t kWakes = 3'000;
  std::string why;
  std::atomic<uint64_t> asked{0};
  std::atomic<Reactor*> target{nullptr};
  std::atomic<bool> quit{false};
  std::atomic<uint64_t> answered{0};
  std::unique_ptr<Reactor> reactor;
  std::thread sleeper([&] {
    reactor = Reactor::create(GetParam().left, ReactorOptions(), &why);
    ASSERT_NE(reactor, nullptr) << why;
    target.store(reactor.get());
    while (!quit.load()) {
      answered.store(asked.load());
      reactor->turn(20'000'000);
    }
  });
  while (target.load() == nullptr) std::this_thread::yield();
  const int64_t start_us = Reactor::clock_us();
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (uint64_t n = 0; n < kWakes; ++n) {
        const uint64_t mine = asked.fetch_add(1) + 1;
        target.load()->wake();
        while (answered.load() < mine) std::this_thread::yield();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  quit.store(true);
  target.load()->wake();
  sleeper.join();
  EXPECT_LT(Reactor::clock_us() - start_us, 19'000'000) << "a wake-up was lost";
}

TEST_P(WakeTest, WakeBeforeSleepIsRemembered) {
  std::string why;
  const auto reactor = Reactor::create(GetParam().left, ReactorOptions(), &why);
  ASSERT_NE(reactor, nullptr) << why;
  EXPECT_FALSE(reactor->wake()) << "nobody slept";
  EXPECT_FALSE(reactor->wake());
  const int64_t start_us = Reactor::clock_us();
  EXPECT_TRUE(reactor->turn(5'000'000)) << "the wake-up counts as work";
  EXPECT_LT(Reactor::clock_us() - start_us, 4'000'000);
  EXPECT_FALSE(reactor->wake_if_sleeping());
  EXPECT_FALSE(reactor->turn(1000)) << "wake_if_sleeping() leaves nothing behind at an awake one";
}

TEST(SleepGate, OneOfManyWakersCalls) {
  SleepGate gate;
  EXPECT_FALSE(gate.claim_if_sleeping());
  EXPECT_TRUE(gate.announce());
  EXPECT_TRUE(gate.claim_if_sleeping());
  EXPECT_FALSE(gate.claim_if_sleeping());
  EXPECT_FALSE(gate.claim());
  EXPECT_TRUE(gate.end());
  EXPECT_FALSE(gate.end_if_called());
  EXPECT_FALSE(gate.claim()) << "awake: remembered, no call to make";
  EXPECT_TRUE(gate.is_called());
  EXPECT_FALSE(gate.announce());
  EXPECT_TRUE(gate.end_if_called());
  EXPECT_TRUE(gate.announce());
  EXPECT_FALSE(gate.end());
}

INSTANTIATE_TEST_SUITE_P(
    Drivers, WakeTest,
    testing::Values(WakeCase{"io_uring_io_uring", Driver::kUring, Driver::kUring},
                    WakeCase{"io_uring_epoll", Driver::kUring, Driver::kEpoll},
                    WakeCase{"epoll_epoll", Driver::kEpoll, Driver::kEpoll}),
    [](const testing::TestParamInfo<WakeCase>& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace moon::io
