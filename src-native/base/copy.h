// Copies of short byte runs. Any thread.
//
// memcpy with a length known at run time is a library call; for the few bytes of a key or a reply
// the call costs more than the copy. Never reads or writes outside the two ranges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace moon {

template <typename Word>
inline Word load_word(const void* from) {
  Word word;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

template <typename Word>
inline void store_word(void* to, Word word) {
  std::memcpy(to, &word, sizeof(word));
}

// Two words that overlap cover any length between one and two words.
template <typename Word>
inline void copy_overlapping(char* to, const char* from, size_t size) {
  const Word head = load_word<Word>(from);
  const Word tail = load_word<Word>(from + size - sizeof(Word));
  store_word(to, head);
  store_word(to + size - sizeof(Word), tail);
}

// The ranges do not overlap. Returns the end of the written range.
inline char* copy_bytes(char* to, const char* from, size_t size) {
  if (size > 32) {
    std::memcpy(to, from, size);
  } else if (size >= 16) {
    struct Pair {
      uint64_t low, high;
    };
    copy_overlapping<Pair>(to, from, size);
  } else if (size >= 8) {
    copy_overlapping<uint64_t>(to, from, size);
  } else if (size >= 4) {
    copy_overlapping<uint32_t>(to, from, size);
  } else if (size != 0) {
    to[0] = from[0];
    to[size / 2] = from[size / 2];
    to[size - 1] = from[size - 1];
  }
  return to + size;
}

}  // namespace moon
