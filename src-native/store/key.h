// A key on its way to the table: its bytes, its hash and where the hash sends it. Dispatch makes
// one per key argument, once; nobody hashes a key twice.
//
// One 64-bit hash serves four purposes with disjoint bits (key_test.cc):
//
//   63 ........................ 27 | 26 .. 24 | 23 .. 16 | 15 ........ 0
//   directory, then home bucket    | ref tag  | finger-  | slice (of the {tag}'s hash when
//   (a prefix of 37 bits: the      | in slot  | print    |  the key has a tag)
//   order SCAN walks in)           |          |          |
#pragma once

#include <cstdint>
#include <string_view>

namespace moon::store {

struct KeyRef {
  std::string_view bytes;
  uint64_t hash;
  uint32_t slice;  // index into Keyspace
  uint32_t arg;    // which argument of the command this key is
};

inline constexpr int kPositionShift = 27;  // hash >> 27: the 37-bit position in SCAN order
inline constexpr int kPositionBits = 64 - kPositionShift;
inline uint64_t hash_position(uint64_t hash) { return hash >> kPositionShift; }
inline uint32_t hash_ref_tag(uint64_t hash) { return (hash >> 24) & 7; }
inline uint8_t hash_fingerprint(uint64_t hash) { return static_cast<uint8_t>(hash >> 16); }
inline uint32_t hash_slice_bits(uint64_t hash) { return hash & 0xffff; }

}  // namespace moon::store
