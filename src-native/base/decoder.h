// Decoder: reads the little-endian table blob that src/native/encode-tables.ts writes.
//
// Any thread may use its own Decoder; it owns nothing, and every view it hands out points into
// the bytes it was given.
//
// Invariants
// (1) No read goes past the end: the first read that would makes ok() false for good, and it and
//     all later reads return zero or an empty view. Callers check ok() once, after a batch.
// (2) text() is a u32 length followed by that many bytes; it is never NUL-terminated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace moon {

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : rest_(bytes) {}

  bool ok() const { return ok_; }
  size_t remaining() const { return rest_.size(); }

  uint8_t u8() { return number<uint8_t>(); }
  uint16_t u16() { return number<uint16_t>(); }
  uint32_t u32() { return number<uint32_t>(); }
  uint64_t u64() { return number<uint64_t>(); }
  int16_t i16() { return number<int16_t>(); }
  int64_t i64() { return number<int64_t>(); }

  std::string_view text() { return bytes(u32()); }

  std::string_view bytes(size_t count) {
    if (count > rest_.size()) {
      fail();
      return {};
    }
    std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

 private:
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the blob is read in place");

  template <typename T>
  T number() {
    static_assert(std::is_integral_v<T>);
    std::string_view raw = bytes(sizeof(T));
    T value{};
    if (raw.size() == sizeof(T)) std::memcpy(&value, raw.data(), sizeof(T));
    return value;
  }

  void fail() {
    ok_ = false;
    rest_ = {};
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace moon
