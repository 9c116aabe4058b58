#include "types/bits.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

namespace moon::types {
namespace {

// Each test compares with a loop over single bits. Inputs are copied into blocks of exactly their
// size, at odd addresses too, so that AddressSanitizer sees a read or write outside.
struct Exact {
  explicit Exact(std::string_view content, size_t skew = 0)
      : size(content.size()), skew(skew), block(new char[content.size() + skew]) {
    std::copy(content.begin(), content.end(), data());
  }
  char* data() const { return block.get() + skew; }
  std::string_view view() const { return {data(), size}; }

  size_t size;
  size_t skew;
  std::unique_ptr<char[]> block;
};

using Random = std::mt19937_64;

uint64_t below(Random& random, uint64_t limit) { return random() % limit; }

// Mostly runs of equal bytes: that is where word-wise code takes its fast way.
std::string random_bytes(Random& random, size_t size) {
  std::string bytes;
  while (bytes.size() < size) {
    const uint64_t kind = below(random, 4);
    const size_t run = 1 + below(random, 70);
    for (size_t i = 0; i < run; ++i) {
      bytes.push_back(static_cast<char>(kind == 0 ? 0 : kind == 1 ? 0xff : random()));
    }
  }
  bytes.resize(size);
  return bytes;
}

bool naive_bit(std::string_view bytes, uint64_t bit) {
  if (bit / 8 >= bytes.size()) return false;
  return (static_cast<unsigned char>(bytes[bit / 8]) & (128 >> (bit % 8))) != 0;
}

TEST(Bits, GetAndSetOneBit) {
  Random random(1);
  for (int round = 0; round < 500; ++round) {
    const std::string before = random_bytes(random, 1 + below(random, 40));
    Exact bytes(before);
    const uint64_t bit = below(random, bytes.size * 8);
    const bool on = below(random, 2) == 1;
    set_bit(bytes.data(), bit, on);
    for (uint64_t i = 0; i < bytes.size * 8; ++i) {
      ASSERT_EQ(get_bit(bytes.view(), i), i == bit ? on : naive_bit(before, i));
    }
    EXPECT_FALSE(get_bit(bytes.view(), bytes.size * 8));
    EXPECT_FALSE(get_bit(bytes.view(), UINT64_MAX));
  }
}

TEST(Bits, CountWhole) {
  Random random(2);
  EXPECT_EQ(count_bits(std::string_view{}), 0U);
  for (size_t size = 1; size < 200; ++size) {
    Exact bytes(random_bytes(random, size), size % 9);
    uint64_t expected = 0;
    for (uint64_t i = 0; i < size * 8; ++i) expected += naive_bit(bytes.view(), i) ? 1 : 0;
    ASSERT_EQ(count_bits(bytes.view()), expected) << size;
  }
}

TEST(Bits, CountRange) {
  Random random(3);
  for (int round = 0; round < 3000; ++round) {
    Exact bytes(random_bytes(random, 1 + below(random, 100)), below(random, 9));
    const uint64_t first = below(random, bytes.size * 8);
    const uint64_t last = first + below(random, bytes.size * 8 - first);
    uint64_t expected = 0;
    for (uint64_t i = first; i <= last; ++i) expected += naive_bit(bytes.view(), i) ? 1 : 0;
    ASSERT_EQ(count_bits(bytes.view(), first, last), expected) << first << ".." << last;
  }
}

int64_t naive_find(std::string_view bytes, uint64_t first, uint64_t last, bool value) {
  for (uint64_t i = first; i <= last; ++i) {
    if (naive_bit(bytes, i) == value) return static_cast<int64_t>(i);
  }
  return kNoBit;
}

TEST(Bits, FindInRandomBytes) {
  Random random(4);
  for (int round = 0; round < 3000; ++round) {
    Exact bytes(random_bytes(random, 1 + below(random, 200)), below(random, 9));
    const uint64_t first = below(random, bytes.size * 8);
    const uint64_t last = first + below(random, bytes.size * 8 - first);
    for (const bool value : {false, true}) {
      ASSERT_EQ(find_bit(bytes.view(), first, last, value),
                naive_find(bytes.view(), first, last, value));
    }
  }
}

// One bit that differs, at every place of a uniform string.
TEST(Bits, FindTheOnlyOne) {
  for (const bool value : {false, true}) {
    const std::string uniform(79, value ? '\0' : '\xff');
    const uint64_t end = uniform.size() * 8;
    EXPECT_EQ(find_bit(uniform, 0, end - 1, value), kNoBit);
    for (uint64_t bit = 0; bit < end; ++bit) {
      Exact bytes(uniform, 1);
      set_bit(bytes.data(), bit, value);
      ASSERT_EQ(find_bit(bytes.view(), 0, end - 1, value), static_cast<int64_t>(bit));
      ASSERT_EQ(find_bit(bytes.view(), bit, bit, value), static_cast<int64_t>(bit));
      if (bit > 0) {
        ASSERT_EQ(find_bit(bytes.view(), 0, bit - 1, value), kNoBit);
      }
      if (bit + 1 < end) {
        ASSERT_EQ(find_bit(bytes.view(), bit + 1, end - 1, value), kNoBit);
      }
    }
  }
}

bool naive_combined(BitOp op, std::span<const std::string_view> sources, uint64_t bit) {
  bool result = naive_bit(sources[0], bit);
  if (op == BitOp::kNot) return !result;
  for (const std::string_view source : sources.subspan(1)) {
    const bool other = naive_bit(source, bit);
    result = op == BitOp::kAnd ? result && other
             : op == BitOp::kOr ? result || other
                                : result != other;
  }
  return result;
}

void check_combined(BitOp op, std::span<const std::string_view> sources, size_t skew) {
  size_t size = 0;
  for (const std::string_view source : sources) size = std::max(size, source.size());
  Exact to(std::string(size, '\x5a'), skew);
  combine_bits(op, sources, to.data(), size);
  for (uint64_t bit = 0; bit < size * 8; ++bit) {
    ASSERT_EQ(get_bit(to.view(), bit), naive_combined(op, sources, bit)) << bit;
  }
}

TEST(Bits, Combine) {
  Random random(5);
  for (int round = 0; round < 400; ++round) {
    std::vector<Exact> blocks;
    std::vector<std::string_view> sources;
    const size_t count = 1 + below(random, 5);
    const size_t size_max = round % 40 == 0 ? 10000 : 150;
    for (size_t i = 0; i < count; ++i) {
      blocks.emplace_back(random_bytes(random, below(random, size_max)), below(random, 9));
    }
    for (const Exact& block : blocks) sources.push_back(block.view());
    for (const BitOp op : {BitOp::kAnd, BitOp::kOr, BitOp::kXor}) {
      check_combined(op, sources, below(random, 9));
    }
    check_combined(BitOp::kNot, std::span(sources).first(1), below(random, 9));
  }
}

TEST(Bits, CombineMissingSources) {
  const std::string_view sources[] = {{}, "abc", {}};
  check_combined(BitOp::kAnd, sources, 0);
  check_combined(BitOp::kOr, sources, 0);
  check_combined(BitOp::kXor, sources, 0);
}

TEST(Bitfield, GetAndSetAtEveryOffset) {
  Random random(6);
  for (unsigned bits = 1; bits <= 64; ++bits) {
    for (uint64_t offset = 0; offset < 100; ++offset) {
      const std::string before = random_bytes(random, (offset + bits + 7) / 8);
      Exact bytes(before, offset % 3);
      uint64_t expected = 0;
      for (unsigned i = 0; i < bits; ++i) {
        expected = expected << 1 | (naive_bit(before, offset + i) ? 1 : 0);
      }
      ASSERT_EQ(get_field(bytes.view(), offset, bits), expected) << bits << "@" << offset;

      const uint64_t value = random();
      set_field(bytes.data(), bytes.size, offset, bits, value);
      for (uint64_t i = 0; i < bytes.size * 8; ++i) {
        const bool inside = i >= offset && i < offset + bits;
        const bool expected_bit =
            inside ? (value >> (offset + bits - 1 - i) & 1) != 0 : naive_bit(before, i);
        ASSERT_EQ(get_bit(bytes.view(), i), expected_bit) << bits << "@" << offset;
      }
    }
  }
}

TEST(Bitfield, ReadsZerosBeyondTheEnd) {
  Exact bytes("\xff\xff");
  EXPECT_EQ(get_field(bytes.view(), 12, 8), 0xf0U);
  EXPECT_EQ(get_field(bytes.view(), 16, 8), 0U);
  EXPECT_EQ(get_field(bytes.view(), 8, 64), 0xff00000000000000U);
  EXPECT_EQ(get_field(bytes.view(), uint64_t{1} << 40, 63), 0U);
  EXPECT_EQ(get_field({}, 0, 1), 0U);
}

TEST(Bitfield, ValueOfRawBits) {
  EXPECT_EQ(field_value({true, 8}, 0xff), -1);
  EXPECT_EQ(field_value({true, 8}, 0x7f), 127);
  EXPECT_EQ(field_value({true, 1}, 1), -1);
  EXPECT_EQ(field_value({true, 64}, uint64_t{1} << 63), INT64_MIN);
  EXPECT_EQ(field_value({false, 8}, 0xff), 255);
  EXPECT_EQ(field_value({false, 63}, INT64_MAX), INT64_MAX);
}

// Small types have few values: all sums, against plain integers.
TEST(Bitfield, AddAllSmallSums) {
  for (const bool is_signed : {false, true}) {
    for (uint8_t bits = 1; bits <= 5; ++bits) {
      const FieldType type{is_signed, bits};
      const int64_t values = int64_t{1} << bits;
      const int64_t min = is_signed ? -values / 2 : 0;
      const int64_t max = min + values - 1;
      for (int64_t old = min; old <= max; ++old) {
        for (int64_t increment = -70; increment <= 70; ++increment) {
          const uint64_t raw = static_cast<uint64_t>(old) & static_cast<uint64_t>(values - 1);
          const int64_t sum = old + increment;
          const bool fits = sum >= min && sum <= max;
          uint64_t result = 0;
          ASSERT_EQ(add_to_field(type, raw, increment, Overflow::kFail, &result), fits);
          if (fits) {
            ASSERT_EQ(field_value(type, result), sum);
          }
          ASSERT_TRUE(add_to_field(type, raw, increment, Overflow::kSaturate, &result));
          ASSERT_EQ(field_value(type, result), std::clamp(sum, min, max));
          ASSERT_TRUE(add_to_field(type, raw, increment, Overflow::kWrap, &result));
          ASSERT_EQ((field_value(type, result) - sum) % values, 0);
          ASSERT_TRUE(field_value(type, result) >= min && field_value(type, result) <= max);
        }
      }
    }
  }
}

TEST(Bitfield, WidestTypes) {
  uint64_t result = 0;
  EXPECT_FALSE(add_to_field({true, 64}, INT64_MAX, 1, Overflow::kFail, &result));
  EXPECT_TRUE(add_to_field({true, 64}, INT64_MAX, 1, Overflow::kWrap, &result));
  EXPECT_EQ(static_cast<int64_t>(result), INT64_MIN);
  EXPECT_TRUE(add_to_field({true, 64}, uint64_t{1} << 63, INT64_MIN, Overflow::kSaturate, &result));
  EXPECT_EQ(static_cast<int64_t>(result), INT64_MIN);
  EXPECT_TRUE(add_to_field({false, 63}, INT64_MAX, INT64_MAX, Overflow::kSaturate, &result));
  EXPECT_EQ(result, static_cast<uint64_t>(INT64_MAX));
  EXPECT_TRUE(add_to_field({false, 63}, 0, -1, Overflow::kWrap, &result));
  EXPECT_EQ(result, static_cast<uint64_t>(INT64_MAX));
}

TEST(Bitfield, SetNegativeIntoUnsigned) {
  uint64_t result = 0;
  EXPECT_TRUE(fit_field({false, 8}, -1, Overflow::kSaturate, &result));
  EXPECT_EQ(result, 255U);
  EXPECT_TRUE(fit_field({false, 8}, -2, Overflow::kWrap, &result));
  EXPECT_EQ(result, 254U);
  EXPECT_FALSE(fit_field({false, 8}, -1, Overflow::kFail, &result));
  EXPECT_TRUE(fit_field({true, 8}, -200, Overflow::kSaturate, &result));
  EXPECT_EQ(field_value({true, 8}, result), -128);
}

}  // namespace
}  // namespace moon::types
