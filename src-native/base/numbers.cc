#include "base/numbers.h"

#include <clocale>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <system_error>

#include "base/assert.h"
#include "base/lower.h"

namespace moon {

namespace detail {

const char kDigitPairs[201] =
    "00010203040506070809"
    "10111213141516171819"
    "20212223242526272829"
    "30313233343536373839"
    "40414243444546474849"
    "50515253545556575859"
    "60616263646566676869"
    "70717273747576777879"
    "80818283848586878889"
    "90919293949596979899";

}  // namespace detail

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// What isspace() accepts in the C locale.
bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The general reader for texts that from_chars does not take, or takes by other rules: strtod in
// the C locale. newlocale("C") hands out a constant of the C library, it allocates nothing.
template <typename Real>
bool parse_by_strtod(std::string_view text, Real* value) {
  char terminated[kLongDoubleMax];
  if (text.empty() || text.size() >= sizeof(terminated)) return false;
  if (is_blank(text[0])) return false;
  copy_bytes(terminated, text.data(), text.size());
  terminated[text.size()] = '\0';

  static const locale_t c_locale = newlocale(LC_ALL_MASK, "C", nullptr);
  char* end = nullptr;
  errno = 0;
  Real number;
  if constexpr (sizeof(Real) == sizeof(double)) {
    number = strtod_l(terminated, &end, c_locale);
  } else {
    number = strtold_l(terminated, &end, c_locale);
  }
  if (end != terminated + text.size()) return false;
  // Underflow to a denormal is a number; to zero it is a loss.
  if (errno == ERANGE && (std::isinf(number) || number == 0)) return false;
  if (std::isnan(number)) return false;
  *value = number;
  return true;
}

// Cuts zeros behind the point, then the point. "-0" becomes "0".
char* trim_decimals(char* begin, char* end) {
  while (end[-1] == '0') --end;
  if (end[-1] == '.') --end;
  if (end - begin == 2 && begin[0] == '-' && begin[1] == '0') {
    begin[0] = '0';
    --end;
  }
  return end;
}

char* copy_text(char* to, std::string_view text) {
  return copy_bytes(to, text.data(), text.size());
}

}  // namespace

bool parse_uint64(std::string_view text, uint64_t* value) {
  if (text.empty() || text.size() > kIntegerMax) return false;
  if (!is_digit(text[0])) return false;
  if (text[0] == '0') {
    if (text.size() != 1) return false;
    *value = 0;
    return true;
  }
  // 19 digits always fit; only the 20th can overflow.
  const size_t safe = text.size() < 20 ? text.size() : 19;
  uint64_t number = 0;
  for (size_t i = 0; i < safe; ++i) {
    if (!is_digit(text[i])) return false;
    number = number * 10 + static_cast<uint64_t>(text[i] - '0');
  }
  if (safe != text.size()) {
    if (!is_digit(text[safe])) return false;
    const auto last = static_cast<uint64_t>(text[safe] - '0');
    if (number > (UINT64_MAX - last) / 10) return false;
    number = number * 10 + last;
  }
  *value = number;
  return true;
}

bool parse_int64(std::string_view text, int64_t* value) {
  const bool negative = !text.empty() && text[0] == '-';
  uint64_t magnitude;
  if (!parse_uint64(negative ? text.substr(1) : text, &magnitude)) return false;
  if (!negative) {
    if (magnitude > static_cast<uint64_t>(INT64_MAX)) return false;
    *value = static_cast<int64_t>(magnitude);
    return true;
  }
  if (magnitude == 0) return false;
  if (magnitude > static_cast<uint64_t>(INT64_MAX) + 1) return false;
  *value = static_cast<int64_t>(0 - magnitude);
  return true;
}

bool parse_double(std::string_view text, double* value) {
  // Whole numbers that a double holds exactly, then plain decimals; from_chars knows neither '+'
  // nor "0x". Zero goes on: it may be a loss of everything.
  int64_t whole;
  if (text.size() <= 15 && parse_int64(text, &whole)) {
    *value = static_cast<double>(whole);
    return true;
  }
  double number;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  if (result.ec == std::errc() && result.ptr == end && number != 0 && std::isfinite(number)) {
    *value = number;
    return true;
  }
  return parse_by_strtod(text, value);
}

bool parse_long_double(std::string_view text, long double* value) {
  return parse_by_strtod(text, value);
}

bool parse_memory_size(std::string_view text, uint64_t* bytes) {
  size_t digits = 0;
  while (digits < text.size() && is_digit(text[digits])) ++digits;
  const std::string_view unit = text.substr(digits);
  struct Unit {
    std::string_view name;
    uint64_t factor;
  };
  static constexpr Unit kUnits[] = {
      {"", 1},          {"b", 1},         {"k", 1000},           {"kb", 1ULL << 10},
      {"m", 1000000},   {"mb", 1ULL << 20}, {"g", 1000000000ULL}, {"gb", 1ULL << 30},
  };
  uint64_t factor = 0;
  for (const Unit& known : kUnits) {
    if (equals_ignore_case(unit, known.name)) factor = known.factor;
  }
  if (factor == 0 || digits == 0) return false;
  uint64_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + digits, number);
  if (result.ec != std::errc()) return false;
  return !__builtin_mul_overflow(number, factor, bytes);
}

char* format_double(double value, char* to) {
  if (std::isnan(value)) return copy_text(to, "nan");
  if (std::isinf(value)) return copy_text(to, value > 0 ? "inf" : "-inf");
  // Whole numbers below 10^15 look the same in "%.17g" and as an integer; -0 does not.
  if (value > -1e15 && value < 1e15 && value == std::trunc(value)) {
    if (value != 0) return format_int64(static_cast<int64_t>(value), to);
    return copy_text(to, std::signbit(value) ? "-0" : "0");
  }
  const auto result = std::to_chars(to, to + kDoubleMax, value, std::chars_format::general, 17);
  MOON_DASSERT(result.ec == std::errc());
  return result.ptr;
}

char* format_double_shortest(double value, char* to) {
  if (std::isnan(value)) return copy_text(to, "nan");
  const auto result = std::to_chars(to, to + kDoubleMax, value);
  MOON_DASSERT(result.ec == std::errc());
  return result.ptr;
}

char* format_long_double(long double value, char* to) {
  if (std::isnan(value)) return copy_text(to, "nan");
  if (std::isinf(value)) return copy_text(to, value > 0 ? "inf" : "-inf");
  const auto result =
      std::to_chars(to, to + kLongDoubleMax, value, std::chars_format::fixed, 17);
  MOON_ASSERT(result.ec == std::errc());
  return trim_decimals(to, result.ptr);
}

}  // namespace moon
