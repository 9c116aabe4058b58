// Longest common subsequence of two byte strings, bit-parallel: 64 cells of the table a step
// (Hyyrö, "Bit-Parallel LCS-length Computation Revisited", 2004).
//
// With L(i, j) the length for the first i bytes of `a` and the first j of `b`, row i is kept as
// one bit for each j: 0 where L(i, j) = L(i, j - 1) + 1. That is all that walking back needs. At
// a cell whose bytes differ, L(i, j) > L(i, j - 1) says exactly that the way leads to row i - 1,
// and the other value that it leads to column j - 1; so of several subsequences of the same
// length this finds the one that Redis's table of numbers leads to, in 1/32 of the memory.
//
// One thread; the strings must outlive the object. Memory: |a| * |b| bits for the rows, and for
// each distinct byte of `a` another |b| bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace moon::types {

// Equal bytes that follow one another in both strings; both ends are included.
struct LcsRun {
  size_t a_first, a_last;
  size_t b_first, b_last;
  size_t size() const { return a_last - a_first + 1; }
};

class Lcs {
 public:
  Lcs(std::string_view a, std::string_view b) : a_(a), b_(b), words_((b.size() + 63) / 64) {}
  Lcs(const Lcs&) = delete;
  Lcs& operator=(const Lcs&) = delete;

  // Fills the table; without `keep_rows` only length() is known after. False: no memory.
  bool compute(bool keep_rows);
  size_t length() const { return length_; }

  // The runs of the subsequence, last one first; false when there are no more.
  // REQUIRES: compute(true).
  bool next_run(LcsRun* run);

 private:
  bool fill_masks();
  void next_row(const uint64_t* mask, const uint64_t* before, uint64_t* after) const;
  bool leads_up(size_t i, size_t j) const;

  std::string_view a_;
  std::string_view b_;
  size_t words_;         // of a row
  size_t length_ = 0;
  size_t i_ = 0;         // where the walk stands
  size_t j_ = 0;
  std::unique_ptr<uint64_t[]> masks_;        // for the bytes of a: where they stand in b
  std::array<const uint64_t*, 256> mask_{};  // nullptr: not in a
  std::unique_ptr<uint64_t[]> rows_;
};

}  // namespace moon::types
