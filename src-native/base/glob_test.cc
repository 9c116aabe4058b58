#include "base/glob.h"

#include <chrono>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "base/lower.h"

namespace moon {
namespace {

struct Case {
  std::string_view pattern;
  std::string_view text;
  bool matches;
};

TEST(Glob, Cases) {
  const Case cases[] = {
      {"*", "a", true},           {"*", "", false},          {"", "", true},
      {"", "a", false},           {"a", "", false},          {"a*", "a", true},
      {"a**", "a", true},         {"**a", "ba", true},       {"h?llo", "hello", true},
      {"h?llo", "hllo", false},   {"h[ae]llo", "hallo", true}, {"h[ae]llo", "hillo", false},
      {"h[^e]llo", "hallo", true}, {"h[^e]llo", "hello", false}, {"h[a-c]llo", "hbllo", true},
      {"h[c-a]llo", "hbllo", true}, {"h[a-c]llo", "hdllo", false}, {"[\\]]", "]", true},
      {"[\\-a]", "-", true},      {"[a", "a", true},         {"[", "[", false},
      {"[^", "x", true},          {"[]", "]", false},        {"[a-]", "a", true},
      {"[a-", "-", true},         {"\\*", "*", true},        {"\\*", "a", false},
      {"a\\", "a\\", true},       {"\\", "\\", true},        {"*\\?", "ab?", true},
      {"*a*b*c", "xaybzc", true}, {"*a*b*c", "xaybzcd", false}, {"a?*", "a", false},
      {"*[0-9]", "key:7", true},  {"user:*:name", "user:1:2:name", true},
      {"[^]a", "xa", true},      {"a[^]", "ab", true},      {"*.*", "a.b.c", true},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(glob_match(c.pattern, c.text), c.matches) << c.pattern << " on " << c.text;
  }
}

TEST(Glob, IgnoresCase) {
  EXPECT_TRUE(glob_match("MAX*", "maxmemory", true));
  EXPECT_FALSE(glob_match("MAX*", "maxmemory", false));
  EXPECT_TRUE(glob_match("[A-C]x", "bX", true));
  EXPECT_TRUE(glob_match("[ABC]", "b", true));
  EXPECT_FALSE(glob_match("[\\A]", "a", true));
  EXPECT_FALSE(glob_match("\\ABC", "xbc", true));
  EXPECT_TRUE(glob_match("\\ABC", "abc", true));
}

TEST(Glob, Literal) {
  EXPECT_TRUE(glob_is_literal("maxmemory"));
  for (const char* pattern : {"a*", "a?", "[a]", "a\\*"}) {
    EXPECT_FALSE(glob_is_literal(pattern)) << pattern;
  }
}

// The same rules as plain recursion over all ways to divide the text.
bool model(std::string_view p, std::string_view t, bool fold, bool started) {
  if (p.empty()) return t.empty();
  if (p[0] == '*') {
    // A star takes part only while there is text, or behind the last byte.
    if (t.empty()) return started && p.find_first_not_of('*') == std::string_view::npos;
    for (size_t skip = 0; skip <= t.size(); ++skip) {
      if (model(p.substr(1), t.substr(skip), fold, true)) return true;
    }
    return false;
  }
  if (t.empty()) return false;
  auto low = [fold](char c) { return fold ? to_lower(c) : c; };
  size_t used = 1;
  bool takes = false;
  if (p[0] == '?') {
    takes = true;
  } else if (p[0] == '[') {
    const bool negated = p.size() > 1 && p[1] == '^';
    used = negated ? 2 : 1;
    for (;;) {
      if (used >= p.size()) break;
      if (p[used] == '\\' && p.size() - used >= 2) {
        takes |= p[used + 1] == t[0];
        used += 2;
      } else if (p[used] == ']') {
        ++used;
        break;
      } else if (p.size() - used >= 3 && p[used + 1] == '-') {
        char a = p[used];
        char b = p[used + 2];
        if (a > b) std::swap(a, b);
        takes |= low(a) <= low(t[0]) && low(t[0]) <= low(b);
        used += 3;
      } else {
        takes |= low(p[used]) == low(t[0]);
        ++used;
      }
    }
    takes ^= negated;
  } else {
    if (p[0] == '\\' && p.size() >= 2) used = 2;
    takes = low(p[used - 1]) == low(t[0]);
  }
  return takes && model(p.substr(used), t.substr(1), fold, true);
}

TEST(Glob, AgreesWithTheModel) {
  std::mt19937_64 random(4);
  const std::string pattern_letters = "abAB**??[]^-\\";
  const std::string text_letters = "abAB-]\\^";
  for (int i = 0; i < 400000; ++i) {
    std::string pattern;
    std::string text;
    for (size_t k = random() % 8; k > 0; --k) {
      pattern += pattern_letters[random() % pattern_letters.size()];
    }
    for (size_t k = random() % 7; k > 0; --k) text += text_letters[random() % text_letters.size()];
    const bool fold = random() % 2 == 0;
    ASSERT_EQ(glob_match(pattern, text, fold), model(pattern, text, fold, false))
        << pattern << " on " << text << (fold ? " folded" : "");
  }
}

TEST(Glob, ManyStarsDoNotBlowUp) {
  std::string pattern;
  for (int i = 0; i < 64; ++i) pattern += "a*";
  pattern += "b";
  const std::string text(4096, 'a');
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(glob_match(pattern, text));
  // Backtracking over all stars would take longer than the universe has lasted.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

}  // namespace
}  // namespace moon
