#include "types/lcs.h"

#include <algorithm>
#include <bit>
#include <new>

#include "base/assert.h"

namespace moon::types {
namespace {

uint8_t code_of(char byte) { return static_cast<uint8_t>(byte); }

}  // namespace

bool Lcs::fill_masks() {
  std::array<bool, 256> in_a{};
  for (const char byte : a_) in_a[code_of(byte)] = true;
  const auto distinct = static_cast<size_t>(std::count(in_a.begin(), in_a.end(), true));
  masks_.reset(new (std::nothrow) uint64_t[distinct * words_]());
  if (masks_ == nullptr) return false;
  std::array<uint64_t*, 256> mask{};
  uint64_t* next = masks_.get();
  for (size_t code = 0; code < mask.size(); ++code) {
    if (!in_a[code]) continue;
    mask[code] = next;
    mask_[code] = next;
    next += words_;
  }
  for (size_t j = 0; j < b_.size(); ++j) {
    uint64_t* row = mask[code_of(b_[j])];
    if (row != nullptr) row[j / 64] |= uint64_t{1} << (j % 64);
  }
  return true;
}

void Lcs::next_row(const uint64_t* mask, const uint64_t* before, uint64_t* after) const {
  uint64_t carry = 0;
  for (size_t word = 0; word < words_; ++word) {
    const uint64_t bits = before[word];
    const uint64_t matched = bits & mask[word];
    uint64_t sum = 0;
    const bool carried_first = __builtin_add_overflow(bits, matched, &sum);
    const bool carried_second = __builtin_add_overflow(sum, carry, &sum);
    carry = carried_first || carried_second ? 1 : 0;
    after[word] = sum | (bits & ~mask[word]);
  }
}

bool Lcs::compute(bool keep_rows) {
  if (a_.empty() || b_.empty()) return true;
  const size_t row_count = keep_rows ? a_.size() : 1;
  if (!fill_masks()) return false;
  rows_.reset(new (std::nothrow) uint64_t[row_count * words_]);
  if (rows_ == nullptr) return false;
  uint64_t* row = rows_.get();
  std::fill_n(row, words_, ~uint64_t{0});
  const uint64_t* before = row;
  for (const char byte : a_) {
    next_row(mask_[code_of(byte)], before, row);
    before = row;
    if (keep_rows) row += words_;
  }
  // The bits beyond the end of b never match and stay 1.
  for (size_t word = 0; word < words_; ++word) {
    length_ += static_cast<size_t>(std::popcount(~before[word]));
  }
  i_ = a_.size();
  j_ = b_.size();
  return true;
}

bool Lcs::leads_up(size_t i, size_t j) const {
  const uint64_t word = rows_[(i - 1) * words_ + (j - 1) / 64];
  return (word >> ((j - 1) % 64) & 1) == 0;
}

bool Lcs::next_run(LcsRun* run) {
  while (i_ > 0 && j_ > 0 && a_[i_ - 1] != b_[j_ - 1]) {
    if (leads_up(i_, j_)) {
      --i_;
    } else {
      --j_;
    }
  }
  if (i_ == 0 || j_ == 0) return false;
  run->a_last = i_ - 1;
  run->b_last = j_ - 1;
  while (i_ > 0 && j_ > 0 && a_[i_ - 1] == b_[j_ - 1]) {
    --i_;
    --j_;
  }
  run->a_first = i_;
  run->b_first = j_;
  return true;
}

}  // namespace moon::types
