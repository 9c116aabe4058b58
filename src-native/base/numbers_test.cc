#include "base/numbers.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace moon {
namespace {

std::string text_of(int64_t value) {
  char buffer[kIntegerMax];
  return {buffer, format_int64(value, buffer)};
}
std::string text_of_unsigned(uint64_t value) {
  char buffer[kIntegerMax];
  return {buffer, format_uint64(value, buffer)};
}
std::string text_of_double(double value) {
  char buffer[kDoubleMax];
  return {buffer, format_double(value, buffer)};
}
std::string text_of_long_double(long double value) {
  static char buffer[kLongDoubleMax];
  return {buffer, format_long_double(value, buffer)};
}

TEST(Numbers, IntegersAreStrict) {
  const char* refused[] = {"",   "-",   "+1",  "01",  "-0",  "-01", " 1", "1 ",  "1.0", "0x1",
                           "1e3", "--1", "9223372036854775808", "-9223372036854775809",
                           "99999999999999999999", "184467440737095516150", "1a", "a"};
  for (const char* text : refused) {
    int64_t value = 77;
    EXPECT_FALSE(parse_int64(text, &value)) << text;
    EXPECT_EQ(value, 77) << text;
  }
  EXPECT_FALSE(parse_int64(std::string_view("1\0", 2), nullptr));
  uint64_t big;
  EXPECT_TRUE(parse_uint64("18446744073709551615", &big));
  EXPECT_EQ(big, UINT64_MAX);
  EXPECT_FALSE(parse_uint64("18446744073709551616", &big));
  EXPECT_FALSE(parse_uint64("28446744073709551615", &big));
  EXPECT_FALSE(parse_uint64("-1", &big));
}

TEST(Numbers, IntegersRoundTrip) {
  std::mt19937_64 random(1);
  std::vector<int64_t> values = {0, 1, -1, 9, 10, 99, 100, INT64_MAX, INT64_MIN, INT64_MIN + 1};
  for (uint64_t power : kPowersOfTen) {
    for (int64_t delta : {-1, 0, 1}) values.push_back(static_cast<int64_t>(power) + delta);
  }
  for (int i = 0; i < 100000; ++i) {
    values.push_back(static_cast<int64_t>(random() >> (random() % 64)));
    values.push_back(-values.back());
  }
  for (int64_t value : values) {
    ASSERT_EQ(text_of(value), std::to_string(value));
    ASSERT_EQ(text_of_unsigned(static_cast<uint64_t>(value)),
              std::to_string(static_cast<uint64_t>(value)));
    int64_t back;
    ASSERT_TRUE(parse_int64(text_of(value), &back));
    ASSERT_EQ(back, value);
  }
}

TEST(Numbers, DigitsOf) {
  for (size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(digits_of(kPowersOfTen[i]), i + 1);
    EXPECT_EQ(digits_of(kPowersOfTen[i] - 1), i == 0 ? 1 : i);
  }
  EXPECT_EQ(digits_of(UINT64_MAX), 20U);
}

// What Redis makes of a text: strtod with its extra conditions.
bool reference_parse(const std::string& text, double* value) {
  if (text.empty() || std::isspace(static_cast<unsigned char>(text[0]))) return false;
  char* end;
  errno = 0;
  *value = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size()) return false;
  if (errno == ERANGE && (std::isinf(*value) || *value == 0)) return false;
  return !std::isnan(*value);
}

TEST(Numbers, DoublesParseAsStrtod) {
  const char* texts[] = {"0",      "-0",    "+1",     "1.",       ".5",      "1e3",   "1E+3",
                         "0x10",   "-0x1p-3", "inf",  "-inf",     "+INF",    "Infinity",
                         "nan",    "-nan",  "nan(1)", "1e400",    "-1e400",  "1e-400", "0e999",
                         "4.9e-324", "1e-310", "2.2250738585072014e-308",    " 1",    "1 ",
                         "1\n",    "",      "-",      "e5",       ".",       "1e",    "1e+",
                         "--1",    "0x",    "1.7976931348623157e308", "1.7976931348623159e308",
                         "infi",   "in",    "1,5",    "00012",    "9007199254740993", "0.1",
                         "123456789012345678901234567890", "0.000"};
  for (const char* text : texts) {
    double expected = 0;
    double value = 0;
    const bool valid = reference_parse(text, &expected);
    ASSERT_EQ(parse_double(text, &value), valid) << text;
    if (valid) {
      EXPECT_EQ(value, expected) << text;
      EXPECT_EQ(std::signbit(value), std::signbit(expected)) << text;
    }
  }
  double value;
  EXPECT_FALSE(parse_double(std::string_view("1\0", 2), &value));
  EXPECT_FALSE(parse_double(std::string(6000, '1'), &value));
}

TEST(Numbers, RandomTextsParseAsStrtod) {
  std::mt19937_64 random(2);
  const std::string letters = "0123456789.-+eExinfa";
  for (int i = 0; i < 300000; ++i) {
    std::string text;
    const size_t size = random() % 9;
    for (size_t k = 0; k < size; ++k) text += letters[random() % letters.size()];
    double expected = 0;
    double value = 0;
    const bool valid = reference_parse(text, &expected);
    ASSERT_EQ(parse_double(text, &value), valid) << text;
    if (valid) {
      ASSERT_EQ(value, expected) << text;
    }
  }
}

TEST(Numbers, DoublesFormatAsPrintf) {
  EXPECT_EQ(text_of_double(0.1), "0.10000000000000001");
  EXPECT_EQ(text_of_double(3), "3");
  EXPECT_EQ(text_of_double(-0.0), "-0");
  EXPECT_EQ(text_of_double(1e20), "1e+20");
  EXPECT_EQ(text_of_double(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(text_of_double(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(text_of_double(std::nan("")), "nan");
  std::mt19937_64 random(3);
  for (int i = 0; i < 200000; ++i) {
    double value;
    const uint64_t bits = random();
    std::memcpy(&value, &bits, sizeof(value));
    if (i % 3 == 0) value = static_cast<double>(static_cast<int64_t>(bits >> (random() % 64)));
    if (i % 3 == 1) value = static_cast<double>(bits % 1000000) / 100;
    if (!std::isfinite(value)) continue;
    char expected[64];
    std::snprintf(expected, sizeof(expected), "%.17g", value);
    ASSERT_EQ(text_of_double(value), expected);
    double back;
    char shortest[kDoubleMax];
    ASSERT_TRUE(parse_double({shortest, static_cast<size_t>(
        format_double_shortest(value, shortest) - shortest)}, &back));
    ASSERT_EQ(back, value);
    ASSERT_TRUE(parse_double(expected, &back));
    ASSERT_EQ(back, value);
  }
}

TEST(Numbers, LongDoublesAreFixedAndTrimmed) {
  EXPECT_EQ(text_of_long_double(3.0L), "3");
  EXPECT_EQ(text_of_long_double(10.5L), "10.5");
  EXPECT_EQ(text_of_long_double(100.0L), "100");
  EXPECT_EQ(text_of_long_double(-0.0L), "0");
  EXPECT_EQ(text_of_long_double(-1e-30L), "0");
  EXPECT_EQ(text_of_long_double(5e20L), "500000000000000000000");
  long double value;
  ASSERT_TRUE(parse_long_double("3.0e3", &value));
  EXPECT_EQ(text_of_long_double(value), "3000");
  ASSERT_TRUE(parse_long_double("0.1", &value));
  EXPECT_EQ(text_of_long_double(value), "0.1");
  ASSERT_TRUE(parse_long_double("inf", &value));
  EXPECT_EQ(text_of_long_double(value), "inf");
  EXPECT_FALSE(parse_long_double("nan", &value));
  EXPECT_FALSE(parse_long_double("", &value));
  EXPECT_FALSE(parse_long_double(" 1", &value));
  EXPECT_FALSE(parse_long_double("1e99999", &value));
  const std::string widest = text_of_long_double(-std::numeric_limits<long double>::max());
  EXPECT_LT(widest.size(), kLongDoubleMax);
}

TEST(Numbers, MemorySizes) {
  const std::pair<const char*, uint64_t> valid[] = {
      {"0", 0},           {"100", 100},        {"1b", 1},          {"1k", 1000},
      {"1KB", 1024},      {"2m", 2000000},     {"2Mb", 2 << 20},   {"1g", 1000000000},
      {"1gb", 1 << 30},   {"007", 7},          {"18446744073709551615", UINT64_MAX}};
  for (const auto& [text, expected] : valid) {
    uint64_t bytes = 0;
    EXPECT_TRUE(parse_memory_size(text, &bytes)) << text;
    EXPECT_EQ(bytes, expected) << text;
  }
  for (const char* text : {"", "k", "-1", "1kk", "1 kb", "1t", "18446744073709551616",
                           "18446744073709551615k", "1.5g"}) {
    uint64_t bytes;
    EXPECT_FALSE(parse_memory_size(text, &bytes)) << text;
  }
}

}  // namespace
}  // namespace moon
