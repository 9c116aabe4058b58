// Ring, list, hash tag, letters, copies and clock: the small headers of base/.
#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/copy.h"
#include "base/hash.h"
#include "base/intrusive_list.h"
#include "base/lower.h"
#include "base/ring.h"

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

struct Item {
  explicit Item(int value_of) : value(value_of) {}
  int value;
  ListHook by_age;
  ListHook by_name;
};
using ByAge = IntrusiveList<Item, &Item::by_age>;
using ByName = IntrusiveList<Item, &Item::by_name>;

std::vector<int> values_of(ByAge& list) {
  std::vector<int> values;
  for (Item* item = list.front(); item != nullptr; item = list.next(*item)) {
    values.push_back(item->value);
  }
  return values;
}

TEST(IntrusiveList, LinksAndUnlinks) {
  Item a(1);
  Item b(2);
  Item c(3);
  ByAge list;
  ByName other;
  EXPECT_EQ(list.front(), nullptr);
  list.push_back(b);
  list.push_back(c);
  list.push_front(a);
  other.push_back(b);
  EXPECT_EQ(values_of(list), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(list.back(), &c);
  EXPECT_EQ(list.previous(b), &a);
  list.move_to_back(a);
  EXPECT_EQ(values_of(list), (std::vector<int>{2, 3, 1}));
  list.remove(c);
  EXPECT_FALSE(ByAge::linked(c));
  list.insert_before(a, c);
  EXPECT_EQ(values_of(list), (std::vector<int>{2, 3, 1}));
  EXPECT_EQ(list.size(), 3U);
  ByAge more;
  more.splice_back(list);
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(values_of(more), (std::vector<int>{2, 3, 1}));
  EXPECT_EQ(more.pop_front(), &b);
  EXPECT_EQ(more.pop_back(), &a);
  EXPECT_EQ(more.pop_back(), &c);
  EXPECT_EQ(more.pop_back(), nullptr);
  EXPECT_EQ(other.pop_back(), &b);
}

TEST(Hash, TagRules) {
  const std::pair<const char*, const char*> cases[] = {
      {"abc", "abc"},         {"{user1}.a", "user1"}, {"a{b}c{d}", "b"}, {"{}x", "{}x"},
      {"x{", "x{"},           {"x}{y", "x}{y"},       {"{{a}}", "{a"},   {"", ""},
      {"foo{}{bar}", "foo{}{bar}"}};
  for (const auto& [key, tag] : cases) EXPECT_EQ(hash_tag(key), tag) << key;
}

TEST(Hash, SeedMatters) {
  for (size_t size : {0, 1, 3, 8, 16, 17, 128, 200, 240, 241, 1000}) {
    const std::string key(size, 'k');
    EXPECT_EQ(hash_bytes(key, 1), hash_bytes(key, 1));
    EXPECT_NE(hash_bytes(key, 1), hash_bytes(key, 2)) << size;
  }
}

TEST(Lower, EveryByte) {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const char expected = byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + 32) : c;
    for (size_t size : {1, 7, 8, 9, 16}) {
      std::string text(size, c);
      const std::string upper = text;
      lower_into(text.data(), text);
      EXPECT_EQ(text, std::string(size, expected)) << byte;
      EXPECT_TRUE(equals_ignore_case(upper, text));
    }
    EXPECT_EQ(to_lower(to_upper(c)), to_lower(c));
  }
  EXPECT_FALSE(equals_ignore_case("abcdefgh1", "abcdefgh2"));
  EXPECT_FALSE(equals_ignore_case("@bcdefgh", "`bcdefgh"));
  EXPECT_FALSE(equals_ignore_case("[", "{"));
  EXPECT_FALSE(equals_ignore_case("ab", "abc"));
  EXPECT_TRUE(starts_with_ignore_case("KeepTTL", "keep"));
  EXPECT_FALSE(starts_with_ignore_case("ke", "keep"));
}

TEST(Copy, EveryLength) {
  for (size_t size = 0; size <= 100; ++size) {
    // Exact allocations, so that the sanitizer sees a byte too many.
    const auto from = std::make_unique<char[]>(size);
    const auto to = std::make_unique<char[]>(size);
    for (size_t i = 0; i < size; ++i) from[i] = static_cast<char>('a' + i % 26);
    EXPECT_EQ(copy_bytes(to.get(), from.get(), size), to.get() + size);
    EXPECT_TRUE(std::equal(from.get(), from.get() + size, to.get()));
  }
}

TEST(Clock, TicksMeasure) {
  const TickScale scale = TickScale::measure();
  const uint64_t tick_start = ticks();
  const uint64_t start = mono_ns();
  while (mono_ns() - start < 5000000) {
  }
  const uint64_t by_clock = mono_ns() - start;
  const uint64_t by_ticks = scale.to_ns(ticks() - tick_start);
  EXPECT_NEAR(static_cast<double>(by_ticks), static_cast<double>(by_clock), 0.1 * 5000000);
  EXPECT_NEAR(static_cast<double>(scale.to_ns(scale.from_ns(1000000))), 1e6, 100);
  EXPECT_GT(wall_ms(), 1600000000000);
  EXPECT_LE(wall_ms(), wall_us() / 1000 + 1);
}

}  // namespace
}  // namespace moon
