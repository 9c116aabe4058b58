// The four uses of a key's hash take disjoint bits, and together all of them.
#include <gtest/gtest.h>

#include "store/bucket.h"
#include "store/key.h"
#include "store/keyspace.h"
#include "store/segment.h"
#include "store/table.h"
#include "store/test_world.h"

namespace moon::store {
namespace {

TEST(HashBits, UsesAreDisjoint) {
  for (int bit = 0; bit < 64; ++bit) {
    uint64_t hash = uint64_t{1} << bit;
    int uses = (hash_position(hash) != 0) + (hash_ref_tag(hash) != 0) +
               (hash_fingerprint(hash) != 0) + (hash_slice_bits(hash) != 0);
    EXPECT_EQ(uses, 1) << "bit " << bit;
  }
}

TEST(HashBits, DirectoryAndHomeStayInThePosition) {
  // The deepest segment still takes its 16 home bits from the position.
  EXPECT_LE(DirectoryPool::kMaxDepth + 16, static_cast<uint32_t>(kPositionBits));
}

TEST(HashBits, HomeIsMonotonicAndCoversAllBuckets) {
  for (const SegmentStep& step : kSegmentSteps) {
    for (uint32_t depth : {0u, 1u, 7u, 21u}) {
      uint32_t last = 0;
      std::vector<bool> hit(step.homes);
      for (uint64_t bits = 0; bits < 65536; ++bits) {
        uint32_t home = Segment::home_index(bits << (48 - depth), depth, step.homes);
        ASSERT_GE(home, last);
        ASSERT_LT(home, step.homes);
        hit[home] = true;
        last = home;
      }
      EXPECT_EQ(std::count(hit.begin(), hit.end(), true), step.homes);
    }
  }
}

TEST(HashBits, TagDecidesTheSliceAndNothingElse) {
  World world(64);
  KeyRef plain = world.key("user:1");
  KeyRef tagged = world.key("{user:1}:name");
  EXPECT_EQ(plain.slice, tagged.slice);
  EXPECT_NE(hash_position(plain.hash), hash_position(tagged.hash));
  EXPECT_EQ(hash_position(tagged.hash), hash_position(hash_bytes("{user:1}:name", 42)));
  EXPECT_NE(world.key("{}x").hash, world.key("{}y").hash);
  world.set("{user:1}:name", "v");
  EXPECT_EQ(world.get("{user:1}:name"), "v");
}

TEST(HashBits, SlicesGetEqualShares) {
  World world(48);
  std::vector<int> share(48);
  for (int i = 0; i < 48000; ++i) ++share[world.key("key:" + std::to_string(i)).slice];
  for (int count : share) {
    EXPECT_GT(count, 850);
    EXPECT_LT(count, 1150);
  }
}

}  // namespace
}  // namespace moon::store
