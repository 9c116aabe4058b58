#include "base/glob.h"

#include <algorithm>

#include "base/lower.h"

namespace moon {

namespace {

// One pattern element that takes exactly one byte, at the front of `pattern`.
class Element {
 public:
  Element(std::string_view pattern, bool ignore_case)
      : pattern_(pattern), ignore_case_(ignore_case) {}

  // Does it take `c`? Also finds the element's length.
  bool takes(char c) {
    switch (pattern_[0]) {
      case '?': return true;
      case '[': return class_takes(c);
      case '\\':
        if (pattern_.size() >= 2) length_ = 2;
        break;
      default: break;
    }
    return same(pattern_[length_ - 1], c);
  }
  size_t length() const { return length_; }

 private:
  bool same(char a, char b) const {
    return ignore_case_ ? to_lower(a) == to_lower(b) : a == b;
  }

  bool range_takes(char first, char last, char c) const {
    // Bytes compare as signed, as the order of Redis on x86 is.
    auto low = static_cast<signed char>(std::min<signed char>(first, last));
    auto high = static_cast<signed char>(std::max<signed char>(first, last));
    auto byte = static_cast<signed char>(c);
    if (ignore_case_) {
      low = static_cast<signed char>(to_lower(low));
      high = static_cast<signed char>(to_lower(high));
      byte = static_cast<signed char>(to_lower(byte));
    }
    return low <= byte && byte <= high;
  }

  bool class_takes(char c) {
    size_t at = 1;
    const bool negated = at < pattern_.size() && pattern_[at] == '^';
    if (negated) ++at;
    bool found = false;
    while (at < pattern_.size() && pattern_[at] != ']') {
      const size_t left = pattern_.size() - at;
      if (pattern_[at] == '\\' && left >= 2) {
        found |= pattern_[at + 1] == c;  // quoted bytes keep their case
        at += 2;
      } else if (left >= 3 && pattern_[at + 1] == '-') {
        found |= range_takes(pattern_[at], pattern_[at + 2], c);
        at += 3;
      } else {
        found |= same(pattern_[at], c);
        ++at;
      }
    }
    length_ = std::min(at + 1, pattern_.size());
    return found != negated;
  }

  std::string_view pattern_;
  bool ignore_case_;
  size_t length_ = 1;
};

}  // namespace

bool glob_match(std::string_view pattern, std::string_view text, bool ignore_case) {
  if (text.empty()) return pattern.empty();
  size_t p = 0;
  size_t t = 0;
  // Where to go on when the elements behind the last star did not fit.
  size_t star = std::string_view::npos;
  size_t star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      while (p < pattern.size() && pattern[p] == '*') ++p;
      if (p == pattern.size()) return true;
      star = p;
      star_text = t;
      continue;
    }
    if (p < pattern.size()) {
      Element element(pattern.substr(p), ignore_case);
      if (element.takes(text[t])) {
        p += element.length();
        ++t;
        continue;
      }
    }
    if (star == std::string_view::npos) return false;
    p = star;
    t = ++star_text;
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool glob_is_literal(std::string_view pattern) {
  return pattern.find_first_of("*?[\\") == std::string_view::npos;
}

}  // namespace moon
