#include "base/hash.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace moon {
namespace {

TEST(Hash, TagRules) {
  const std::pair<const char*, const char*> cases[] = {
      {"abc", "abc"},         {"{user1}.a", "user1"}, {"a{b}c{d}", "b"}, {"{}x", "{}x"},
      {"x{", "x{"},           {"x}{y", "x}{y"},       {"{{a}}", "{a"},   {"", ""},
      {"foo{}{bar}", "foo{}{bar}"}};
  for (const auto& [key, tag] : cases) EXPECT_EQ(hash_tag(key), tag) << key;
}

TEST(Hash, SeedMatters) {
  for (size_t size : {0, 1, 3, 8, 16, 17, 128, 200, 240, 241, 1000}) {
    const std::string key(size, 'k');
    EXPECT_EQ(hash_bytes(key, 1), hash_bytes(key, 1));
    EXPECT_NE(hash_bytes(key, 1), hash_bytes(key, 2)) << size;
  }
}

}  // namespace
}  // namespace moon
