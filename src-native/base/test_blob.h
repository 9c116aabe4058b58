// Writes what Decoder reads, for unit tests: the C++ twin of src/native/table-writer.ts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace moon {

class TestBlob {
 public:
  TestBlob& u8(uint8_t value) { return number(value); }
  TestBlob& u16(uint16_t value) { return number(value); }
  TestBlob& i16(int16_t value) { return number(value); }
  TestBlob& u32(uint32_t value) { return number(value); }
  TestBlob& i64(int64_t value) { return number(value); }
  TestBlob& text(std::string_view text) {
    u32(static_cast<uint32_t>(text.size()));
    return raw(text);
  }
  TestBlob& raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  template <typename T>
  TestBlob& number(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }

  std::string bytes_;
};

}  // namespace moon
