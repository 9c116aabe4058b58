// Bits in byte strings, as SETBIT, BITCOUNT, BITPOS, BITOP and BITFIELD see them: bit 0 is the
// most significant bit of byte 0. Pure functions; any thread.
//
// Invariants:
// (1) no byte outside of the given range is read or written, whatever its alignment;
// (2) everything that walks a range does so by words, not by bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace moon::types {

inline constexpr int64_t kNoBit = -1;

// 0 beyond the end.
inline bool get_bit(std::string_view bytes, uint64_t bit) {
  const uint64_t byte = bit >> 3;
  if (byte >= bytes.size()) return false;
  return (static_cast<uint8_t>(bytes[byte]) >> (7 - (bit & 7)) & 1) != 0;
}

// REQUIRES: the bit is inside.
inline void set_bit(char* bytes, uint64_t bit, bool on) {
  char& byte = bytes[bit >> 3];
  const unsigned mask = 0x80U >> (bit & 7);
  const unsigned old = static_cast<uint8_t>(byte);
  byte = static_cast<char>(on ? old | mask : old & ~mask);
}

// How many bits are 1.
uint64_t count_bits(std::string_view bytes);
// Of the bits first..last, both included. REQUIRES: first <= last, last inside.
uint64_t count_bits(std::string_view bytes, uint64_t first, uint64_t last);

// The first bit of first..last that is `value`, or kNoBit. REQUIRES as above.
int64_t find_bit(std::string_view bytes, uint64_t first, uint64_t last, bool value);

enum class BitOp : uint8_t { kAnd, kOr, kXor, kNot };

// Combines the sources into to[0, size); a source shorter than that goes on as zeros. kNot takes
// one source. REQUIRES: at least one source; none is longer than size or overlaps `to`.
void combine_bits(BitOp op, std::span<const std::string_view> sources, char* to, size_t size);

// An integer of 1..64 bits (1..63 unsigned) anywhere in the string.
struct FieldType {
  bool is_signed = false;
  uint8_t bits = 0;
};

// What becomes of a value that does not fit.
enum class Overflow : uint8_t { kWrap, kSaturate, kFail };

// The field's bits, right-aligned and not sign-extended; zeros beyond the end.
uint64_t get_field(std::string_view bytes, uint64_t offset, unsigned bits);
// Writes the low `bits` bits of value. REQUIRES: the field is inside [bytes, bytes + size).
void set_field(char* bytes, size_t size, uint64_t offset, unsigned bits, uint64_t value);

// The number that the bits stand for. An unsigned field has 63 bits at most, so int64 holds it.
int64_t field_value(FieldType type, uint64_t raw);

// field_value(raw) + increment, or `value` itself, brought into the type by the overflow rule.
// False when it did not fit and the rule is kFail; *raw is the bits to store otherwise. For an
// unsigned field a negative `value` counts as too large.
bool add_to_field(FieldType type, uint64_t raw, int64_t increment, Overflow overflow,
                  uint64_t* result);
bool fit_field(FieldType type, int64_t value, Overflow overflow, uint64_t* result);

}  // namespace moon::types
