#include "types/bits.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/assert.h"
#include "base/copy.h"

namespace moon::types {
namespace {

using Wide = __int128;
using WideBits = unsigned __int128;

// ---- counting ----------------------------------------------------------------------------------

// The population of `words` words; four sums that do not wait for one another.
template <typename Count>
[[gnu::always_inline]] inline uint64_t sum_words(const char* at, size_t words, Count count) {
  uint64_t sums[4] = {};
  for (; words >= 4; words -= 4, at += 32) {
    sums[0] += count(load_word<uint64_t>(at));
    sums[1] += count(load_word<uint64_t>(at + 8));
    sums[2] += count(load_word<uint64_t>(at + 16));
    sums[3] += count(load_word<uint64_t>(at + 24));
  }
  for (; words != 0; --words, at += 8) sums[0] += count(load_word<uint64_t>(at));
  return sums[0] + sums[1] + sums[2] + sums[3];
}

struct InstructionCount {
  [[gnu::always_inline]] inline uint64_t operator()(uint64_t word) const {
    return static_cast<uint64_t>(__builtin_popcountll(word));
  }
};

#if defined(__x86_64__)
// The oldest x86-64 has no instruction for it; the compiler would call a library function there.
struct ArithmeticCount {
  [[gnu::always_inline]] inline uint64_t operator()(uint64_t word) const {
    word -= (word >> 1) & 0x5555555555555555ULL;
    word = (word & 0x3333333333333333ULL) + ((word >> 2) & 0x3333333333333333ULL);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
    return (word * 0x0101010101010101ULL) >> 56;
  }
};

[[gnu::target("popcnt")]] uint64_t count_words_by_instruction(const char* at, size_t words) {
  return sum_words(at, words, InstructionCount{});
}

uint64_t count_words(const char* at, size_t words) {
  if (__builtin_cpu_supports("popcnt")) return count_words_by_instruction(at, words);
  return sum_words(at, words, ArithmeticCount{});
}
#else
uint64_t count_words(const char* at, size_t words) {
  return sum_words(at, words, InstructionCount{});
}
#endif

// ---- searching ---------------------------------------------------------------------------------

unsigned byte_at(std::string_view bytes, uint64_t index) {
  return static_cast<uint8_t>(bytes[index]);
}

// The first byte of the string becomes the most significant.
uint64_t load_big_endian(const char* from) {
  return __builtin_bswap64(load_word<uint64_t>(from));
}

// ---- combining ---------------------------------------------------------------------------------

// Sources are combined piece by piece, so that the result stays in the first-level cache.
constexpr size_t kPiece = 4096;

template <typename Op>
[[gnu::always_inline]] inline void combine_into(char* to, const char* from, size_t size, Op op) {
  size_t i = 0;
  for (; i + 32 <= size; i += 32) {
    uint64_t left[4];
    uint64_t right[4];
    std::memcpy(left, to + i, 32);
    std::memcpy(right, from + i, 32);
    for (int k = 0; k < 4; ++k) left[k] = op(left[k], right[k]);
    std::memcpy(to + i, left, 32);
  }
  for (; i + 8 <= size; i += 8) {
    store_word(to + i, op(load_word<uint64_t>(to + i), load_word<uint64_t>(from + i)));
  }
  for (; i < size; ++i) {
    const uint64_t left = static_cast<uint8_t>(to[i]);
    const uint64_t right = static_cast<uint8_t>(from[i]);
    to[i] = static_cast<char>(op(left, right));
  }
}

void combine_piece(BitOp op, char* to, const char* from, size_t size) {
  switch (op) {
    case BitOp::kAnd:
      return combine_into(to, from, size, [](uint64_t a, uint64_t b) { return a & b; });
    case BitOp::kOr:
      return combine_into(to, from, size, [](uint64_t a, uint64_t b) { return a | b; });
    case BitOp::kXor:
      return combine_into(to, from, size, [](uint64_t a, uint64_t b) { return a ^ b; });
    case BitOp::kNot:
      return combine_into(to, from, size, [](uint64_t, uint64_t b) { return ~b; });
  }
}

// The part of a source that falls into [from, from + size).
std::string_view part_of(std::string_view source, size_t from, size_t size) {
  return from < source.size() ? source.substr(from, size) : std::string_view{};
}

// ---- fields ------------------------------------------------------------------------------------

// A field of up to 64 bits at any bit offset touches at most nine bytes.
constexpr size_t kFieldBytesMax = 9;

struct Window {
  char bytes[kFieldBytesMax] = {};

  WideBits load() const {
    return static_cast<WideBits>(load_big_endian(bytes)) << 8 | static_cast<uint8_t>(bytes[8]);
  }
  void store(WideBits value) {
    store_word(bytes, __builtin_bswap64(static_cast<uint64_t>(value >> 8)));
    bytes[8] = static_cast<char>(static_cast<uint8_t>(value));
  }
};

unsigned field_shift(uint64_t offset, unsigned bits) {
  return 72 - static_cast<unsigned>(offset & 7) - bits;
}

uint64_t low_mask(unsigned bits) { return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

bool fit(FieldType type, Wide value, Overflow overflow, uint64_t* result) {
  const unsigned magnitude = type.is_signed ? type.bits - 1U : type.bits;
  const Wide max = (static_cast<Wide>(1) << magnitude) - 1;
  const Wide min = type.is_signed ? -max - 1 : 0;
  const uint64_t mask = low_mask(type.bits);
  if (value < min || value > max) {
    if (overflow == Overflow::kFail) return false;
    if (overflow == Overflow::kSaturate) value = value < min ? min : max;
  }
  *result = static_cast<uint64_t>(value) & mask;
  return true;
}

}  // namespace

uint64_t count_bits(std::string_view bytes) {
  const size_t words = bytes.size() / 8;
  uint64_t sum = count_words(bytes.data(), words);
  if (const size_t rest = bytes.size() % 8; rest != 0) {
    char padded[8] = {};
    std::memcpy(padded, bytes.data() + words * 8, rest);
    sum += count_words(padded, 1);
  }
  return sum;
}

uint64_t count_bits(std::string_view bytes, uint64_t first, uint64_t last) {
  MOON_DASSERT(first <= last);
  MOON_DASSERT(last / 8 < bytes.size());
  const uint64_t begin = first / 8;
  const uint64_t end = last / 8;
  uint64_t sum = count_bits(bytes.substr(begin, end - begin + 1));
  // Whole bytes were counted: what stands outside of the range at both ends goes again.
  const unsigned before = byte_at(bytes, begin) & ~(0xffU >> (first & 7));
  const unsigned after = byte_at(bytes, end) & (0x7fU >> (last & 7));
  return sum - static_cast<uint64_t>(std::popcount(before) + std::popcount(after));
}

int64_t find_bit(std::string_view bytes, uint64_t first, uint64_t last, bool value) {
  MOON_DASSERT(first <= last);
  MOON_DASSERT(last / 8 < bytes.size());
  // Looking for 0 is looking for 1 in the inverted bytes.
  const uint64_t invert = value ? 0 : ~uint64_t{0};
  const auto found = [last](uint64_t position) {
    return position <= last ? static_cast<int64_t>(position) : kNoBit;
  };
  uint64_t at = first / 8;
  const uint64_t end = last / 8 + 1;
  const unsigned head = (byte_at(bytes, at) ^ (invert & 0xff)) & (0xffU >> (first & 7));
  if (head != 0) return found(at * 8 + static_cast<unsigned>(std::countl_zero(head)) - 24);
  ++at;
  for (; at + 32 <= end; at += 32) {
    const char* from = bytes.data() + at;
    const uint64_t differs = (load_word<uint64_t>(from) ^ invert) |
                             (load_word<uint64_t>(from + 8) ^ invert) |
                             (load_word<uint64_t>(from + 16) ^ invert) |
                             (load_word<uint64_t>(from + 24) ^ invert);
    if (differs != 0) break;
  }
  for (; at + 8 <= end; at += 8) {
    const uint64_t word = load_big_endian(bytes.data() + at) ^ invert;
    if (word != 0) return found(at * 8 + static_cast<unsigned>(std::countl_zero(word)));
  }
  for (; at < end; ++at) {
    const unsigned byte = byte_at(bytes, at) ^ (invert & 0xff);
    if (byte != 0) return found(at * 8 + static_cast<unsigned>(std::countl_zero(byte)) - 24);
  }
  return kNoBit;
}

void combine_bits(BitOp op, std::span<const std::string_view> sources, char* to, size_t size) {
  MOON_DASSERT(!sources.empty());
  MOON_DASSERT(op != BitOp::kNot || sources.size() == 1);
  for (size_t at = 0; at < size; at += kPiece) {
    const size_t piece = std::min(kPiece, size - at);
    const std::string_view first = part_of(sources[0], at, piece);
    if (!first.empty()) std::memcpy(to + at, first.data(), first.size());
    std::memset(to + at + first.size(), 0, piece - first.size());
    if (op == BitOp::kNot) {
      combine_piece(op, to + at, to + at, piece);
      continue;
    }
    for (const std::string_view source : sources.subspan(1)) {
      const std::string_view part = part_of(source, at, piece);
      combine_piece(op, to + at, part.data(), part.size());
      if (op == BitOp::kAnd) std::memset(to + at + part.size(), 0, piece - part.size());
    }
  }
}

uint64_t get_field(std::string_view bytes, uint64_t offset, unsigned bits) {
  MOON_DASSERT(bits >= 1);
  MOON_DASSERT(bits <= 64);
  const std::string_view part = part_of(bytes, offset / 8, kFieldBytesMax);
  Window window;
  if (part.size() == kFieldBytesMax) {
    std::memcpy(window.bytes, part.data(), kFieldBytesMax);
  } else if (!part.empty()) {
    std::memcpy(window.bytes, part.data(), part.size());
  }
  return static_cast<uint64_t>(window.load() >> field_shift(offset, bits)) & low_mask(bits);
}

void set_field(char* bytes, size_t size, uint64_t offset, unsigned bits, uint64_t value) {
  const uint64_t begin = offset / 8;
  const uint64_t end = (offset + bits - 1) / 8 + 1;
  MOON_ASSERT(end <= size);
  Window window;
  std::memcpy(window.bytes, bytes + begin, end - begin);
  const unsigned shift = field_shift(offset, bits);
  const WideBits mask = static_cast<WideBits>(low_mask(bits)) << shift;
  const WideBits placed = static_cast<WideBits>(value) << shift & mask;
  window.store((window.load() & ~mask) | placed);
  std::memcpy(bytes + begin, window.bytes, end - begin);
}

int64_t field_value(FieldType type, uint64_t raw) {
  if (!type.is_signed) return static_cast<int64_t>(raw);
  const unsigned unused = 64U - type.bits;
  return static_cast<int64_t>(raw << unused) >> unused;
}

bool add_to_field(FieldType type, uint64_t raw, int64_t increment, Overflow overflow,
                  uint64_t* result) {
  return fit(type, static_cast<Wide>(field_value(type, raw)) + increment, overflow, result);
}

bool fit_field(FieldType type, int64_t value, Overflow overflow, uint64_t* result) {
  const Wide wide = type.is_signed ? static_cast<Wide>(value)
                                   : static_cast<Wide>(static_cast<uint64_t>(value));
  return fit(type, wide, overflow, result);
}

}  // namespace moon::types
