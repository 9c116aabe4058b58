// The token under threads: mutual exclusion, no lost waiter, nobody overtakes the queue. Meant
// for TSan: what the token guards is a plain variable.
#include "store/token.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace moon::store {
namespace {

struct Waiter : TokenWaiter {
  std::atomic<bool> granted{false};
};

void release(Token& token) {
  TokenWaiter* next = token.release();
  if (next == nullptr) return;
  static_cast<Waiter*>(next)->granted.store(true, std::memory_order_release);
}

TEST(Token, FreeHeldFree) {
  Token token;
  EXPECT_FALSE(token.held());
  EXPECT_TRUE(token.try_acquire());
  EXPECT_TRUE(token.held());
  EXPECT_FALSE(token.try_acquire());
  EXPECT_EQ(token.release(), nullptr);
  EXPECT_FALSE(token.held());
}

TEST(Token, EnqueueTakesAFreeToken) {
  Token token;
  Waiter waiter;
  EXPECT_TRUE(token.acquire_or_enqueue(&waiter));
  EXPECT_TRUE(token.held());
  EXPECT_FALSE(token.wanted());
  EXPECT_EQ(token.release(), nullptr);
}

TEST(Token, PassesToWaitersInOrder) {
  Token token;
  Waiter first, second;
  ASSERT_TRUE(token.try_acquire());
  EXPECT_FALSE(token.acquire_or_enqueue(&first));
  EXPECT_FALSE(token.acquire_or_enqueue(&second));
  EXPECT_TRUE(token.wanted());
  EXPECT_EQ(token.release(), &first);
  EXPECT_TRUE(token.held());
  EXPECT_FALSE(token.try_acquire()) << "nobody overtakes";
  EXPECT_EQ(token.release(), &second);
  EXPECT_FALSE(token.wanted());
  EXPECT_EQ(token.release(), nullptr);
  EXPECT_TRUE(token.try_acquire());
  EXPECT_EQ(token.release(), nullptr);
}

TEST(Token, ThreadsThatTryAndThreadsThatWait) {
  constexpr int kThreads = 4;
  constexpr int kTurns = 20000;
  Token token;
  uint64_t guarded = 0;  // plain: the token alone protects it
  std::atomic<uint64_t> expected{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kTurns; ++i) {
        bool mine = token.try_acquire();
        if (!mine && (t + i) % 2 == 0) {
          Waiter waiter;
          if (!token.acquire_or_enqueue(&waiter)) {
            while (!waiter.granted.load(std::memory_order_acquire)) std::this_thread::yield();
          }
          mine = true;
        }
        if (!mine) continue;
        ++guarded;
        expected.fetch_add(1, std::memory_order_relaxed);
        release(token);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(guarded, expected.load());
  EXPECT_FALSE(token.held());
  EXPECT_FALSE(token.wanted());
}

}  // namespace
}  // namespace moon::store
