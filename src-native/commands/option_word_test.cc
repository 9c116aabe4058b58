#include "commands/option_word.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace moon::commands {
namespace {

// A block of exactly the text's size: a read outside is seen by AddressSanitizer.
uint64_t of(std::string_view text) {
  const std::unique_ptr<char[]> block(new char[text.size()]);
  std::copy(text.begin(), text.end(), block.get());
  return option_word(std::string_view(block.get(), text.size()));
}

TEST(OptionWord, AnyCase) {
  EXPECT_EQ(of("ex"), option_word("ex"));
  EXPECT_EQ(of("EX"), option_word("ex"));
  EXPECT_EQ(of("eX"), option_word("ex"));
  EXPECT_EQ(of("GET"), option_word("get"));
  EXPECT_EQ(of("ExAt"), option_word("exat"));
  EXPECT_EQ(of("FIELD"), option_word("field"));
  EXPECT_EQ(of("INCRBY"), option_word("incrby"));
  EXPECT_EQ(of("KeepTTL"), option_word("keepttl"));
  EXPECT_EQ(of("OVERFLOW"), option_word("overflow"));
  EXPECT_EQ(of("a"), option_word("a"));
}

TEST(OptionWord, NothingElseOfTwoBytes) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const char text[2] = {static_cast<char>(first), static_cast<char>(second)};
      const bool is_word =
          (first == 'e' || first == 'E') && (second == 'x' || second == 'X');
      ASSERT_EQ(of({text, 2}) == option_word("ex"), is_word);
    }
  }
}

TEST(OptionWord, OtherLengths) {
  EXPECT_EQ(of(""), 0U);
  EXPECT_EQ(of("overflowx"), 0U);
  EXPECT_NE(of(std::string_view("ex\0", 3)), option_word("ex"));
  EXPECT_NE(of(std::string_view("\0ex", 3)), option_word("ex"));
  EXPECT_NE(of(std::string_view("ex\0\0\0\0\0\0", 8)), option_word("ex"));
  EXPECT_NE(of("e"), option_word("ex"));
  EXPECT_NE(of("exa"), option_word("exat"));
}

// Letters are told from the bytes 32 below and above them by more than the case bit.
TEST(OptionWord, EachByteOfAWord) {
  const std::string word = "keepttl";
  for (size_t at = 0; at < word.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string text = word;
      text[at] = static_cast<char>(byte);
      const bool same = byte == word[at] || byte == word[at] - 32;
      ASSERT_EQ(of(text) == option_word("keepttl"), same) << at << " " << byte;
    }
  }
}

}  // namespace
}  // namespace moon::commands
