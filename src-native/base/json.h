// Writing JSON strings. Any thread.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace moon {

// Appends `bytes` as a JSON string. Bytes of 0x80 and above are written as the code points
// U+0080..U+00FF: the text is valid JSON whatever the bytes are.
inline void append_json_string(std::string* out, std::string_view bytes) {
  *out += '"';
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == '"' || byte == '\\') {
      *out += '\\';
      *out += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", byte);
      *out += escape;
    } else {
      *out += c;
    }
  }
  *out += '"';
}

}  // namespace moon
