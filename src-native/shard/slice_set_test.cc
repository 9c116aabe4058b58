#include "shard/slice_set.h"

#include <gtest/gtest.h>

#include <vector>

namespace moon::shard {
namespace {

std::vector<uint32_t> members(const SliceSet& set) {
  std::vector<uint32_t> all;
  for (uint32_t s = set.first(); s != SliceSet::kEnd; s = set.next(s + 1)) all.push_back(s);
  return all;
}

TEST(SliceSet, WalksInAscendingOrderWithoutDuplicates) {
  SliceSet set;
  for (uint32_t slice : {511u, 3u, 64u, 3u, 0u, 63u}) set.add(slice);
  EXPECT_EQ(members(set), (std::vector<uint32_t>{0, 3, 63, 64, 511}));
  EXPECT_EQ(set.size(), 5u);
  EXPECT_TRUE(set.contains(511));
  EXPECT_FALSE(set.contains(510));
}

TEST(SliceSet, EmptyAndAllAndMerge) {
  SliceSet set;
  EXPECT_TRUE(set.empty());
  EXPECT_EQ(set.next(0), SliceSet::kEnd);
  set.add_all(5);
  SliceSet other;
  other.add(7);
  set.merge(other);
  EXPECT_EQ(members(set), (std::vector<uint32_t>{0, 1, 2, 3, 4, 7}));
  EXPECT_EQ(set.next(512), SliceSet::kEnd);
}

}  // namespace
}  // namespace moon::shard
