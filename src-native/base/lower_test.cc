#include "base/lower.h"

#include <gtest/gtest.h>

#include <string>

namespace moon {
namespace {

TEST(Lower, EveryByte) {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const char expected = byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + 32) : c;
    for (size_t size : {1, 7, 8, 9, 16}) {
      std::string text(size, c);
      const std::string upper = text;
      lower_into(text.data(), text);
      EXPECT_EQ(text, std::string(size, expected)) << byte;
      EXPECT_TRUE(equals_ignore_case(upper, text));
    }
    EXPECT_EQ(to_lower(to_upper(c)), to_lower(c));
  }
  EXPECT_FALSE(equals_ignore_case("abcdefgh1", "abcdefgh2"));
  EXPECT_FALSE(equals_ignore_case("@bcdefgh", "`bcdefgh"));
  EXPECT_FALSE(equals_ignore_case("[", "{"));
  EXPECT_FALSE(equals_ignore_case("ab", "abc"));
  EXPECT_TRUE(starts_with_ignore_case("KeepTTL", "keep"));
  EXPECT_FALSE(starts_with_ignore_case("ke", "keep"));
}

}  // namespace
}  // namespace moon
