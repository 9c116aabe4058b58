// What a slice does beside commands: expiry, WATCH, flushing in steps, eviction.
#include "store/slice.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "store/test_world.h"

namespace moon::store {
namespace {

// ---- expiry ------------------------------------------------------------------------------------

TEST(SliceExpiry, ExactAndInOrder) {
  World world;
  RecordingPort port;
  int64_t now = world.access.now_ms;
  std::mt19937_64 random(1);
  std::multimap<int64_t, std::string> model;
  for (int i = 0; i < 20000; ++i) {
    std::string name = "k" + std::to_string(i);
    int64_t deadline = now + 1 + static_cast<int64_t>(random() % 2000);
    world.set(name, "v", deadline, i % 3);
    model.emplace(deadline, name);
  }
  world.keyspace.ports().journal = &port;
  Slice& slice = world.keyspace.slice(0);
  EXPECT_EQ(slice.next_deadline_ms(), model.begin()->first);
  for (int64_t at = now; at <= now + 2100; at += 50) {
    world.access.now_ms = at;
    port.heard.clear();
    while (slice.upkeep(world.access, 500)) {
    }
    size_t due = 0;
    while (!model.empty() && model.begin()->first < at) {
      model.erase(model.begin());
      ++due;
    }
    ASSERT_EQ(port.heard.size(), due) << "exactly what is due goes";
    ASSERT_EQ(world.keyspace.deadline_count(0) + world.keyspace.deadline_count(1) +
                  world.keyspace.deadline_count(2),
              model.size());
    ASSERT_GE(slice.next_deadline_ms(), at);
  }
  EXPECT_TRUE(model.empty());
  EXPECT_EQ(slice.next_deadline_ms(), Slice::kNoDeadline);
  EXPECT_EQ(world.keyspace.used_memory(), 0u);
  EXPECT_EQ(world.counters.get(Counter::kExpiredKeys), 20000u);
}

TEST(SliceExpiry, BudgetBoundsAStep) {
  World world;
  for (int i = 0; i < 50000; ++i) {
    world.set("k" + std::to_string(i), "v", world.access.now_ms + 10);
  }
  world.access.now_ms += 100;
  Slice& slice = world.keyspace.slice(0);
  EXPECT_TRUE(slice.upkeep(world.access, 0)) << "one batch, and more is due";
  EXPECT_GT(world.counters.get(Counter::kExpiredKeys), 0u);
  EXPECT_LT(world.counters.get(Counter::kExpiredKeys), 1000u);
  EXPECT_EQ(world.counters.get(Counter::kExpiredTimeCapReachedCount), 1u);
  EXPECT_FALSE(slice.upkeep(world.access, 1000000000));
  EXPECT_EQ(world.keyspace.key_count(0), 0u);
}

TEST(SliceExpiry, CanBeSwitchedOff) {
  World world;
  world.set("k", "v", world.access.now_ms + 10);
  world.access.now_ms += 100;
  EXPECT_FALSE(world.keyspace.slice(0).upkeep(world.access, 1000, false));
  EXPECT_EQ(world.keyspace.key_count(0), 1u);
  EXPECT_EQ(world.get("k"), "(nil)");
  EXPECT_EQ(world.keyspace.key_count(0), 0u);
}

TEST(Slice, RandomKeySkipsExpired) {
  World world;
  for (int i = 0; i < 50; ++i) world.set("dead" + std::to_string(i), "v", world.access.now_ms + 1);
  for (int i = 0; i < 5; ++i) world.set("live" + std::to_string(i), "v");
  world.access.now_ms += 10;
  std::set<std::string> seen;
  for (int i = 0; i < 300; ++i) {
    const Entry* entry = world.keyspace.slice(0).random_key(world.access, 0);
    ASSERT_NE(entry, nullptr);
    ASSERT_EQ(entry->key().substr(0, 4), "live");
    seen.emplace(entry->key());
  }
  EXPECT_EQ(seen.size(), 5u);
  EXPECT_EQ(world.keyspace.slice(0).random_key(world.access, 7), nullptr);
}

// ---- WATCH -------------------------------------------------------------------------------------

class SliceWatch : public testing::Test {
 protected:
  void watch(std::string_view name, uint32_t db = 0) {
    Slice& slice = world.slice_of(name);
    KeyRef key = world.key(name);
    slice.watch(db, key, &dirty, slice.key_expired(db, key, world.access.now_ms));
  }
  World world{4};
  std::atomic<bool> dirty{false};
};

TEST_F(SliceWatch, AnyWriteDirties) {
  world.set("k", "v");
  watch("k");
  world.get("k");
  world.set("other", "v");
  world.set("k", "v", -1, 1);
  EXPECT_FALSE(dirty);
  world.set("k", "v");
  EXPECT_TRUE(dirty);
}

TEST_F(SliceWatch, CreationAndDeletionDirty) {
  watch("k");
  world.set("k", "v");
  EXPECT_TRUE(dirty.exchange(false));
  world.remove("k");
  EXPECT_TRUE(dirty);
}

TEST_F(SliceWatch, UnwatchedNoLonger) {
  watch("k");
  watch("k2");
  world.slice_of("k").unwatch(0, world.key("k"), &dirty);
  world.set("k", "v");
  EXPECT_FALSE(dirty);
  world.set("k2", "v");
  EXPECT_TRUE(dirty);
  world.slice_of("k2").unwatch(0, world.key("k2"), &dirty);
  for (uint32_t i = 0; i < 4; ++i) EXPECT_FALSE(world.keyspace.slice(i).watches().any());
}

TEST_F(SliceWatch, ExpiryOfALiveKeyDirties) {
  world.set("k", "v", world.access.now_ms + 10);
  watch("k");
  world.access.now_ms += 20;
  EXPECT_TRUE(world.slice_of("k").key_expired(0, world.key("k"), world.access.now_ms));
  EXPECT_FALSE(dirty);
  world.slice_of("k").upkeep(world.access, 1000);
  EXPECT_TRUE(dirty);
}

TEST_F(SliceWatch, DeletionOfAnExpiredKeyIsNoChange) {
  world.set("k", "v", world.access.now_ms + 10);
  world.access.now_ms += 20;
  watch("k");
  world.get("k");
  EXPECT_FALSE(dirty);
  world.set("k", "v");
  EXPECT_TRUE(dirty);
}

TEST_F(SliceWatch, OverwritingAnExpiredKeyIsAChange) {
  world.set("k", "v", world.access.now_ms + 10);
  world.access.now_ms += 20;
  watch("k");
  world.set("k", "v");
  EXPECT_TRUE(dirty);
}

TEST_F(SliceWatch, FlushDirtiesKeysThatExisted) {
  world.set("k", "v");
  watch("absent");
  world.keyspace.flush_all(world.access);
  EXPECT_FALSE(dirty);
  world.set("k", "v");
  watch("k");
  world.keyspace.flush(world.access, 1);
  EXPECT_FALSE(dirty);
  world.keyspace.flush(world.access, 0);
  EXPECT_TRUE(dirty);
}

TEST_F(SliceWatch, FlushOfAnExpiredKeyIsNoChange) {
  world.set("k", "v", world.access.now_ms + 10);
  world.access.now_ms += 20;
  watch("k");
  world.keyspace.flush_all(world.access);
  EXPECT_FALSE(dirty);
  world.set("k", "v");
  EXPECT_TRUE(dirty);
}

TEST_F(SliceWatch, SwapDirtiesWhatIsThereBeforeOrAfter) {
  watch("nowhere");
  world.keyspace.swap_databases(world.access, 0, 1);
  EXPECT_FALSE(dirty);
  world.set("k", "v", -1, 1);
  watch("k");
  world.keyspace.swap_databases(world.access, 0, 1);
  EXPECT_TRUE(dirty.exchange(false));
  EXPECT_EQ(world.get("k"), "v");
  world.keyspace.swap_databases(world.access, 0, 1);
  EXPECT_TRUE(dirty.exchange(false));
  world.keyspace.swap_databases(world.access, 2, 3);
  EXPECT_FALSE(dirty);
}

TEST_F(SliceWatch, SwapOfAnExpiredKeyOntoNothingIsNoChange) {
  world.set("k", "v", world.access.now_ms + 10, 1);
  world.access.now_ms += 20;
  watch("k");
  world.keyspace.swap_databases(world.access, 0, 1);
  EXPECT_FALSE(dirty);
  world.get("k");  // deletes it
  EXPECT_FALSE(dirty);
  world.set("k", "v");
  EXPECT_TRUE(dirty);
}

// ---- flushing in steps -------------------------------------------------------------------------

TEST(SliceFlush, LargeDatabaseGoesInSteps) {
  World world;
  RecordingPort port;
  for (int i = 0; i < 30000; ++i) {
    world.set("k" + std::to_string(i), i % 100 == 0 ? std::string(5000, 'x') : "v");
  }
  world.keyspace.ports().journal = &port;
  uint64_t full = world.keyspace.used_memory();
  world.keyspace.flush(world.access, 0);
  EXPECT_EQ(port.heard, std::vector<std::string>{"flush 0"});
  EXPECT_EQ(world.keyspace.key_count(0), 0u);
  EXPECT_EQ(world.get("k1"), "(nil)");
  EXPECT_TRUE(world.keyspace.slice(0).upkeep_pending());
  EXPECT_GT(world.keyspace.used_memory(), full / 2);
  world.set("k1", "new");
  EXPECT_TRUE(world.keyspace.slice(0).upkeep(world.access, 0));
  EXPECT_FALSE(world.keyspace.slice(0).upkeep(world.access, 1000000000));
  EXPECT_EQ(world.get("k1"), "new");
  world.check_ledger();
  world.remove("k1");
  EXPECT_EQ(world.keyspace.used_memory(), 0u);
  EXPECT_EQ(world.counters.get(Counter::kLazyfreePendingObjects), 0u);
}

TEST(SliceFlush, SmallDatabaseGoesAtOnce) {
  World world(4);
  for (int i = 0; i < 100; ++i) world.set("k" + std::to_string(i), "v", -1, i % 16);
  world.keyspace.flush_all(world.access);
  EXPECT_EQ(world.keyspace.used_memory(), 0u);
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(world.keyspace.slice(i).upkeep_pending());
}

TEST(SliceFlush, LargeValuesAreFreedInSteps) {
  World world;
  world.set_list("list", 5000);
  world.set("string", std::string(20 << 20, 'x'));
  EXPECT_TRUE(world.remove("list"));
  world.set("string", "short");
  EXPECT_TRUE(world.keyspace.slice(0).upkeep_pending());
  int steps = 0;
  while (world.keyspace.slice(0).drain_step(world.access)) ++steps;
  EXPECT_GE(steps, 9);
  world.check_ledger();
  world.remove("string");
  EXPECT_EQ(world.keyspace.used_memory(), 0u);
}

TEST(SliceFlush, LargeStringThatIsBeingSentSurvives) {
  World world;
  world.set("string", std::string(20 << 20, 'x'));
  SharedBytes* sent = world.peek("string")->shared();
  sent->add_ref();
  world.remove("string");
  world.drain();
  EXPECT_EQ(sent->view().find_first_not_of('x'), std::string_view::npos);
  sent->release();
  EXPECT_EQ(world.keyspace.used_memory(), 0u);
}

TEST(SliceFlush, SwapExchangesDatabases) {
  World world(4);
  RecordingPort port;
  for (int i = 0; i < 100; ++i) world.set("a" + std::to_string(i), "0");
  for (int i = 0; i < 50; ++i) world.set("b" + std::to_string(i), "1", 1700000005000, 1);
  world.keyspace.ports().journal = &port;
  world.keyspace.swap_databases(world.access, 0, 1);
  EXPECT_EQ(port.heard, std::vector<std::string>{"swap 0 1"});
  EXPECT_EQ(world.keyspace.key_count(0), 50u);
  EXPECT_EQ(world.keyspace.deadline_count(0), 50u);
  EXPECT_EQ(world.keyspace.key_count(1), 100u);
  EXPECT_EQ(world.get("a7", 1), "0");
  world.keyspace.swap_databases(world.access, 0, 5);
  EXPECT_EQ(world.keyspace.key_count(0), 0u);
  EXPECT_EQ(world.keyspace.key_count(5), 50u);
  world.check_ledger();
}

// ---- threads -----------------------------------------------------------------------------------

// Other threads prefetch and read the published figures while the holder of the token grows,
// shrinks, flushes and swaps. Meant for TSan.
TEST(SliceThreads, PrefetchNeedsNoToken) {
  World world;
  Slice& slice = world.keyspace.slice(0);
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> looks{0};
  std::vector<std::thread> readers;
  for (int t = 0; t < 2; ++t) {
    readers.emplace_back([&, t] {
      std::mt19937_64 random(static_cast<uint64_t>(t));
      while (!stop.load(std::memory_order_relaxed)) {
        slice.prefetch(static_cast<uint32_t>(random() % 2), random());
        looks += slice.key_count(0) + slice.ledger().total() != 0;
        looks += slice.next_deadline_ms() != 0;
      }
    });
  }
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 8000; ++i) world.set("k" + std::to_string(i), "v");
    world.keyspace.swap_databases(world.access, 0, 1);
    for (int i = 0; i < 8000; ++i) world.set("k" + std::to_string(i), "v", 1700000000000 + i);
    for (int i = 0; i < 8000; ++i) world.remove("k" + std::to_string(i));
    world.keyspace.flush_all(world.access);
    world.drain();
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_GT(looks, 0u);
}

// ---- eviction ----------------------------------------------------------------------------------

class SliceEviction : public testing::Test {
 protected:
  void policy(int64_t word) { world.settings.set(Setting::kMaxmemoryPolicy, word); }
  // How many of the keys prefix0 .. prefix<of - 1> are there.
  uint64_t left(std::string_view prefix, int of) {
    uint64_t count = 0;
    for (int i = 0; i < of; ++i) {
      count += world.peek(std::string(prefix) + std::to_string(i)) != nullptr;
    }
    return count;
  }
  void evict(int count) {
    uint64_t keys = total();
    for (int i = 0; i < count; ++i) ASSERT_TRUE(world.keyspace.slice(0).evict_one(world.access));
    ASSERT_EQ(total(), keys - static_cast<uint64_t>(count));
    ASSERT_EQ(world.counters.get(Counter::kEvictedKeys), static_cast<uint64_t>(count));
  }
  uint64_t total() { return world.keyspace.key_count(0) + world.keyspace.key_count(1); }
  World world;
};

TEST_F(SliceEviction, NoEvictionMeansNone) {
  world.set("k", "v");
  EXPECT_FALSE(world.keyspace.slice(0).evict_one(world.access));
  EXPECT_EQ(world.keyspace.key_count(0), 1u);
}

TEST_F(SliceEviction, AllkeysLruTakesTheIdle) {
  policy(settings_words::kMaxmemoryPolicyAllkeysLru);
  for (int i = 0; i < 1000; ++i) world.set("old" + std::to_string(i), "v");
  world.access.now_ms += 100000;
  for (int i = 0; i < 1000; ++i) world.set("new" + std::to_string(i), "v", -1, 0);
  EXPECT_EQ(idle_seconds(*world.peek("old1"), world.access.now_ms), 100u);
  evict(800);
  EXPECT_GT(left("new", 1000), 970u);
}

TEST_F(SliceEviction, ReadingKeepsAlive) {
  policy(settings_words::kMaxmemoryPolicyAllkeysLru);
  for (int i = 0; i < 2000; ++i) world.set("k" + std::to_string(i), "v");
  world.access.now_ms += 100000;
  for (int i = 0; i < 1000; ++i) world.get("k" + std::to_string(i));
  world.access.no_touch = true;
  for (int i = 1000; i < 2000; ++i) world.get("k" + std::to_string(i));
  evict(800);
  EXPECT_GT(left("k", 1000), 970u);
}

TEST_F(SliceEviction, AllkeysLfuTakesTheRarelyUsed) {
  policy(settings_words::kMaxmemoryPolicyAllkeysLfu);
  for (int i = 0; i < 2000; ++i) world.set("k" + std::to_string(i), "v");
  EXPECT_EQ(lfu_counter(*world.peek("k1"), world.access.now_ms, world.settings.get()),
            kLfuInitial);
  for (int round = 0; round < 30; ++round) {
    for (int i = 0; i < 1000; ++i) world.get("k" + std::to_string(i));
  }
  EXPECT_GT(lfu_counter(*world.peek("k1"), world.access.now_ms, world.settings.get()),
            kLfuInitial);
  evict(800);
  EXPECT_GT(left("k", 1000), 970u);
}

TEST_F(SliceEviction, LfuCounterGrowsSlowlyAndDecays) {
  policy(settings_words::kMaxmemoryPolicyAllkeysLfu);
  world.set("k", "v");
  auto counter = [&] {
    return lfu_counter(*world.peek("k"), world.access.now_ms, world.settings.get());
  };
  for (int i = 0; i < 100; ++i) world.get("k");
  EXPECT_GE(counter(), 8u);
  EXPECT_LE(counter(), 20u);
  for (int i = 0; i < 100000; ++i) world.get("k");
  uint32_t high = counter();
  EXPECT_GT(high, 100u);
  EXPECT_LT(high, 200u);
  world.access.now_ms += 10 * 60000;
  EXPECT_EQ(counter(), high - 10);
  world.settings.set(Setting::kLfuDecayTime, 0);
  EXPECT_EQ(counter(), high);
}

TEST_F(SliceEviction, VolatilePoliciesSpareKeysWithoutDeadline) {
  for (int64_t word : {settings_words::kMaxmemoryPolicyVolatileLru,
                       settings_words::kMaxmemoryPolicyVolatileLfu,
                       settings_words::kMaxmemoryPolicyVolatileRandom,
                       settings_words::kMaxmemoryPolicyVolatileTtl}) {
    policy(word);
    for (int i = 0; i < 3000; ++i) world.set("stay" + std::to_string(i), "v");
    for (int i = 0; i < 60; ++i) {
      world.set("go" + std::to_string(i), "v", world.access.now_ms + 100000 + i, i % 2);
    }
    for (int i = 0; i < 60; ++i) {
      ASSERT_TRUE(world.keyspace.slice(0).evict_one(world.access)) << word << " " << i;
    }
    EXPECT_FALSE(world.keyspace.slice(0).evict_one(world.access)) << word;
    EXPECT_EQ(left("stay", 3000), 3000u);
    EXPECT_EQ(total(), 3000u);
  }
}

TEST_F(SliceEviction, VolatileTtlTakesTheNearest) {
  policy(settings_words::kMaxmemoryPolicyVolatileTtl);
  for (int i = 0; i < 2000; ++i) {
    world.set("k" + std::to_string(i), "v", world.access.now_ms + 100000 + i, i % 2);
  }
  evict(500);
  for (int i = 0; i < 2000; ++i) {
    EXPECT_EQ(world.peek("k" + std::to_string(i), i % 2) == nullptr, i < 500) << i;
  }
}

TEST_F(SliceEviction, RandomTakesAny) {
  policy(settings_words::kMaxmemoryPolicyAllkeysRandom);
  for (int i = 0; i < 2000; ++i) world.set("k" + std::to_string(i), "v");
  evict(1000);
  EXPECT_GT(left("k", 1000), 400u);
  EXPECT_LT(left("k", 1000), 600u);
  while (world.keyspace.slice(0).evict_one(world.access)) {
  }
  EXPECT_EQ(world.keyspace.used_memory(), 0u);
}

}  // namespace
}  // namespace moon::store
