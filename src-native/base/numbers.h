// Text <-> numbers, by Redis's rules. Any thread; no allocation; locale independent.
//
// Texts are byte ranges without a terminator. A parser returns false and leaves *value alone when
// the text is not exactly one number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/copy.h"

namespace moon {

// Decimal, optional '-', no '+', no leading zeros, no blanks: a text that parses is the text that
// format_int64 would write, so a value can be stored as an integer and read back byte by byte.
bool parse_int64(std::string_view text, int64_t* value);
// As parse_int64, for 0 .. 2^64-1.
bool parse_uint64(std::string_view text, uint64_t* value);

// What strtod accepts (decimal, exponent, hexadecimal, inf, infinity, '+'), without blanks before
// or after, without NaN; overflow, and underflow to zero, are refused.
bool parse_double(std::string_view text, double* value);
bool parse_long_double(std::string_view text, long double* value);

// "100", "1k" = 1000, "1kb" = 1024, also m, mb, g, gb, b; any case. Overflow is refused.
bool parse_memory_size(std::string_view text, uint64_t* bytes);

// Room for any 64-bit integer with its sign.
inline constexpr size_t kIntegerMax = 20;
// Room for a double in any of the forms below.
inline constexpr size_t kDoubleMax = 32;
// Room for a long double in fixed notation: 4933 digits, sign, point, 17 decimals.
inline constexpr size_t kLongDoubleMax = 5 * 1024;

// Powers of ten, for counting digits.
inline constexpr uint64_t kPowersOfTen[20] = {
    1ULL,
    10ULL,
    100ULL,
    1000ULL,
    10000ULL,
    100000ULL,
    1000000ULL,
    10000000ULL,
    100000000ULL,
    1000000000ULL,
    10000000000ULL,
    100000000000ULL,
    1000000000000ULL,
    10000000000000ULL,
    100000000000000ULL,
    1000000000000000ULL,
    10000000000000000ULL,
    100000000000000000ULL,
    1000000000000000000ULL,
    10000000000000000000ULL,
};

inline size_t digits_of(uint64_t value) {
  // log10 from log2: 1233 / 4096 is just above log10(2).
  const unsigned bits = 64U - static_cast<unsigned>(__builtin_clzll(value | 1));
  const unsigned guess = (bits * 1233U) >> 12;
  return guess + (value >= kPowersOfTen[guess] || value == 0 ? 1 : 0);
}

namespace detail {
// "00" "01" ... "99"
extern const char kDigitPairs[201];
}  // namespace detail

// Write at `to` (room for kIntegerMax bytes), return the end of the text.
inline char* format_uint64(uint64_t value, char* to) {
  if (value < 10) {
    *to = static_cast<char>('0' + value);
    return to + 1;
  }
  char* const end = to + digits_of(value);
  char* at = end;
  while (value >= 100) {
    at -= 2;
    std::memcpy(at, detail::kDigitPairs + 2 * (value % 100), 2);
    value /= 100;
  }
  if (value >= 10) {
    std::memcpy(at - 2, detail::kDigitPairs + 2 * value, 2);
  } else {
    at[-1] = static_cast<char>('0' + value);
  }
  return end;
}

inline char* format_int64(int64_t value, char* to) {
  if (value >= 0) return format_uint64(static_cast<uint64_t>(value), to);
  *to = '-';
  return format_uint64(0 - static_cast<uint64_t>(value), to + 1);
}

// Redis 7.0's reply form of a double, printf's "%.17g": 0.1 is "0.10000000000000001". Infinity is
// "inf" or "-inf", NaN is "nan". `to` has room for kDoubleMax bytes.
char* format_double(double value, char* to);
// The shortest text that reads back as the same double: 0.1 is "0.1".
char* format_double_shortest(double value, char* to);
// What INCRBYFLOAT stores: "%.17Lf" without trailing zeros, never "-0". `to` has room for
// kLongDoubleMax bytes.
char* format_long_double(long double value, char* to);

}  // namespace moon
