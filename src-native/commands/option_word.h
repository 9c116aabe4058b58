// Option words as numbers, for `switch`: a command with many options recognizes each argument in
// one step instead of comparing it with every word in turn. Any thread; pure functions.
//
//   switch (option_word(ctx.arg(i))) {
//     case option_word("ex"): ...
//     case option_word("keepttl"): ...
//   }
//
// The number is the text itself, lower-cased, first byte lowest. A text longer than eight bytes,
// or empty, is 0, which no word is; the length is in the number because no letter is a zero byte
// (a zero byte of the argument becomes a blank).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/copy.h"

namespace moon::commands {

// The word in the source, in lower-case letters.
consteval uint64_t option_word(const char* word) {
  uint64_t number = 0;
  for (size_t i = 0; word[i] != '\0'; ++i) {
    number |= static_cast<uint64_t>(static_cast<unsigned char>(word[i])) << (8 * i);
  }
  return number;
}

// The argument, in any case. Only a letter becomes a lower-case letter by this bit, so nothing
// else can be taken for a word.
inline uint64_t option_word(std::string_view text) {
  const size_t size = text.size();
  if (size == 0 || size > 8) return 0;
  const char* at = text.data();
  uint64_t number = 0;
  if (size >= 4) {
    // Two halves that overlap in equal bytes.
    number = load_word<uint32_t>(at) |
             static_cast<uint64_t>(load_word<uint32_t>(at + size - 4)) << (8 * (size - 4));
  } else {
    for (size_t i = 0; i < size; ++i) {
      number |= static_cast<uint64_t>(static_cast<unsigned char>(at[i])) << (8 * i);
    }
  }
  return number | (0x2020202020202020ULL >> (8 * (8 - size)));
}

}  // namespace moon::commands
