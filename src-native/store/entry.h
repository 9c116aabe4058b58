// One key with its value: the unit the table refers to. Lives in its slice's slab allocator and
// is touched only under the slice's token. Handlers see it const; WriteScope alone changes it.
//
//   0        1        2               5         6                       12
//   +--------+--------+---------------+---------+-----------------------+-------------+-------
//   | type 4 | flags  | access        | key len | deadline ms, 48 bit   | [key len 4] | key ...
//   | enc  4 |        | (LRU/LFU) 24  | or 255  | 0 = no TTL            | only if 255 |
//   +--------+--------+---------------+---------+-----------------------+-------------+-------
//   value: integer of 4 or 8 bytes | length (1, or 255 and 4) and bytes | pointer of 8 bytes
//          (SharedBytes or container), all unaligned
//   tail:  deadline of 8 bytes, only if it does not fit in 48 bits
//
// Invariants:
// (1) the slab class of an entry follows from its header and lengths (footprint());
// (2) encoding() is what OBJECT ENCODING reports; where the bytes live (inline or in a
//     SharedBytes) is another matter (kExternal);
// (3) the deadline field is always there: a TTL costs no memory.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/assert.h"
#include "base/shared_bytes.h"
#include "base/slab.h"

namespace moon::store {

enum class Type : uint8_t { kString, kList, kSet, kZset, kHash, kStream };
enum class Encoding : uint8_t {
  kRaw, kInt, kEmbstr, kListpack, kIntset, kQuicklist, kHashtable, kSkiplist, kStream
};
inline constexpr size_t kTypeCount = 6;
inline constexpr size_t kEncodingCount = 9;
std::string_view type_name(Type type);          // "string", "list", ... as TYPE answers
std::string_view encoding_name(Encoding code);  // "raw", "int", "embstr", ...

// Room for the digits of an int64, for text().
struct DigitBuffer {
  char digits[24];
};

class Entry {
 public:
  Type type() const { return static_cast<Type>(bytes()[0] & 15); }
  Encoding encoding() const { return static_cast<Encoding>(bytes()[0] >> 4); }
  std::string_view key() const {
    return {chars() + key_offset(), key_size()};
  }
  bool key_equals(std::string_view other) const {
    return key_size() == other.size() &&
           same_bytes(chars() + key_offset(), other.data(), other.size());
  }

  // Milliseconds since the epoch, or kNoDeadline.
  static constexpr int64_t kNoDeadline = -1;
  int64_t deadline_ms() const {
    uint64_t narrow = narrow_deadline();
    if (narrow == 0) return kNoDeadline;
    return has(kWideDeadline) ? wide_deadline() : static_cast<int64_t>(narrow);
  }
  bool has_deadline() const { return narrow_deadline() != 0; }
  // As Redis: a key is there up to and including its deadline's millisecond.
  bool expired(int64_t now_ms) const {
    uint64_t narrow = narrow_deadline();
    return narrow != 0 && static_cast<int64_t>(narrow) < now_ms;
  }

  // Strings. REQUIRES: type() == kString.
  bool is_integer() const { return bytes()[0] == tag(Type::kString, Encoding::kInt); }
  int64_t integer() const {  // REQUIRES: is_integer()
    const char* at = chars() + value_offset();
    return has(kWideInteger) ? load<int64_t>(at) : load<int32_t>(at);
  }
  std::string_view text(DigitBuffer& scratch) const {  // the bytes; digits of an integer
    if (is_integer()) [[unlikely]] return integer_text(scratch);
    const char* at = chars() + value_offset();
    if (has(kExternal)) [[unlikely]] return load<SharedBytes*>(at)->view();
    uint32_t size = static_cast<uint8_t>(*at);
    if (size < kLongLength) return {at + 1, size};
    return {at + 5, load<uint32_t>(at + 1)};
  }
  size_t text_size() const;                            // STRLEN
  // The block, or nullptr when inline. A reply that sends it by reference adds its own reference.
  SharedBytes* shared() const {
    return type() == Type::kString && has(kExternal) ? pointer<SharedBytes>() : nullptr;
  }

  // Containers (rooms to come): the object, whose layout follows from type and encoding.
  void* object() const {
    MOON_DASSERT(type() != Type::kString);
    return pointer<void>();
  }

  // Access bits for LRU/LFU (store/access.h gives them meaning).
  uint32_t access() const { return load<uint32_t>(chars() + 2) & 0xffffff; }

  size_t layout_size() const {    // header, key, value as laid out above
    size_t size = value_offset();
    uint32_t flags = bytes()[1];
    if (flags == 0 && !is_integer()) [[likely]] return size + text_room(chars() + size);
    if ((flags & kExternal) != 0) {
      size += sizeof(void*);
    } else if (is_integer()) {
      size += (flags & kWideInteger) != 0 ? 8 : 4;
    } else {
      size += text_room(chars() + size);
    }
    return (flags & kWideDeadline) != 0 ? size + 8 : size;
  }
  size_t footprint() const { return Slab::charged(layout_size()); }  // bytes taken in the slab
  // The footprint and, of a string, its SharedBytes. What a container owns its ObjectOps know:
  // Slice::memory_of() adds that.
  size_t memory() const;

 protected:
  enum Flag : uint8_t {
    kExternal = 1 << 0,      // the value is a pointer
    kWideInteger = 1 << 1,   // the integer takes 8 bytes, not 4
    kWideDeadline = 1 << 2,  // the deadline is in the tail, the header holds kDeadlineMax
  };
  static constexpr uint32_t kLongLength = 255;
  static constexpr size_t kHeaderSize = 12;
  static constexpr uint64_t kDeadlineMax = (uint64_t{1} << 48) - 1;

  // memcmp is a library call: for the length of a key its cost is the call.
  static bool same_bytes(const char* a, const char* b, size_t size) {
    if (size > 32 || size < 4) return std::memcmp(a, b, size) == 0;
    if (size >= 8) {
      uint64_t differ = (load<uint64_t>(a) ^ load<uint64_t>(b)) |
                        (load<uint64_t>(a + size - 8) ^ load<uint64_t>(b + size - 8));
      if (size > 16) {
        differ |= (load<uint64_t>(a + 8) ^ load<uint64_t>(b + 8)) |
                  (load<uint64_t>(a + size - 16) ^ load<uint64_t>(b + size - 16));
      }
      return differ == 0;
    }
    return ((load<uint32_t>(a) ^ load<uint32_t>(b)) |
            (load<uint32_t>(a + size - 4) ^ load<uint32_t>(b + size - 4))) == 0;
  }

  static constexpr uint8_t tag(Type type, Encoding encoding) {
    return static_cast<uint8_t>(static_cast<int>(type) | static_cast<int>(encoding) << 4);
  }
  template <typename T>
  static T load(const char* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }

  const uint8_t* bytes() const { return reinterpret_cast<const uint8_t*>(this); }
  const char* chars() const { return reinterpret_cast<const char*>(this); }
  bool has(Flag flag) const { return (bytes()[1] & flag) != 0; }
  size_t key_offset() const {
    return bytes()[5] == kLongLength ? kHeaderSize + 4 : kHeaderSize;
  }
  size_t key_size() const {
    uint32_t size = bytes()[5];
    return size == kLongLength ? load<uint32_t>(chars() + kHeaderSize) : size;
  }
  size_t value_offset() const { return key_offset() + key_size(); }
  uint64_t narrow_deadline() const { return load<uint64_t>(chars() + 4) >> 16; }
  static size_t text_room(const char* at) {  // an inline text with its length
    uint32_t length = static_cast<uint8_t>(*at);
    return length < kLongLength ? 1 + length : size_t{5} + load<uint32_t>(at + 1);
  }
  int64_t wide_deadline() const;
  std::string_view integer_text(DigitBuffer& scratch) const;
  template <typename T>
  T* pointer() const {
    return load<T*>(chars() + value_offset());
  }

  Entry() = default;
  uint8_t header_[kHeaderSize];
};
static_assert(sizeof(Entry) == 12);
static_assert(alignof(Entry) == 1);

}  // namespace moon::store
