// Tokens, tasks and the mesh under threads: mutual exclusion over several slices, every task runs
// exactly once and comes home, nothing starves, messages stay in order. Run under TSan.
#include "shard/shard.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "io/reactor.h"

namespace moon::shard {
namespace {

constexpr uint32_t kSlices = 8;

// What the tokens guard: plain variables, so that TSan sees every hole in the protocol.
struct Guarded {
  uint64_t value[kSlices] = {};
};

struct TestTask : Task {
  Guarded* guarded = nullptr;
  std::atomic<uint64_t>* finished = nullptr;
  bool in_flight = false;
};

class Cluster {
 public:
  explicit Cluster(uint32_t shards, CrossShardPath path = CrossShardPath::kInPlace,
                   int spins = 4)
      : keyspace_(kSlices, 16, 42, settings_) {
    ShardOptions options;
    options.shard_count = shards;
    options.path = path;
    options.spins = spins;
    for (uint32_t i = 0; i < shards; ++i) {
      owned_.push_back(std::make_unique<Shard>(i, options, keyspace_, settings_));
      peers_.push_back(owned_.back().get());
    }
    for (Shard* shard : peers_) shard->peers = &peers_;
  }

  // Runs body(shard) on every shard's thread until done() is true everywhere, polling between.
  template <typename Body, typename Done>
  void run(Body body, Done done) {
    std::atomic<uint32_t> ready{0};
    std::atomic<uint32_t> ended{0};
    std::vector<std::thread> threads;
    for (Shard* shard : peers_) {
      threads.emplace_back([&, shard] {
        std::string why;
        auto reactor = io::Reactor::create(io::Driver::kEpoll, {}, &why);
        ASSERT_NE(reactor, nullptr) << why;
        shard->reactor = reactor.get();
        ready.fetch_add(1);
        while (ready.load() < peers_.size()) std::this_thread::yield();
        bool mine_done = false;
        while (ended.load() < peers_.size()) {
          reactor->turn(0);
          shard->poll();
          body(*shard);
          if (!mine_done && done(*shard)) {
            mine_done = true;
            ended.fetch_add(1);
          }
        }
        // Reactors must outlive those who may wake them.
        ready.fetch_sub(1);
        while (ready.load() != 0) std::this_thread::yield();
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  store::Keyspace& keyspace() { return keyspace_; }

 private:
  Settings settings_;
  store::Keyspace keyspace_;
  std::vector<std::unique_ptr<Shard>> owned_;
  std::vector<Shard*> peers_;
};

SliceSet random_slices(Shard& shard) {
  SliceSet slices;
  for (uint64_t count = 1 + shard.random() % 4; count > 0; --count) {
    slices.add(static_cast<uint32_t>(shard.random() % kSlices));
  }
  return slices;
}

void add_to_all(Guarded& guarded, const SliceSet& slices) {
  for (uint32_t s = slices.first(); s != SliceSet::kEnd; s = slices.next(s + 1)) {
    guarded.value[s] += 1;
  }
}

class ShardTest : public ::testing::TestWithParam<CrossShardPath> {};

// Every thread adds to random sets of slices, in place where it can, as a task where it cannot.
// The sums are exact only if the tokens exclude each other and every task ran once.
TEST_P(ShardTest, OperationsOnSeveralSlicesExcludeEachOther) {
  constexpr uint32_t kShards = 4;
  constexpr uint64_t kOperations = 4000;
  Cluster cluster(kShards, GetParam(), 2);
  Guarded guarded;
  std::atomic<uint64_t> finished{0};
  struct PerShard {
    TestTask tasks[8];
    uint64_t started = 0;
    uint64_t added = 0;
    uint64_t in_place = 0;
  };
  std::vector<PerShard> state(kShards);
  std::vector<std::atomic<uint64_t>> home(kShards);
  cluster.run(
      [&](Shard& shard) {
        PerShard& mine = state[shard.index];
        for (TestTask& task : mine.tasks) {
          if (mine.started == kOperations || task.in_flight) continue;
          ++mine.started;
          SliceSet slices = random_slices(shard);
          mine.added += slices.size();
          uint32_t busy = slices.first();
          if (shard.path() == CrossShardPath::kInPlace && shard.acquire(slices, &busy)) {
            add_to_all(guarded, slices);
            shard.release(slices);
            ++mine.in_place;
            home[shard.index].fetch_add(1);
            continue;
          }
          task.slices = slices;
          task.guarded = &guarded;
          task.finished = &home[shard.index];
          task.in_flight = true;
          task.run = [](Task& base, Shard&) {
            auto& self = static_cast<TestTask&>(base);
            add_to_all(*self.guarded, self.slices);
          };
          task.finish = [](Task& base, Shard& at) {
            auto& self = static_cast<TestTask&>(base);
            EXPECT_EQ(self.home, &at);
            self.in_flight = false;
            self.finished->fetch_add(1);
          };
          shard.submit(task, busy);
        }
      },
      [&](Shard& shard) { return home[shard.index].load() == kOperations; });
  uint64_t expected = 0;
  uint64_t actual = 0;
  for (const PerShard& mine : state) expected += mine.added;
  for (uint64_t value : guarded.value) actual += value;
  EXPECT_EQ(actual, expected);
  for (uint32_t s = 0; s < kSlices; ++s) {
    EXPECT_FALSE(cluster.keyspace().slice(s).token.held());
    EXPECT_FALSE(cluster.keyspace().slice(s).token.wanted());
  }
}

INSTANTIATE_TEST_SUITE_P(Paths, ShardTest,
                         ::testing::Values(CrossShardPath::kInPlace, CrossShardPath::kMesh));

// One thread takes a token again and again without a pause; a task on another thread that wants
// the same token gets it all the same, because `wanted` stops the plain attempts.
TEST(ShardFairness, ATaskIsNotStarvedByAGreedyThread) {
  Cluster cluster(2);
  std::atomic<uint64_t> finished{0};
  Guarded guarded;
  TestTask task;
  bool submitted = false;
  constexpr uint64_t kRounds = 50;
  cluster.run(
      [&](Shard& shard) {
        if (shard.index == 0) {
          for (int i = 0; i < 200; ++i) {
            if (!shard.acquire(0)) continue;
            guarded.value[0] += 1;
            shard.release(0);
          }
          return;
        }
        if (task.in_flight || finished.load() == kRounds) return;
        submitted = true;
        task.slices.add(0);
        task.guarded = &guarded;
        task.finished = &finished;
        task.in_flight = true;
        task.run = [](Task& base, Shard&) {
          static_cast<TestTask&>(base).guarded->value[0] += 1;
        };
        task.finish = [](Task& base, Shard&) {
          auto& self = static_cast<TestTask&>(base);
          self.in_flight = false;
          self.finished->fetch_add(1);
        };
        shard.submit(task, 0);
      },
      [&](Shard&) { return finished.load() == kRounds; });
  EXPECT_TRUE(submitted);
  EXPECT_EQ(finished.load(), kRounds);
}

// More messages than a ring holds arrive all, in order.
TEST(ShardMesh, MessagesStayInOrderBeyondTheRing) {
  constexpr uint32_t kShards = 3;
  constexpr uint64_t kMessages = 5000;
  Cluster cluster(kShards);
  struct Note {
    uint32_t sender;
    uint64_t number;
    std::vector<uint64_t>* seen;      // per sender, at the receiver
    std::atomic<uint64_t>* received;
  };
  std::vector<std::vector<uint64_t>> seen(kShards, std::vector<uint64_t>(kShards, 0));
  std::atomic<uint64_t> received{0};
  std::vector<std::vector<std::unique_ptr<Note>>> notes(kShards);
  std::vector<std::vector<Shard*>> peers(kShards);
  std::vector<uint64_t> sent(kShards, 0);
  cluster.run(
      [&](Shard& shard) {
        for (int burst = 0; burst < 700 && sent[shard.index] < kMessages; ++burst) {
          uint64_t number = ++sent[shard.index];
          for (Shard* peer : *shard.peers) {
            auto note = std::make_unique<Note>(
                Note{shard.index, number, &seen[peer->index], &received});
            shard.post(*peer, {[](Shard&, void* pointer) {
                                 auto* arrived = static_cast<Note*>(pointer);
                                 uint64_t& last = (*arrived->seen)[arrived->sender];
                                 EXPECT_EQ(arrived->number, last + 1);
                                 last = arrived->number;
                                 arrived->received->fetch_add(1);
                               },
                               note.get()});
            notes[shard.index].push_back(std::move(note));
          }
        }
      },
      [&](Shard&) { return received.load() == kMessages * kShards * kShards; });
  EXPECT_EQ(received.load(), kMessages * kShards * kShards);
}

}  // namespace
}  // namespace moon::shard
