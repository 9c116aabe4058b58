#include "store/entry.h"

#include "base/numbers.h"

namespace moon::store {

std::string_view type_name(Type type) {
  static constexpr std::string_view kNames[kTypeCount] = {"string", "list", "set",
                                                          "zset",   "hash", "stream"};
  return kNames[static_cast<size_t>(type)];
}

std::string_view encoding_name(Encoding code) {
  static constexpr std::string_view kNames[kEncodingCount] = {
      "raw",       "int",       "embstr",   "listpack", "intset",
      "quicklist", "hashtable", "skiplist", "stream"};
  return kNames[static_cast<size_t>(code)];
}

size_t Entry::text_size() const {
  if (is_integer()) {
    DigitBuffer scratch;
    return integer_text(scratch).size();
  }
  DigitBuffer unused;
  return text(unused).size();
}

size_t Entry::memory() const {
  SharedBytes* block = shared();
  return footprint() + (block == nullptr ? 0 : Slab::malloc_charge(block->footprint()));
}

int64_t Entry::wide_deadline() const {
  return load<int64_t>(chars() + layout_size() - 8);
}

std::string_view Entry::integer_text(DigitBuffer& scratch) const {
  const char* end = format_int64(integer(), scratch.digits);
  return {scratch.digits, static_cast<size_t>(end - scratch.digits)};
}

}  // namespace moon::store
