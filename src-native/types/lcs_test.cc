#include "types/lcs.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace moon::types {
namespace {

// The table of numbers, and Redis's way back through it: on a tie to the shorter b.
class Table {
 public:
  Table(std::string_view a, std::string_view b)
      : a_(a), b_(b), cells_((a.size() + 1) * (b.size() + 1)) {
    for (size_t i = 1; i <= a.size(); ++i) {
      for (size_t j = 1; j <= b.size(); ++j) {
        at(i, j) = a[i - 1] == b[j - 1] ? at(i - 1, j - 1) + 1
                                        : std::max(at(i - 1, j), at(i, j - 1));
      }
    }
  }
  size_t length() { return at(a_.size(), b_.size()); }
  // Pairs of positions that were matched, last first.
  std::vector<std::pair<size_t, size_t>> matches() {
    std::vector<std::pair<size_t, size_t>> found;
    size_t i = a_.size();
    size_t j = b_.size();
    while (i > 0 && j > 0) {
      if (a_[i - 1] == b_[j - 1]) {
        found.emplace_back(--i, --j);
      } else if (at(i - 1, j) > at(i, j - 1)) {
        --i;
      } else {
        --j;
      }
    }
    return found;
  }

 private:
  size_t& at(size_t i, size_t j) { return cells_[i * (b_.size() + 1) + j]; }

  std::string_view a_;
  std::string_view b_;
  std::vector<size_t> cells_;
};

void check(std::string_view a, std::string_view b) {
  Table table(a, b);
  Lcs only_length(a, b);
  ASSERT_TRUE(only_length.compute(false));
  ASSERT_EQ(only_length.length(), table.length());

  Lcs lcs(a, b);
  ASSERT_TRUE(lcs.compute(true));
  ASSERT_EQ(lcs.length(), table.length());
  std::vector<std::pair<size_t, size_t>> found;
  LcsRun run{};
  size_t previous_first = SIZE_MAX;
  while (lcs.next_run(&run)) {
    ASSERT_EQ(run.a_last - run.a_first, run.b_last - run.b_first);
    // Runs are maximal: the next one does not continue this one in both strings.
    ASSERT_TRUE(previous_first == SIZE_MAX || run.a_last < previous_first);
    previous_first = run.a_first;
    for (size_t k = 0; k < run.size(); ++k) found.emplace_back(run.a_last - k, run.b_last - k);
  }
  ASSERT_EQ(found, table.matches());
}

std::string random_text(std::mt19937_64& random, size_t size, unsigned letters) {
  std::string text(size, '\0');
  for (char& byte : text) byte = static_cast<char>('a' + random() % letters);
  return text;
}

TEST(Lcs, Empty) {
  check("", "");
  check("a", "");
  check("", "a");
}

TEST(Lcs, Known) {
  check("ohmytext", "mynewtext");
  check("aaaa", "aa");
  check("abc", "xyz");
  check("abcabc", "abcabc");
  check(std::string_view("\0\xff\0", 3), std::string_view("\xff\0\0", 3));
}

TEST(Lcs, RandomTexts) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 600; ++round) {
    const unsigned letters = 1 + static_cast<unsigned>(random() % 20);
    const std::string a = random_text(random, random() % 200, letters);
    const std::string b = random_text(random, random() % 200, letters);
    check(a, b);
  }
}

// Lengths around the word size, where a carry crosses.
TEST(Lcs, WordBoundaries) {
  std::mt19937_64 random(8);
  for (const size_t size : {63U, 64U, 65U, 127U, 128U, 129U, 192U}) {
    for (int round = 0; round < 20; ++round) {
      check(random_text(random, 90, 2), random_text(random, size, 2));
      check(std::string(size, 'x'), std::string(size, 'x'));
    }
  }
}

}  // namespace
}  // namespace moon::types
