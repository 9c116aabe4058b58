// The slab allocator against a model: blocks do not overlap, keep their content, memory returns.
// (Under sanitizers blocks come from malloc: then it is malloc that is tested, for overruns.)
#include "base/slab.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

namespace moon {
namespace {

TEST(Slab, ClassesAreTight) {
  for (size_t size = 1; size <= 1024; ++size) {
    EXPECT_EQ(Slab::charged(size), (size + 7) / 8 * 8);
    EXPECT_EQ(Slab::usable(size), Slab::charged(size));
  }
  size_t last = 1024;
  for (size_t size = 1025; size <= Slab::kLargestClass; ++size) {
    size_t charged = Slab::charged(size);
    EXPECT_GE(charged, size);
    EXPECT_GE(charged, last);
    EXPECT_EQ(charged % 8, 0u);
    EXPECT_EQ(Slab::charged(charged), charged) << "a class is a size of its own";
    EXPECT_LE(charged - size, size / 15);
    last = charged;
  }
  EXPECT_EQ(Slab::charged(Slab::kLargestClass), Slab::kLargestClass);
  EXPECT_GE(Slab::usable(5000), 5000u);
}

TEST(Slab, BlocksKeepTheirContent) {
  RegionSource regions;
  {
    Slab slab(regions);
    std::mt19937_64 random(1);
    struct Block {
      char* at;
      size_t size;
      char fill;
    };
    std::vector<Block> blocks;
    auto check = [](const Block& block) {
      for (size_t i = 0; i < block.size; ++i) ASSERT_EQ(block.at[i], block.fill);
    };
    for (int step = 0; step < 100000; ++step) {
      bool grow = step / 20000 % 2 == 0;
      if (random() % 100 < (grow ? 70 : 30) || blocks.empty()) {
        size_t size = 1 + random() % (random() % 10 == 0 ? 6000 : 200);
        auto* at = static_cast<char*>(slab.allocate(size));
        ASSERT_NE(at, nullptr);
        ASSERT_EQ(reinterpret_cast<uintptr_t>(at) % 8, 0u);
        char fill = static_cast<char>(random());
        std::memset(at, fill, size);
        blocks.push_back({at, size, fill});
      } else {
        size_t index = random() % blocks.size();
        check(blocks[index]);
        slab.free(blocks[index].at, blocks[index].size);
        blocks[index] = blocks.back();
        blocks.pop_back();
      }
    }
    for (const Block& block : blocks) {
      check(block);
      slab.free(block.at, block.size);
    }
    EXPECT_EQ(slab.pages_bytes(), 0u);
  }
  EXPECT_EQ(regions.taken(), 0u);
}

#ifndef MOON_SLAB_MALLOC
TEST(Slab, FewBlocksOfManySizesStaySmall) {
  RegionSource regions;
  Slab slab(regions);
  std::vector<std::pair<void*, size_t>> blocks;
  for (size_t size = 8; size <= 1024; size += 8) blocks.emplace_back(slab.allocate(size), size);
  EXPECT_LE(slab.pages_bytes(), 128u * 6000);
  for (auto [at, size] : blocks) slab.free(at, size);
  EXPECT_EQ(slab.pages_bytes(), 0u);
}

TEST(Slab, FullClassWastesLittle) {
  RegionSource regions;
  Slab slab(regions);
  for (size_t size : {40, 64, 96, 288, 1000, 1058, 2000, 4000}) {
    size_t before = slab.pages_bytes();
    std::vector<void*> blocks;
    for (int i = 0; i < 20000; ++i) blocks.push_back(slab.allocate(size));
    // One page that is not full yet, and the rests of the others.
    size_t needed = 20000 * Slab::charged(size);
    EXPECT_LT(slab.pages_bytes() - before, needed + needed / 50 + RegionSource::kRegionSize)
        << size;
    for (void* at : blocks) slab.free(at, size);
  }
}
#endif

TEST(RegionSource, RegionsAreAlignedAndComeBack) {
  RegionSource regions;
  std::vector<void*> taken;
  for (int i = 0; i < 300; ++i) {
    void* region = regions.take();
    ASSERT_NE(region, nullptr);
    ASSERT_EQ(reinterpret_cast<uintptr_t>(region) % RegionSource::kRegionSize, 0u);
    std::memset(region, 1, RegionSource::kRegionSize);
    taken.push_back(region);
  }
  std::sort(taken.begin(), taken.end());
  EXPECT_EQ(std::unique(taken.begin(), taken.end()), taken.end());
  std::mt19937_64 random(2);
  std::shuffle(taken.begin(), taken.end(), random);
  for (int i = 0; i < 150; ++i) {
    regions.give(taken.back());
    taken.pop_back();
  }
  for (int i = 0; i < 50; ++i) taken.push_back(regions.take());
  EXPECT_EQ(regions.taken(), 200u);
  for (void* region : taken) regions.give(region);
  EXPECT_EQ(regions.taken(), 0u);
  EXPECT_TRUE(regions.has_excess());
  while (regions.has_excess()) regions.trim(16);
  EXPECT_LE(regions.spare(), 2u);
}

}  // namespace
}  // namespace moon
