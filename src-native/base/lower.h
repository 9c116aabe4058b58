// ASCII letters without regard to case. Any thread. Locale independent; other bytes are compared
// as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/copy.h"

namespace moon {

inline constexpr char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}
inline constexpr char to_upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c & ~0x20) : c;
}

// Lower-cases the eight ASCII bytes of a word at once; bytes >= 0x80 stay.
inline constexpr uint64_t lower_word(uint64_t word) {
  constexpr uint64_t kOnes = 0x0101010101010101ULL;
  constexpr uint64_t kHigh = 0x8080808080808080ULL;
  const uint64_t low7 = word & ~kHigh;
  const uint64_t from_a = low7 + (0x80 - 'A') * kOnes;      // high bit: byte >= 'A'
  const uint64_t above_z = low7 + (0x80 - 'Z' - 1) * kOnes;  // high bit: byte > 'Z'
  const uint64_t upper = from_a & ~above_z & ~word & kHigh;
  return word | (upper >> 2);
}

// Writes text in lower case at `to`, which may be text.data() itself.
inline void lower_into(char* to, std::string_view text) {
  size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    store_word(to + i, lower_word(load_word<uint64_t>(text.data() + i)));
  }
  for (; i < text.size(); ++i) to[i] = to_lower(text[i]);
}

inline bool equals_ignore_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  size_t i = 0;
  for (; i + 8 <= a.size(); i += 8) {
    const uint64_t left = load_word<uint64_t>(a.data() + i);
    const uint64_t right = load_word<uint64_t>(b.data() + i);
    if (left != right && lower_word(left) != lower_word(right)) return false;
  }
  for (; i < a.size(); ++i) {
    if (to_lower(a[i]) != to_lower(b[i])) return false;
  }
  return true;
}

inline bool starts_with_ignore_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         equals_ignore_case(text.substr(0, prefix.size()), prefix);
}

}  // namespace moon
