#include "resp/parser.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/copy.h"
#include "base/numbers.h"

namespace moon::resp {

namespace {

constexpr const char* kInlineTooBig = "too big inline request";
constexpr const char* kCountTooBig = "too big mbulk count string";
constexpr const char* kBadCount = "invalid multibulk length";
constexpr const char* kCountUnauthenticated = "unauthenticated multibulk length";
constexpr const char* kBulkTooBig = "too big bulk count string";
constexpr const char* kExpectedBulk = "expected '$', got '%c'";
constexpr const char* kBadBulk = "invalid bulk length";
constexpr const char* kBulkUnauthenticated = "unauthenticated bulk length";
constexpr const char* kUnbalancedQuotes = "unbalanced quotes in request";
constexpr const char* kNoMemory = "no memory for an argument";

// An argument behind which the input ends needs this much for its CR LF.
constexpr size_t kLineEnd = 2;
// Views reserved at once, so that "*2147483647" alone costs nothing.
constexpr size_t kViewsAtOnce = 64;

// A header as clients write it: the tag, one to four digits without leading zero, CR LF. Returns
// its end; nullptr for everything else, which the general path then judges. Values up to 9999 are
// within all limits (ParserLimits::bulk_max is at least 1 MiB, as in Redis).
inline const char* short_header(const char* at, const char* end, char tag, uint32_t* value) {
  if (end - at < 4) return nullptr;
  const uint32_t first = static_cast<uint8_t>(at[1]) - uint32_t{'0'};
  if (at[0] != tag || first > 9) return nullptr;
  if (load_word<uint16_t>(at + 2) == load_word<uint16_t>("\r\n")) [[likely]] {
    *value = first;
    return at + 4;
  }
  if (end - at < 7 || first == 0) return nullptr;
  uint32_t number = first;
  for (int i = 2; i <= 5; ++i) {
    const uint32_t digit = static_cast<uint8_t>(at[i]) - uint32_t{'0'};
    if (digit > 9) {
      if (load_word<uint16_t>(at + i) != load_word<uint16_t>("\r\n")) return nullptr;
      *value = number;
      return at + i + 2;
    }
    number = number * 10 + digit;
  }
  return nullptr;
}

// Fills views with arguments that have a short header and are all there. Returns how many; `at`
// then stands behind the last of them.
inline uint32_t scan_arguments(const char*& at, const char* end, std::string_view* views,
                               uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t size;
    const char* body = short_header(at, end, '$', &size);
    if (body == nullptr || end - body < static_cast<ptrdiff_t>(size + kLineEnd)) return i;
    views[i] = {body, size};
    at = body + size + kLineEnd;
  }
  return count;
}

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

char unescape(char c) {
  switch (c) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'b': return '\b';
    case 'a': return '\a';
    default: return c;
  }
}

// Splits an inline request into words, in place: an unquoted word is never longer than its text.
class InlineSplitter {
 public:
  InlineSplitter(char* begin, char* end) : at_(begin), end_(end) {}

  enum class Result : uint8_t { kWord, kEnd, kUnbalanced };

  Result next(std::string_view* word) {
    while (at_ != end_ && is_blank(*at_)) ++at_;
    if (at_ == end_) return Result::kEnd;
    char* const begin = at_;
    char* out = at_;
    while (at_ != end_ && !is_separator(*at_)) {
      const char c = *at_++;
      if (c != '"' && c != '\'') {
        *out++ = c;
        continue;
      }
      out = c == '"' ? double_quoted(out) : single_quoted(out);
      if (out == nullptr) return Result::kUnbalanced;
      break;  // a closing quote ends the word
    }
    *word = {begin, static_cast<size_t>(out - begin)};
    return Result::kWord;
  }

 private:
  static bool is_separator(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

  // Both return the end of the decoded text, nullptr when the quote does not close, or closes
  // inside a word.
  char* double_quoted(char* out) {
    while (at_ != end_) {
      const char c = *at_++;
      if (c == '"') return at_ == end_ || is_blank(*at_) ? out : nullptr;
      if (c != '\\' || at_ == end_) {
        *out++ = c;
      } else if (*at_ == 'x' && end_ - at_ >= 3 && hex_value(at_[1]) >= 0 &&
                 hex_value(at_[2]) >= 0) {
        *out++ = static_cast<char>(hex_value(at_[1]) * 16 + hex_value(at_[2]));
        at_ += 3;
      } else {
        *out++ = unescape(*at_++);
      }
    }
    return nullptr;
  }
  char* single_quoted(char* out) {
    while (at_ != end_) {
      const char c = *at_++;
      if (c == '\'') return at_ == end_ || is_blank(*at_) ? out : nullptr;
      if (c == '\\' && at_ != end_ && *at_ == '\'') {
        *out++ = *at_++;
      } else {
        *out++ = c;
      }
    }
    return nullptr;
  }

  char* at_;
  char* const end_;
};

}  // namespace

void ArgArena::grow(size_t count) {
  const size_t wanted = std::max({size_ + count, capacity_ * 2, kViewsAtOnce});
  void* moved = std::realloc(static_cast<void*>(views_), wanted * sizeof(std::string_view));
  MOON_ASSERT(moved != nullptr);
  views_ = static_cast<std::string_view*>(moved);
  capacity_ = wanted;
}

void ArgArena::trim(size_t keep) {
  MOON_DASSERT(empty());
  if (capacity_ <= keep) return;
  std::free(views_);
  views_ = nullptr;
  capacity_ = 0;
  if (keep != 0) grow(keep);
}

// A request that outlived the input it began in. Small arguments stand one behind the other in
// `text`; one of kLargeArgumentMin bytes or more has a block of its own.
struct Parser::Partial {
  static constexpr uint32_t kInBlock = UINT32_MAX;

  Partial* next = nullptr;           // in the chain of finished requests
  uint32_t count = 0;                // arguments announced
  uint8_t line_end_missing = 0;      // bytes of CR LF behind a large argument still to come
  std::vector<uint32_t> sizes;       // of the arguments that are complete, or kInBlock
  std::string text;
  std::vector<SharedBytes*> blocks;  // in order; nullptr once taken
  SharedBytes* large = nullptr;      // being received
  size_t large_size = 0;             // what it will have
  std::string fault;                 // a line for the client; everything else is empty then

  ~Partial() {
    if (large != nullptr) large->release();
    for (SharedBytes* block : blocks) {
      if (block != nullptr) block->release();
    }
  }

  bool complete() const {
    return sizes.size() == count && large == nullptr && line_end_missing == 0;
  }
  void add_small(std::string_view argument) {
    sizes.push_back(static_cast<uint32_t>(argument.size()));
    text.append(argument);
  }
  void finish_large() {
    sizes.push_back(kInBlock);
    blocks.push_back(large);
    large = nullptr;
    line_end_missing = kLineEnd;
  }
  size_t memory() const {
    size_t bytes = sizeof(*this) + sizes.capacity() * sizeof(sizes[0]) + text.capacity() +
                   blocks.capacity() * sizeof(blocks[0]) + fault.capacity();
    if (large != nullptr) bytes += large->footprint();
    for (const SharedBytes* block : blocks) {
      if (block != nullptr) bytes += block->footprint();
    }
    return bytes;
  }
};

ParseStatus Parser::next(std::span<char> input, const ParserLimits& limits, ArgArena& arena,
                         Request* request) {
  if (partial_ != nullptr) [[unlikely]] return next_slow(input, limits, arena, request);
  const char* const base = input.data();
  const char* const end = base + input.size();
  uint32_t count;
  const char* at = short_header(base + position_, end, '*', &count);
  if (at == nullptr || count - 1 >= kViewsAtOnce) [[unlikely]] {
    return next_slow(input, limits, arena, request);
  }
  if (count > kArgumentsMaxUnauthenticated && !limits.authenticated) [[unlikely]] {
    return next_slow(input, limits, arena, request);
  }
  if (scan_arguments(at, end, arena.reserve(count), count) != count) [[unlikely]] {
    return next_slow(input, limits, arena, request);
  }
  request->first = static_cast<uint32_t>(arena.size());
  request->count = count;
  request->begin = position_;
  request->end = static_cast<size_t>(at - base);
  request->has_large = false;
  arena.commit(count);
  advance(request->end);
  return ParseStatus::kRequest;
}

ParseStatus Parser::next_slow(std::span<char> input, const ParserLimits& limits, ArgArena& arena,
                              Request* request) {
  if (partial_ != nullptr) return continue_partial(input, limits, arena, request);
  while (position_ < input.size()) {
    const Outcome outcome = input[position_] == '*'
                                ? parse_multibulk(input, limits, arena, request)
                                : parse_inline(input, arena, request);
    if (outcome.has_value()) return *outcome;
  }
  return ParseStatus::kNeedMore;
}

void Parser::advance(size_t position) {
  position_ = position;
  scanned_ = 0;
}

// Looks for the byte that ends the line at `from`; *length is how many bytes stand before it.
Parser::Line Parser::find_line(std::span<char> input, size_t from, char stop, size_t* length) {
  const char* line = input.data() + from;
  const size_t available = input.size() - from;
  const size_t known = from == position_ ? scanned_ : 0;
  const size_t window = std::min(available, kInlineMax + 1);
  if (window > known) {
    const void* hit = std::memchr(line + known, stop, window - known);
    if (hit != nullptr) {
      *length = static_cast<size_t>(static_cast<const char*>(hit) - line);
      return Line::kFound;
    }
  }
  if (available > kInlineMax) return Line::kTooLong;
  if (from == position_) scanned_ = available;
  return Line::kPartial;
}

Parser::Step Parser::read_count(std::span<char> input, const ParserLimits& limits, size_t* cursor,
                                int64_t* count) {
  size_t length;
  const Line line = find_line(input, *cursor, '\r', &length);
  if (line == Line::kTooLong) return fault(kCountTooBig);
  if (line == Line::kPartial || input.size() - *cursor < length + kLineEnd) return Step::kPartial;
  const std::string_view digits(input.data() + *cursor + 1, length - 1);
  if (!parse_int64(digits, count) || *count > kArgumentsMax) return fault(kBadCount);
  if (*count > kArgumentsMaxUnauthenticated && !limits.authenticated) {
    return fault(kCountUnauthenticated);
  }
  *cursor += length + kLineEnd;
  return Step::kArgument;
}

// On kArgument and kLarge the cursor moves: behind the argument, or to the first byte of the large
// one, whose view then names bytes that have not all arrived.
Parser::Step Parser::read_argument(std::span<char> input, const ParserLimits& limits,
                                   size_t* cursor, std::string_view* argument) {
  const char* const base = input.data();
  const char* const end = base + input.size();
  uint32_t short_size;
  size_t size;
  const char* body = short_header(base + *cursor, end, '$', &short_size);
  if (body != nullptr) [[likely]] {
    size = short_size;
  } else {
    if (*cursor == input.size()) return Step::kPartial;
    size_t length;
    const Line line = find_line(input, *cursor, '\r', &length);
    if (line == Line::kTooLong) return fault(kBulkTooBig);
    if (line == Line::kPartial || input.size() - *cursor < length + kLineEnd) {
      return Step::kPartial;
    }
    if (base[*cursor] != '$') return fault(kExpectedBulk, base[*cursor]);
    int64_t announced;
    if (!parse_int64({base + *cursor + 1, length - 1}, &announced)) return fault(kBadBulk);
    if (announced < 0 || announced > limits.bulk_max) return fault(kBadBulk);
    if (announced > kBulkMaxUnauthenticated && !limits.authenticated) {
      return fault(kBulkUnauthenticated);
    }
    size = static_cast<size_t>(announced);
    body = base + *cursor + length + kLineEnd;
  }
  *argument = {body, size};
  const size_t body_offset = static_cast<size_t>(body - base);
  if (input.size() - body_offset < size + kLineEnd) {
    if (size < kLargeArgumentMin) return Step::kPartial;
    *cursor = body_offset;
    return Step::kLarge;
  }
  *cursor = body_offset + size + kLineEnd;
  return Step::kArgument;
}

Parser::Outcome Parser::parse_multibulk(std::span<char> input, const ParserLimits& limits,
                                        ArgArena& arena, Request* request) {
  const size_t begin = position_;
  size_t cursor = begin;
  int64_t announced;
  Step step = read_count(input, limits, &cursor, &announced);
  if (step == Step::kFault) return ParseStatus::kError;
  if (step == Step::kPartial) return ParseStatus::kNeedMore;
  if (announced <= 0) {
    advance(cursor);
    return std::nullopt;
  }
  const auto count = static_cast<uint32_t>(announced);
  const size_t first = arena.size();
  uint32_t read = 0;
  std::string_view argument;
  while (read < count) {
    const uint32_t room = std::min<uint32_t>(count - read, kViewsAtOnce);
    const char* at = input.data() + cursor;
    const uint32_t scanned =
        scan_arguments(at, input.data() + input.size(), arena.reserve(room), room);
    arena.commit(scanned);
    read += scanned;
    cursor = static_cast<size_t>(at - input.data());
    if (scanned == room) continue;
    step = read_argument(input, limits, &cursor, &argument);
    if (step != Step::kArgument) break;
    arena.push_back(argument);
    ++read;
  }
  if (read == count) {
    *request = {static_cast<uint32_t>(first), count, begin, cursor, false};
    advance(cursor);
    return ParseStatus::kRequest;
  }
  if (step == Step::kFault) {
    arena.truncate(first);
    return ParseStatus::kError;
  }
  if (step == Step::kPartial && read < kRescanArgumentsMax &&
      input.size() - begin < kRescanBytesMax) {
    arena.truncate(first);
    return ParseStatus::kNeedMore;
  }
  partial_ = new Partial;
  partial_->count = count;
  advance(cursor);
  bool fits = true;
  for (size_t i = first; i < first + read && fits; ++i) fits = keep(arena[i]);
  arena.truncate(first);
  if (fits && step == Step::kLarge) fits = start_large(argument.size(), input.size() - cursor);
  if (!fits) return ParseStatus::kError;
  return continue_partial(input, limits, arena, request);
}

// Copies a complete argument into the partial request.
bool Parser::keep(std::string_view argument) {
  if (argument.size() < kLargeArgumentMin) {
    partial_->add_small(argument);
    return true;
  }
  if (!start_large(argument.size(), argument.size())) return false;
  take_into_large(argument);
  partial_->line_end_missing = 0;  // the caller's cursor is behind it
  return true;
}

ParseStatus Parser::continue_partial(std::span<char> input, const ParserLimits& limits,
                                     ArgArena& arena, Request* request) {
  const size_t begin = position_;
  while (partial_->fault.empty()) {
    if (partial_->large != nullptr) {
      const size_t taken = take_into_large(input.subspan(position_));
      advance(position_ + taken);
      if (!partial_->fault.empty()) break;
      if (partial_->large != nullptr) return ParseStatus::kNeedMore;
    }
    if (partial_->line_end_missing != 0) {
      const size_t here = std::min<size_t>(partial_->line_end_missing, input.size() - position_);
      advance(position_ + here);
      partial_->line_end_missing -= static_cast<uint8_t>(here);
      if (partial_->line_end_missing != 0) return ParseStatus::kNeedMore;
    }
    if (partial_->complete()) return finish_partial(begin, arena, request);

    size_t cursor = position_;
    std::string_view argument;
    const Step step = read_argument(input, limits, &cursor, &argument);
    if (step == Step::kPartial) return ParseStatus::kNeedMore;
    if (step == Step::kFault) break;
    advance(cursor);
    if (step == Step::kLarge) {
      if (!start_large(argument.size(), input.size() - cursor)) break;
    } else if (!keep(argument)) {
      break;
    }
  }
  return ParseStatus::kError;
}

ParseStatus Parser::finish_partial(size_t begin, ArgArena& arena, Request* request) {
  Partial* whole = partial_;
  partial_ = nullptr;
  whole->next = finished_;
  finished_ = whole;
  std::string_view* views = arena.reserve(whole->count);
  const char* text = whole->text.data();
  size_t block = 0;
  for (uint32_t i = 0; i < whole->count; ++i) {
    if (whole->sizes[i] == Partial::kInBlock) {
      views[i] = whole->blocks[block++]->view();
    } else {
      views[i] = {text, whole->sizes[i]};
      text += whole->sizes[i];
    }
  }
  *request = {static_cast<uint32_t>(arena.size()), whole->count, begin, position_, block != 0};
  arena.commit(whole->count);
  return ParseStatus::kRequest;
}

Parser::Outcome Parser::parse_inline(std::span<char> input, ArgArena& arena, Request* request) {
  size_t length;
  switch (find_line(input, position_, '\n', &length)) {
    case Line::kTooLong: fault(kInlineTooBig); return ParseStatus::kError;
    case Line::kPartial: return ParseStatus::kNeedMore;
    case Line::kFound: break;
  }
  const size_t begin = position_;
  char* line = input.data() + begin;
  char* line_end = line + length;
  if (length != 0 && line_end[-1] == '\r') --line_end;
  const size_t first = arena.size();
  InlineSplitter splitter(line, line_end);
  std::string_view word;
  InlineSplitter::Result result;
  while ((result = splitter.next(&word)) == InlineSplitter::Result::kWord) arena.push_back(word);
  if (result == InlineSplitter::Result::kUnbalanced) {
    arena.truncate(first);
    fault(kUnbalancedQuotes);
    return ParseStatus::kError;
  }
  advance(begin + length + 1);
  const size_t count = arena.size() - first;
  if (count == 0) return std::nullopt;
  *request = {static_cast<uint32_t>(first), static_cast<uint32_t>(count), begin, position_, false};
  return ParseStatus::kRequest;
}

// `arrived` bytes of it are at hand.
bool Parser::start_large(size_t size, size_t arrived) {
  const size_t capacity = std::min(size, std::max(arrived, kLargeReserveFirst));
  partial_->large = SharedBytes::allocate(0, capacity);
  partial_->large_size = size;
  if (partial_->large != nullptr) return true;
  fault(kNoMemory);
  return false;
}

// Returns how many bytes belong to the large argument. The block doubles, so that what a header
// announces costs memory only as it comes true, and ends with exactly the argument's size.
size_t Parser::take_into_large(std::span<const char> bytes) {
  SharedBytes* large = partial_->large;
  const size_t have = large->size();
  const size_t part = std::min(bytes.size(), partial_->large_size - have);
  if (have + part > large->capacity()) {
    const size_t doubled = std::max(large->capacity() * 2, have + part);
    large = SharedBytes::reallocate(large, std::min(doubled, partial_->large_size));
    if (large == nullptr) {
      fault(kNoMemory);
      return part;
    }
    partial_->large = large;
  }
  std::copy_n(bytes.data(), part, large->data() + have);
  large->set_size(have + part);
  if (large->size() == partial_->large_size) partial_->finish_large();
  return part;
}

bool Parser::receiving_large() const { return partial_ != nullptr && partial_->large != nullptr; }

size_t Parser::feed_large(std::span<const char> bytes) {
  MOON_DASSERT(receiving_large());
  return take_into_large(bytes);
}

SharedBytes* Parser::take_large(std::string_view argument) {
  for (Partial* request = finished_; request != nullptr; request = request->next) {
    for (SharedBytes*& block : request->blocks) {
      if (block == nullptr || block->data() != argument.data()) continue;
      return std::exchange(block, nullptr);
    }
  }
  return nullptr;
}

// What had arrived of a request is of no use any more; the line takes its place.
Parser::Step Parser::fault(const char* text, char detail) {
  char line[64];
  std::snprintf(line, sizeof(line), text, detail);
  delete partial_;
  partial_ = new Partial;
  partial_->fault = "ERR Protocol error: ";
  partial_->fault += line;
  return Step::kFault;
}

std::string_view Parser::error_text() const {
  MOON_DASSERT(partial_ != nullptr);
  return partial_->fault;
}

size_t Parser::memory() const {
  size_t bytes = partial_ == nullptr ? 0 : partial_->memory();
  for (const Partial* one = finished_; one != nullptr; one = one->next) bytes += one->memory();
  return bytes;
}

void Parser::release_finished() {
  while (finished_ != nullptr) delete std::exchange(finished_, finished_->next);
}

void Parser::reset() {
  release_finished();
  delete partial_;
  partial_ = nullptr;
  advance(0);
}

}  // namespace moon::resp
