// Making and changing entries: the writing half of Entry, for store/ alone.
//
// REQUIRES the token of the slice in whose slab the entry lies. A block is never grown past
// Slab::usable() of the size it was allocated with.
#pragma once

#include <algorithm>

#include "base/copy.h"
#include "store/entry.h"

namespace moon::store {

// What an entry holds besides its key.
struct EntryValue {
  enum class Kind : uint8_t { kInteger, kText, kPointer };

  Type type = Type::kString;
  Encoding encoding = Encoding::kRaw;
  Kind kind = Kind::kText;
  int64_t integer = 0;
  const char* text = nullptr;  // kText: nullptr leaves the bytes unwritten
  size_t text_size = 0;
  void* pointer = nullptr;     // SharedBytes or container

  static EntryValue of_integer(int64_t value) {
    EntryValue made;
    made.encoding = Encoding::kInt;
    made.kind = Kind::kInteger;
    made.integer = value;
    return made;
  }
  static EntryValue of_text(Encoding encoding, const char* text, size_t size) {
    EntryValue made;
    made.encoding = encoding;
    made.text = text;
    made.text_size = size;
    return made;
  }
  static EntryValue of_pointer(Type type, Encoding encoding, void* pointer) {
    EntryValue made;
    made.type = type;
    made.encoding = encoding;
    made.kind = Kind::kPointer;
    made.pointer = pointer;
    return made;
  }
};

class EntryEdit : public Entry {
 public:
  static EntryEdit* of(Entry* entry) { return static_cast<EntryEdit*>(entry); }

  static size_t size_for(size_t key_size, const EntryValue& value, int64_t deadline_ms) {
    return key_end(key_size) + value_size(value) + tail_size(deadline_ms);
  }

  // In a fresh block of at least size_for(...) bytes.
  static Entry* make(void* block, std::string_view key, const EntryValue& value, uint32_t access,
                     int64_t deadline_ms) {
    auto* entry = static_cast<EntryEdit*>(block);
    entry->raw()[1] = 0;
    entry->set_access(access);
    size_t size = key.size();
    entry->raw()[5] = static_cast<uint8_t>(std::min<size_t>(size, kLongLength));
    if (size >= kLongLength) [[unlikely]] {
      store_word(entry->text_at(kHeaderSize), static_cast<uint32_t>(size));
    }
    copy_bytes(entry->text_at(entry->key_offset()), key.data(), size);
    entry->write_value(value, deadline_ms);
    return entry;
  }

  // Another value and deadline in the same block, which must be large enough. What the old value
  // owned is the caller's.
  void write_value(const EntryValue& value, int64_t deadline_ms) {
    raw()[0] = tag(value.type, value.encoding);
    uint8_t flags = 0;
    char* at = text_at(value_offset());
    switch (value.kind) {
      case EntryValue::Kind::kText:
        at = write_length(at, value.text_size);
        if (value.text != nullptr) copy_bytes(at, value.text, value.text_size);
        break;
      case EntryValue::Kind::kInteger:
        if (fits_narrow(value.integer)) {
          store_word(at, static_cast<int32_t>(value.integer));
        } else {
          store_word(at, value.integer);
          flags = kWideInteger;
        }
        break;
      case EntryValue::Kind::kPointer:
        store_word(at, value.pointer);
        flags = kExternal;
        break;
    }
    raw()[1] = flags;
    write_deadline(deadline_ms);
  }

  // The value as it stands; texts and pointers refer to this entry.
  EntryValue value() const {
    if (has(kExternal)) return EntryValue::of_pointer(type(), encoding(), pointer<void>());
    if (is_integer()) return EntryValue::of_integer(integer());
    DigitBuffer unused;
    std::string_view bytes = text(unused);
    return EntryValue::of_text(encoding(), bytes.data(), bytes.size());
  }
  bool external() const { return has(kExternal); }
  // REQUIRES: an inline text.
  char* inline_text() {
    char* at = text_at(value_offset());
    return static_cast<uint8_t>(*at) < kLongLength ? at + 1 : at + 5;
  }
  // An inline text over another of the same, short length: nothing but the bytes changes. False
  // when that is not what is here.
  bool overwrite_text(Encoding encoding, const char* text, size_t size) {
    if (has(kExternal) || is_integer()) return false;
    char* at = text_at(value_offset());
    if (static_cast<uint8_t>(*at) != size || size >= kLongLength) return false;
    raw()[0] = tag(Type::kString, encoding);
    copy_bytes(at + 1, text, size);
    return true;
  }
  // Likewise an integer over one of the same width.
  bool overwrite_integer(int64_t value) {
    if (!is_integer() || has(kWideInteger) == fits_narrow(value)) return false;
    char* at = text_at(value_offset());
    if (fits_narrow(value)) {
      store_word(at, static_cast<int32_t>(value));
    } else {
      store_word(at, value);
    }
    return true;
  }
  // REQUIRES: external().
  void set_pointer(void* value) { store_word(text_at(value_offset()), value); }
  void set_encoding(Encoding encoding) { raw()[0] = tag(type(), encoding); }

  void set_access(uint32_t bits) {
    raw()[2] = static_cast<uint8_t>(bits);
    raw()[3] = static_cast<uint8_t>(bits >> 8);
    raw()[4] = static_cast<uint8_t>(bits >> 16);
  }

  static bool is_wide(int64_t deadline_ms) {
    return deadline_ms != kNoDeadline && static_cast<uint64_t>(deadline_ms) >= kDeadlineMax;
  }
  // REQUIRES: is_wide() of the old and the new deadline is the same, or the block has room.
  void write_deadline(int64_t deadline_ms) {
    uint64_t narrow = deadline_ms == kNoDeadline ? 0 : static_cast<uint64_t>(deadline_ms);
    raw()[1] &= static_cast<uint8_t>(~kWideDeadline);
    if (is_wide(deadline_ms)) [[unlikely]] {
      store_word(text_at(layout_size()), deadline_ms);
      raw()[1] |= kWideDeadline;
      narrow = kDeadlineMax;
    }
    store_word(text_at(6), static_cast<uint32_t>(narrow));
    store_word(text_at(10), static_cast<uint16_t>(narrow >> 32));
  }

 private:
  static bool fits_narrow(int64_t value) { return value == static_cast<int32_t>(value); }
  static size_t key_end(size_t key_size) {
    return kHeaderSize + key_size + (key_size >= kLongLength ? 4 : 0);
  }
  static size_t value_size(const EntryValue& value) {
    switch (value.kind) {
      case EntryValue::Kind::kText:
        return value.text_size + (value.text_size < kLongLength ? 1 : 5);
      case EntryValue::Kind::kInteger:
        return fits_narrow(value.integer) ? 4 : 8;
      case EntryValue::Kind::kPointer:
        break;
    }
    return sizeof(void*);
  }
  static size_t tail_size(int64_t deadline_ms) { return is_wide(deadline_ms) ? 8 : 0; }
  static char* write_length(char* at, size_t size) {
    if (size < kLongLength) [[likely]] {
      *at = static_cast<char>(size);
      return at + 1;
    }
    *at = static_cast<char>(kLongLength);
    store_word(at + 1, static_cast<uint32_t>(size));
    return at + 5;
  }
  uint8_t* raw() { return reinterpret_cast<uint8_t*>(this); }
  char* text_at(size_t offset) { return reinterpret_cast<char*>(this) + offset; }
};

}  // namespace moon::store
