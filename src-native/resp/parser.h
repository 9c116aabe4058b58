// RESP and inline requests -> argument views. Zero copy: views point into the input, or into a
// SharedBytes block for a large argument that is received into place. Owned by one connection,
// used on its thread.
//
// The caller holds the input as one contiguous range and calls next() until it says kNeedMore,
// executes what it got, then drops the bytes before consumed(), appends what arrives to the rest
// and goes on:
//
//   while (parser.next(input, limits, arena, &request) == ParseStatus::kRequest) ...;
//   execute; input.erase_front(parser.consumed()); parser.drop(parser.consumed());
//
// A partial request stays in the input while it is short; its few headers are read again. A longer
// one moves into memory of the parser, argument by argument, and consumed() moves with it: the
// input never has to grow beyond one argument of kLargeArgumentMin, and no byte is scanned twice,
// so a million arguments in 64 KiB pieces cost linear time. What a length header may reserve is
// capped (resp/limits.h) and grows with what really arrived.
//
// Invariants:
// (1) after drop(), a parser that is between requests owns no heap memory (idle connections are
//     many);
// (2) views of returned Requests stay valid until drop(), or until the input moves;
// (3) after kError the connection is to be closed once error_text() has been sent.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string_view>

#include "base/assert.h"
#include "base/shared_bytes.h"
#include "resp/limits.h"

namespace moon::resp {

enum class ParseStatus : uint8_t { kRequest, kNeedMore, kError };

struct ParserLimits {
  int64_t bulk_max = kBulkMaxDefault;  // proto-max-bulk-len, at least 1 MiB
  // Before AUTH: at most 10 arguments of at most 16 KiB, as Redis. Parse and execute one request
  // at a time then, because the next one's limits hang on whether it was AUTH.
  bool authenticated = true;
};

// Argument views of requests: one arena per shard thread, so that nothing is allocated per
// request. Grows to the largest batch and is trimmed by its owner.
class ArgArena {
 public:
  ArgArena() = default;
  ~ArgArena() { std::free(views_); }
  ArgArena(const ArgArena&) = delete;
  ArgArena& operator=(const ArgArena&) = delete;

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  size_t capacity() const { return capacity_; }
  const std::string_view* data() const { return views_; }
  const std::string_view& operator[](size_t index) const {
    MOON_DASSERT(index < size_);
    return views_[index];
  }
  const std::string_view* begin() const { return views_; }
  const std::string_view* end() const { return views_ + size_; }

  void clear() { size_ = 0; }
  void truncate(size_t size) {
    MOON_DASSERT(size <= size_);
    size_ = size;
  }
  void push_back(std::string_view view) {
    *reserve(1) = view;
    ++size_;
  }
  // Room for `count` views behind the last; commit() those that were filled.
  std::string_view* reserve(size_t count) {
    if (count > capacity_ - size_) [[unlikely]] grow(count);
    return views_ + size_;
  }
  void commit(size_t count) { size_ += count; }
  // REQUIRES: empty(). Gives memory beyond `keep` views back.
  void trim(size_t keep);

 private:
  void grow(size_t count);

  std::string_view* views_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

struct Request {
  uint32_t first;   // index of args[0] in the arena
  uint32_t count;   // number of arguments, >= 1
  size_t begin;     // offset in the input of the first byte that was still there
  size_t end;       // offset behind its last byte
  bool has_large;   // some argument lives in a SharedBytes block (take_large)
};

class Parser {
 public:
  Parser() = default;
  ~Parser() { reset(); }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  // Parses the next request at consumed() of `input`. Empty requests (blank inline lines, *0) are
  // skipped. On kRequest the arguments are appended to `arena`. Quoted inline arguments are
  // unquoted in place.
  ParseStatus next(std::span<char> input, const ParserLimits& limits, ArgArena& arena,
                   Request* request);

  // Offset of the first byte that is not needed any more once the returned requests are executed.
  size_t consumed() const { return position_; }
  // The caller dropped the first `count` bytes of the input (count <= consumed()), and the rest may
  // have moved. Ends the life of all returned views; blocks not taken are released.
  void drop(size_t count) {
    MOON_DASSERT(count <= position_);
    position_ -= count;
    if (finished_ != nullptr) [[unlikely]] release_finished();
  }

  // True while a large argument is being received and the input is used up: feed_large() takes
  // bytes for it straight from the socket buffer, so that they are copied once. Bytes behind the
  // argument are not taken; they are input.
  bool receiving_large() const;
  size_t feed_large(std::span<const char> bytes);  // how many were taken

  // Takes over a large argument of a returned request; the view stays valid while the block
  // lives. nullptr when that argument is not large, or was taken before.
  SharedBytes* take_large(std::string_view argument);

  std::string_view error_text() const;  // "ERR Protocol error: ..."
  size_t memory() const;                // heap bytes held
  void reset();                         // forgets everything, as if new

 private:
  struct Partial;
  enum class Step : uint8_t { kArgument, kPartial, kLarge, kFault };
  enum class Line : uint8_t { kFound, kPartial, kTooLong };
  // nullopt: an empty request, go on behind it.
  using Outcome = std::optional<ParseStatus>;

  ParseStatus next_slow(std::span<char> input, const ParserLimits& limits, ArgArena& arena,
                        Request* request);
  Outcome parse_multibulk(std::span<char> input, const ParserLimits& limits, ArgArena& arena,
                          Request* request);
  Outcome parse_inline(std::span<char> input, ArgArena& arena, Request* request);
  ParseStatus continue_partial(std::span<char> input, const ParserLimits& limits, ArgArena& arena,
                               Request* request);
  ParseStatus finish_partial(size_t begin, ArgArena& arena, Request* request);
  Step read_count(std::span<char> input, const ParserLimits& limits, size_t* cursor,
                  int64_t* count);
  Step read_argument(std::span<char> input, const ParserLimits& limits, size_t* cursor,
                     std::string_view* argument);
  Line find_line(std::span<char> input, size_t from, char stop, size_t* length);
  bool keep(std::string_view argument);
  bool start_large(size_t size, size_t arrived);
  size_t take_into_large(std::span<const char> bytes);
  Step fault(const char* text, char detail = 0);
  void advance(size_t position);
  void release_finished();

  Partial* partial_ = nullptr;   // a request in memory of the parser, not complete; or the fault
  Partial* finished_ = nullptr;  // returned requests whose views are still in use, a chain
  size_t position_ = 0;
  size_t scanned_ = 0;  // bytes behind position_ known to hold no line end
};
static_assert(sizeof(Parser) == 32);

}  // namespace moon::resp
