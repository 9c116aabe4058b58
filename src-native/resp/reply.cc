#include "resp/reply.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace moon::resp {

namespace {

bool is_line_end(char c) { return c == '\r' || c == '\n'; }

}  // namespace

void Reply::simple(std::string_view text) {
  MOON_DASSERT(text.find_first_of("\r\n") == std::string_view::npos);
  out_->append("+");
  out_->append(text);
  literal("\r\n");
}

void Reply::error(Err code) {
  const std::string_view line = error_text(code);
  note_error(line);
  out_->append("-");
  out_->append(line);
  literal("\r\n");
}

void Reply::error(std::string_view line) {
  while (!line.empty() && is_line_end(line.back())) line.remove_suffix(1);
  while (!line.empty() && is_line_end(line.front())) line.remove_prefix(1);
  note_error(line);
  out_->append("-");
  while (!line.empty()) {
    const size_t clean = std::min(line.find_first_of("\r\n"), line.size());
    out_->append(line.substr(0, clean));
    line.remove_prefix(clean);
    if (line.empty()) break;
    out_->append(" ");
    line.remove_prefix(1);
  }
  literal("\r\n");
}

void Reply::error_format(const char* format, ...) {
  char line[kErrorMax + 1];
  va_list arguments;
  va_start(arguments, format);
  const int size = std::vsnprintf(line, sizeof(line), format, arguments);
  va_end(arguments);
  MOON_ASSERT(size >= 0);
  error(std::string_view(line, std::min(static_cast<size_t>(size), kErrorMax)));
}

void Reply::note_error(std::string_view line) {
  ++errors_;
  const size_t word = std::min(line.find(' '), line.size());
  last_code_size_ = static_cast<uint8_t>(std::min(word, sizeof(last_code_)));
  std::memcpy(last_code_, line.data(), last_code_size_);
}

void Reply::bulk_long(std::string_view bytes) {
  header('$', bytes.size());
  out_->append(bytes);
  literal("\r\n");
}

void Reply::bulk_integer(int64_t value) {
  char digits[kIntegerMax];
  const char* end = format_int64(value, digits);
  bulk({digits, static_cast<size_t>(end - digits)});
}

void Reply::bulk_shared(SharedBytes* bytes) { bulk_shared(bytes, 0, bytes->size()); }

void Reply::bulk_shared(SharedBytes* bytes, size_t offset, size_t size) {
  if (size < kReferenceMin) return bulk(bytes->view().substr(offset, size));
  header('$', size);
  out_->append_shared(bytes, offset, size);
  literal("\r\n");
}

void Reply::map(size_t pairs) {
  if (version_ == 2) {
    header('*', pairs * 2);
  } else {
    header('%', pairs);
  }
}

void Reply::attribute(size_t pairs) {
  MOON_ASSERT(version_ == 3);
  header('|', pairs);
}

void Reply::real(double value) {
  if (version_ == 2) {
    char text[kDoubleMax];
    const char* end = format_double(value, text);
    return bulk({text, static_cast<size_t>(end - text)});
  }
  char* to = out_->reserve(1 + kDoubleMax + 2);
  *to = ',';
  to = format_double(value, to + 1);
  store_word<uint16_t>(to, load_word<uint16_t>("\r\n"));
  out_->commit_to(to + 2);
}

void Reply::long_real(long double value) {
  char text[kLongDoubleMax];
  const char* end = format_long_double(value, text);
  const std::string_view digits(text, static_cast<size_t>(end - text));
  if (version_ == 2) return bulk(digits);
  out_->append(",");
  out_->append(digits);
  literal("\r\n");
}

void Reply::boolean(bool value) {
  if (version_ == 2) return integer(value ? 1 : 0);
  if (value) {
    literal("#t\r\n");
  } else {
    literal("#f\r\n");
  }
}

void Reply::big_number(std::string_view digits) {
  if (version_ == 2) return bulk(digits);
  out_->append("(");
  out_->append(digits);
  literal("\r\n");
}

void Reply::verbatim(std::string_view format3, std::string_view text) {
  MOON_DASSERT(format3.size() == 3);
  if (version_ == 2) return bulk(text);
  header('=', text.size() + format3.size() + 1);
  out_->append(format3);
  out_->append(":");
  out_->append(text);
  literal("\r\n");
}

void Reply::end_deferred(const Mark& mark, char tag, size_t count) {
  char text[kHeaderMax];
  const char* end = write_header(text, tag, count);
  static_assert(kHeaderMax <= OutBuffer::kGapSize);
  out_->close_gap(mark, {text, static_cast<size_t>(end - text)});
}

void Reply::end_deferred_map(const Mark& mark, size_t pairs) {
  if (version_ == 2) {
    end_deferred(mark, '*', pairs * 2);
  } else {
    end_deferred(mark, '%', pairs);
  }
}

void Reply::end_deferred_set(const Mark& mark, size_t count) {
  end_deferred(mark, version_ == 2 ? '*' : '~', count);
}

}  // namespace moon::resp
