// Hashing of keys. Any thread.
//
// XXH3 with a seed drawn at start, so that a client cannot prepare keys that collide. How the 64
// bits are divided (slice, directory, home bucket, fingerprint) is decided in store/.
#pragma once

#include <cstdint>
#include <string_view>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace moon {

inline uint64_t hash_bytes(std::string_view bytes, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

// The part of a key that decides where it lives: what stands between the first '{' and the next
// '}' if that is not empty, else the whole key (Redis Cluster's rule).
inline std::string_view hash_tag(std::string_view key) {
  const size_t open = key.find('{');
  if (open == std::string_view::npos) [[likely]] return key;
  const size_t close = key.find('}', open + 1);
  if (close == std::string_view::npos) return key;
  if (close == open + 1) return key;
  return key.substr(open + 1, close - open - 1);
}

}  // namespace moon
