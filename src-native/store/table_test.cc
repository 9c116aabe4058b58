// The table against a model: growth, shrinking, scans across both, deadlines, counters.
#include "store/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/slab.h"
#include "store/entry_edit.h"

namespace moon::store {
namespace {

constexpr uint64_t kSeed = 0x5eed5eed5eed5eed;

class TableTest : public testing::Test {
 protected:
  ~TableTest() override {
    while (table_.drain_segment([&](Entry* entry) { release(entry); })) {
    }
    EXPECT_EQ(ledger_.tables, 0u);
  }

  Entry* make(const std::string& key, int64_t value, int64_t deadline_ms = Entry::kNoDeadline) {
    EntryValue integer = EntryValue::of_integer(value);
    void* block = slab_.allocate(EntryEdit::size_for(key.size(), integer, deadline_ms));
    return EntryEdit::make(block, key, integer, 0, deadline_ms);
  }
  void release(Entry* entry) { slab_.free(entry, entry->layout_size()); }
  Table::Slot find(const std::string& key) { return table_.find(table_.hash_of(key), key); }
  void insert(const std::string& key, int64_t value, int64_t deadline_ms = Entry::kNoDeadline) {
    table_.insert(table_.hash_of(key), make(key, value, deadline_ms));
  }
  void erase(const std::string& key) {
    Table::Slot slot = find(key);
    ASSERT_NE(slot.entry, nullptr);
    Entry* entry = slot.entry;
    table_.erase(table_.hash_of(key), slot);
    release(entry);
  }
  void fill(int count) {
    for (int i = 0; i < count; ++i) insert("key:" + std::to_string(i), i);
  }

  Ledger ledger_;
  RegionSource regions_;
  Slab slab_{regions_};
  SegmentPool segments_{regions_, ledger_};
  DirectoryPool directories_{ledger_};
  Table table_{segments_, directories_, kSeed};
};

TEST_F(TableTest, EmptyTableHasNothing) {
  EXPECT_EQ(find("a").entry, nullptr);
  EXPECT_EQ(table_.scan(0, [](Entry&) { FAIL(); }), Table::kScanEnd);
  EXPECT_EQ(table_.random_entry(1), nullptr);
  EXPECT_EQ(table_.earliest(), Bucket::kNoDeadline);
  EXPECT_EQ(ledger_.tables, 0u);
}

TEST_F(TableTest, FewKeysTakeOneBucket) {
  fill(3);
  EXPECT_EQ(ledger_.tables, sizeof(Segment) + sizeof(Bucket));
  for (int i = 0; i < 3; ++i) erase("key:" + std::to_string(i));
  EXPECT_EQ(ledger_.tables, 0u);
  EXPECT_EQ(table_.segment_count(), 0u);
}

TEST_F(TableTest, AgreesWithAModelUnderRandomChanges) {
  std::mt19937_64 random(7);
  std::unordered_map<std::string, int64_t> model;
  // Phases lean towards growth, then towards shrinking, and through emptiness.
  for (int phase = 0; phase < 12; ++phase) {
    int insert_share = phase % 3 == 0 ? 90 : phase % 3 == 1 ? 50 : 8;
    int key_space = phase < 6 ? 30000 : 3000;
    for (int step = 0; step < 30000; ++step) {
      std::string key = "k" + std::to_string(random() % key_space);
      Table::Slot slot = find(key);
      auto known = model.find(key);
      ASSERT_EQ(slot.entry != nullptr, known != model.end());
      if (slot.entry != nullptr) {
        ASSERT_EQ(slot.entry->integer(), known->second);
      }
      if (static_cast<int>(random() % 100) < insert_share) {
        auto value = static_cast<int64_t>(random());
        int64_t deadline = random() % 4 == 0 ? 1 + static_cast<int64_t>(random() % 1000) : -1;
        if (slot.entry == nullptr) {
          insert(key, value, deadline);
        } else {
          Entry* old = slot.entry;
          bool had = old->has_deadline();
          table_.replace(slot, make(key, value, deadline));
          table_.deadline_changed(slot, had);
          release(old);
        }
        model[key] = value;
      } else if (slot.entry != nullptr) {
        erase(key);
        model.erase(key);
      }
      ASSERT_EQ(table_.size(), model.size());
    }
    table_.check();
    for (const auto& [key, value] : model) ASSERT_EQ(find(key).entry->integer(), value);
  }
  for (const auto& [key, value] : model) erase(key);
  table_.check();
  EXPECT_EQ(ledger_.tables, 0u);
}

TEST_F(TableTest, GrowsInStepsAndStaysLoaded) {
  double least = 1;
  for (int i = 0; i < 200000; ++i) {
    insert("key:" + std::to_string(i), i);
    if (i > 5000 && i % 1000 == 0) {
      least = std::min(least, static_cast<double>(table_.size()) /
                                  static_cast<double>(table_.slot_count()));
    }
  }
  table_.check();
  EXPECT_GT(least, 0.68);
  for (int i = 0; i < 200000; ++i) ASSERT_EQ(find("key:" + std::to_string(i)).entry->integer(), i);
}

TEST_F(TableTest, ComparesFewKeys) {
  fill(100000);
  uint64_t hits = 0, misses = 0;
  for (int i = 0; i < 100000; ++i) {
    hits += find("key:" + std::to_string(i)).compares;
    misses += find("no:" + std::to_string(i)).compares;
  }
  EXPECT_LE(hits, 105000u);
  EXPECT_LE(misses, 10000u);
}

TEST_F(TableTest, ShrinksAfterMassDeletion) {
  fill(100000);
  uint64_t full = ledger_.tables;
  for (int i = 0; i < 100000; ++i) {
    if (i % 50 != 0) erase("key:" + std::to_string(i));
  }
  table_.check();
  EXPECT_LT(ledger_.tables, full / 12);
  for (int i = 0; i < 100000; i += 50) ASSERT_NE(find("key:" + std::to_string(i)).entry, nullptr);
}

TEST_F(TableTest, ChurnDoesNotGrowTheTable) {
  std::mt19937_64 random(3);
  fill(20000);
  uint64_t before = table_.slot_count();
  int next = 20000;
  std::vector<std::string> live;
  for (int i = 0; i < 20000; ++i) live.push_back("key:" + std::to_string(i));
  for (int step = 0; step < 200000; ++step) {
    std::string& victim = live[random() % live.size()];
    erase(victim);
    victim = "key:" + std::to_string(next++);
    insert(victim, 1);
  }
  table_.check();
  EXPECT_LE(table_.slot_count(), before * 13 / 10);
}

// ---- scan --------------------------------------------------------------------------------------

TEST_F(TableTest, ScanVisitsEachOnce) {
  fill(50000);
  std::unordered_set<std::string> seen;
  uint64_t position = 0, steps = 0;
  do {
    uint64_t before = position;
    position = table_.scan(position, [&](Entry& entry) {
      EXPECT_TRUE(seen.insert(std::string(entry.key())).second);
    });
    ASSERT_GT(position, before);
    ++steps;
  } while (position != Table::kScanEnd);
  EXPECT_EQ(seen.size(), 50000u);
  EXPECT_GT(steps, 1000u);
}

TEST_F(TableTest, ScanGoesInOrderOfTheHash) {
  fill(5000);
  uint64_t position = 0, last = 0;
  while (position != Table::kScanEnd) {
    uint64_t least = UINT64_MAX, most = 0;
    uint64_t next = table_.scan(position, [&](Entry& entry) {
      uint64_t at = hash_position(table_.hash_of(entry.key()));
      least = std::min(least, at);
      most = std::max(most, at);
    });
    if (most != 0) {
      EXPECT_GE(least, position);
      EXPECT_LT(most, next);
      EXPECT_GE(least, last);
      last = most;
    }
    position = next;
  }
}

TEST_F(TableTest, ScanHoldsItsPromisesWhileTheTableChanges) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 20; ++round) {
    std::string stay = "stay" + std::to_string(round) + ":";
    int base = static_cast<int>(random() % 3000);
    for (int i = 0; i < base; ++i) insert(stay + std::to_string(i), i);
    std::set<std::string> others;
    std::map<std::string, int> seen;
    uint64_t position = 0;
    int serial = 0;
    bool growing = round % 2 == 0;
    if (!growing) {
      for (int i = 0; i < 20000; ++i) others.insert("other:" + std::to_string(serial++));
      for (const std::string& key : others) insert(key, 0);
    }
    while (position != Table::kScanEnd) {
      position = table_.scan(position, [&](Entry& entry) { ++seen[std::string(entry.key())]; });
      for (int i = 0; i < 30; ++i) {
        if (growing) {
          std::string key = "other:" + std::to_string(serial++);
          insert(key, 0);
          others.insert(key);
        } else if (!others.empty()) {
          erase(*others.begin());
          others.erase(others.begin());
        }
      }
    }
    table_.check();
    for (int i = 0; i < base; ++i) ASSERT_EQ(seen[stay + std::to_string(i)], 1);
    for (const auto& [key, times] : seen) ASSERT_EQ(times, 1) << key;
    for (const std::string& key : others) erase(key);
    for (int i = 0; i < base; ++i) erase(stay + std::to_string(i));
  }
}

// ---- random ------------------------------------------------------------------------------------

TEST_F(TableTest, RandomEntryIsFairEnough) {
  fill(100);
  std::map<std::string, int> times;
  std::mt19937_64 random(5);
  for (int i = 0; i < 100000; ++i) ++times[std::string(table_.random_entry(random())->key())];
  EXPECT_EQ(times.size(), 100u);
  for (const auto& [key, count] : times) {
    EXPECT_GT(count, 700) << key;
    EXPECT_LT(count, 1300) << key;
  }
}

TEST_F(TableTest, SamplesOnlyKeysWithADeadline) {
  fill(10000);
  std::mt19937_64 random(5);
  Entry* out[5];
  EXPECT_EQ(table_.sample(1, out, 5, true), 0u);
  for (int i = 0; i < 20; ++i) insert("ttl:" + std::to_string(i), i, 1000 + i);
  for (int i = 0; i < 1000; ++i) {
    uint32_t found = table_.sample(random(), out, 5, true);
    ASSERT_GT(found, 0u);
    for (uint32_t j = 0; j < found; ++j) ASSERT_TRUE(out[j]->has_deadline());
    ASSERT_EQ(table_.sample(random(), out, 5, false), 5u);
  }
  for (int i = 0; i < 20; ++i) erase("ttl:" + std::to_string(i));
  EXPECT_EQ(table_.sample(1, out, 5, true), 0u);
  table_.check();
}

// ---- deadlines ---------------------------------------------------------------------------------

TEST_F(TableTest, DueEntriesComeInOrder) {
  std::mt19937_64 random(9);
  std::multimap<uint64_t, std::string> model;
  for (int i = 0; i < 20000; ++i) {
    std::string key = "key:" + std::to_string(i);
    int64_t deadline = i % 3 == 0 ? Entry::kNoDeadline : 1 + static_cast<int64_t>(random() % 5000);
    insert(key, i, deadline);
    if (deadline > 0) model.emplace(deadline, key);
  }
  EXPECT_EQ(table_.deadline_count(), model.size());
  Table::Due due[50];
  uint64_t last = 0;
  for (uint64_t now = 100; now <= 6000; now += 100) {
    while (table_.earliest() < now) {
      uint32_t count = table_.collect_due(now, due, 50);
      for (uint32_t i = 0; i < count; ++i) {
        ASSERT_GE(due[i].deadline_ms + Table::kDeadlineSlackMs, last);
        ASSERT_LT(due[i].deadline_ms, now);
        last = std::max(last, due[i].deadline_ms);
        std::string key(due[i].entry->key());
        auto range = model.equal_range(due[i].deadline_ms);
        auto known = std::find_if(range.first, range.second,
                                  [&](const auto& pair) { return pair.second == key; });
        ASSERT_NE(known, range.second);
        model.erase(known);
        erase(key);
      }
    }
    ASSERT_TRUE(model.empty() || model.begin()->first >= now);
    table_.check();
  }
  EXPECT_TRUE(model.empty());
  EXPECT_EQ(table_.deadline_count(), 0u);
  EXPECT_EQ(table_.earliest(), Bucket::kNoDeadline);
}

TEST_F(TableTest, NearestDeadlineIsExact) {
  std::mt19937_64 random(10);
  std::map<uint64_t, std::string> model;
  for (int i = 0; i < 5000; ++i) {
    uint64_t deadline = 1 + random() % 1000000000;
    if (!model.emplace(deadline, "key:" + std::to_string(i)).second) continue;
    insert("key:" + std::to_string(i), i, static_cast<int64_t>(deadline));
  }
  while (!model.empty()) {
    ASSERT_EQ(table_.nearest_deadline()->key(), model.begin()->second);
    // Take away the first, and another one at random, so that bounds become stale.
    erase(model.begin()->second);
    model.erase(model.begin());
    auto other = model.lower_bound(random() % 1000000000);
    if (other == model.end()) continue;
    erase(other->second);
    model.erase(other);
  }
  EXPECT_EQ(table_.nearest_deadline(), nullptr);
}

TEST_F(TableTest, KeysOfAllLengths) {
  std::vector<std::string> keys;
  for (size_t size : {0, 1, 2, 7, 8, 16, 254, 255, 256, 1000, 5000, 70000}) {
    keys.push_back(std::string(size, 'x'));
  }
  for (size_t i = 0; i < keys.size(); ++i) insert(keys[i], static_cast<int64_t>(i));
  for (size_t i = 0; i < keys.size(); ++i) {
    ASSERT_NE(find(keys[i]).entry, nullptr);
    EXPECT_EQ(find(keys[i]).entry->integer(), static_cast<int64_t>(i));
    EXPECT_EQ(find(keys[i]).entry->key(), keys[i]);
  }
  table_.check();
}

}  // namespace
}  // namespace moon::store
