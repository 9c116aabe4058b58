// Reads a command's arguments in order: options by word, numbers with Redis's strictness. The
// first error is kept; the handler checks once at the end (or before it acts) with failed(),
// which writes the error reply.
//
//   ArgParser parser(ctx, 3);
//   while (parser.has_next()) {
//     if (parser.take_word("EX")) ttl = parser.take_integer();
//     else return parser.syntax_error();
//   }
//   if (parser.failed()) return;
#pragma once

#include <cstdint>
#include <string_view>

#include "base/lower.h"
#include "base/numbers.h"
#include "dispatch/context.h"
#include "resp/errors.h"

namespace moon {

class ArgParser {
 public:
  ArgParser(Context& ctx, size_t first) : ctx_(ctx), next_(first) {}

  bool has_next() const { return next_ < ctx_.args.size(); }
  size_t remaining() const { return ctx_.args.size() - next_; }
  size_t position() const { return next_; }

  // Consumes the next argument when it is this word (any case; `word` in upper case).
  bool take_word(std::string_view word) {
    if (!has_next() || !equals_ignore_case(ctx_.args[next_], word)) return false;
    ++next_;
    return true;
  }
  // As take_word, but only when at least `operands` arguments follow; Redis treats an option
  // without its operand as a syntax error.
  bool take_option(std::string_view word, size_t operands) {
    return remaining() > operands && take_word(word);
  }
  std::string_view take() {
    if (!has_next()) {
      fail(resp::Err::kSyntax);
      return {};
    }
    return ctx_.args[next_++];
  }
  int64_t take_integer(resp::Err error = resp::Err::kNotInteger) {
    int64_t value = 0;
    std::string_view text = take();
    if (!failed_quietly() && !parse_int64(text, &value)) fail(error);
    return value;
  }
  // An integer in [min, max]; outside of it `error`.
  int64_t take_integer_in(int64_t min, int64_t max, resp::Err error) {
    int64_t value = take_integer(error);
    if (!failed_quietly() && (value < min || value > max)) fail(error);
    return value;
  }

  void fail(resp::Err error) {
    if (error_ == kNoError) error_ = error;
  }
  void syntax_error() {
    fail(resp::Err::kSyntax);
    failed();
  }
  bool failed_quietly() const { return error_ != kNoError; }
  // Writes the error reply when there is one.
  bool failed() {
    if (error_ == kNoError) return false;
    ctx_.reply.error(error_);
    return true;
  }

 private:
  Context& ctx_;
  size_t next_;
  static constexpr resp::Err kNoError = resp::Err::kCount;
  resp::Err error_ = kNoError;
};

}  // namespace moon
