// The one reply writer. A handler writes its answer through Reply; the protocol version decides
// the shape (RESP3 map vs RESP2 flat array, double vs bulk, ...). Bytes go straight into the
// connection's OutBuffer. Used by the thread that executes the command.
//
// Invariants:
// (1) error texts never contain CR or LF: they are replaced by spaces, so that data in an error
//     cannot inject protocol bytes;
// (2) every error is counted (errors()), with its code (the first word) kept for errorstats.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <string_view>

#include "base/numbers.h"
#include "base/shared_bytes.h"
#include "resp/errors.h"
#include "resp/limits.h"
#include "resp/out_buffer.h"

namespace moon::resp {

class Reply {
 public:
  Reply(OutBuffer& out, int version) : out_(&out), version_(version) {}

  int version() const { return version_; }  // 2 or 3
  void set_version(int version) { version_ = version; }
  OutBuffer& out() { return *out_; }

  void ok() { literal("+OK\r\n"); }         // +OK
  void simple(std::string_view text);       // +text; REQUIRES: no CR or LF
  void error(Err code);                     // from the table in resp/errors.h
  void error(std::string_view line);        // full line, "ERR something", no leading '-'
  // printf-style, no leading '-'; the result is cut at kErrorMax.
  void error_format(const char* format, ...) __attribute__((format(printf, 2, 3)));

  void integer(int64_t value);              // :n
  void bulk(std::string_view bytes);        // $len
  void bulk_integer(int64_t value);         // the digits as a bulk string
  // The whole block, or `size` bytes from `offset`, as a bulk string. From kReferenceMin bytes on
  // it takes a reference and copies nothing; the caller keeps its own reference.
  void bulk_shared(SharedBytes* bytes);
  void bulk_shared(SharedBytes* bytes, size_t offset, size_t size);
  void null();                              // $-1 or _
  void null_array();                        // *-1 or _
  void array(size_t count) { header('*', count); }                      // *n
  void map(size_t pairs);                   // %n or *2n
  void set(size_t count) { header(version_ == 2 ? '*' : '~', count); }  // ~n or *n
  void push(size_t count) { header(version_ == 2 ? '*' : '>', count); } // >n or *n
  void attribute(size_t pairs);             // |n; RESP3 only
  void real(double value);                  // ,x or bulk; "%.17g" as Redis 7.0, inf, nan
  void long_real(long double value);        // ,x or bulk; "%.17Lf" trimmed (INCRBYFLOAT's form)
  void boolean(bool value);                 // #t or :1
  void big_number(std::string_view digits); // ( or bulk
  void verbatim(std::string_view format3, std::string_view text);  // =len txt: or bulk
  void raw(std::string_view protocol) { out_->append(protocol); }  // pre-encoded protocol bytes

  // An array whose length is known only after its elements were written. Deferred arrays may
  // nest; the buffer must not be consumed in between.
  using Mark = OutBuffer::Gap;
  Mark begin_deferred() { return out_->open_gap(); }
  void end_deferred_array(const Mark& mark, size_t count) { end_deferred(mark, '*', count); }
  void end_deferred_map(const Mark& mark, size_t pairs);
  void end_deferred_set(const Mark& mark, size_t count);

  // How many errors this writer wrote, and the code of the last ("ERR", "WRONGTYPE").
  uint32_t errors() const { return errors_; }
  std::string_view last_error_code() const { return {last_code_, last_code_size_}; }

 private:
  // A tag, an integer and CR LF.
  static constexpr size_t kHeaderMax = 1 + kIntegerMax + 2;
  // Bulk strings up to here are written through one reserve().
  static constexpr size_t kShortBulk = 1024;

  template <size_t kSize>
  void literal(const char (&text)[kSize]) {
    out_->append({text, kSize - 1});
  }
  void header(char tag, uint64_t count) {
    out_->commit_to(write_header(out_->reserve(kHeaderMax), tag, count));
  }
  static char* write_header(char* to, char tag, uint64_t count);
  void bulk_long(std::string_view bytes);
  void end_deferred(const Mark& mark, char tag, size_t count);
  void note_error(std::string_view line);

  OutBuffer* out_;
  int version_;
  uint32_t errors_ = 0;
  char last_code_[31];
  uint8_t last_code_size_ = 0;
};
static_assert(sizeof(Reply) == 48);

inline char* Reply::write_header(char* to, char tag, uint64_t count) {
  *to = tag;
  to = format_uint64(count, to + 1);
  store_word<uint16_t>(to, load_word<uint16_t>("\r\n"));
  return to + 2;
}

inline void Reply::integer(int64_t value) {
  char* to = out_->reserve(kHeaderMax);
  *to = ':';
  to = format_int64(value, to + 1);
  store_word<uint16_t>(to, load_word<uint16_t>("\r\n"));
  out_->commit_to(to + 2);
}

inline void Reply::bulk(std::string_view bytes) {
  if (bytes.size() > kShortBulk) [[unlikely]] return bulk_long(bytes);
  char* to = out_->reserve(kHeaderMax + kShortBulk + 2);
  to = write_header(to, '$', bytes.size());
  to = copy_bytes(to, bytes.data(), bytes.size());
  store_word<uint16_t>(to, load_word<uint16_t>("\r\n"));
  out_->commit_to(to + 2);
}

inline void Reply::null() {
  if (version_ == 2) {
    literal("$-1\r\n");
  } else {
    literal("_\r\n");
  }
}

inline void Reply::null_array() {
  if (version_ == 2) {
    literal("*-1\r\n");
  } else {
    literal("_\r\n");
  }
}

}  // namespace moon::resp
