// What the string families share: a value in a reply, an argument as a value, the limits of a
// string. Called by handlers, on the thread that executes the command.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dispatch/context.h"

namespace moon::commands {

// The bytes of a string entry as a bulk string; a large block goes by reference.
// REQUIRES: entry.type() == kString.
void reply_text(Context& ctx, const store::Entry& entry);

// An argument becomes the value: a block that was received into place is adopted, not copied.
// The deadline stays.
inline void store_argument(Context& ctx, store::WriteScope& scope, std::string_view argument) {
  if (argument.size() >= resp::kLargeArgumentMin) {
    if (SharedBytes* block = ctx.take_large(argument); block != nullptr) {
      return scope.adopt_text(block);
    }
  }
  scope.set_text(argument);
}

inline void drop_deadline(store::WriteScope& scope) {
  if (scope.entry()->has_deadline()) scope.clear_deadline();
}

// Answers WRONGTYPE and is true when the key exists and is no string.
inline bool is_wrong_type(Context& ctx, const store::Entry* entry) {
  if (entry == nullptr || entry->type() == store::Type::kString) return false;
  ctx.reply.error(resp::Err::kWrongType);
  return true;
}

// Answers the error and is true when offset + size exceeds proto-max-bulk-len.
bool is_too_long(Context& ctx, size_t offset, size_t size);

// Counts a lookup as hit or miss, for commands that read through a WriteScope.
void count_lookup(Context& ctx, bool hit);

// An integer argument. False after the error reply was written.
bool take_integer(Context& ctx, std::string_view text, int64_t* value);

// True for -1 -5 and its like: GETRANGE and BITCOUNT answer so before they look further. BITPOS
// does not; there -1 -5 on a short string is its first unit, where both ends are cut to.
inline bool is_backwards(int64_t start, int64_t end) {
  return start < 0 && end < 0 && start > end;
}

// The arguments start and end of a range over `size` units, both counted from the end when
// negative and both included, brought into the string. False: the range is empty.
bool resolve_range(int64_t start, int64_t end, size_t size, size_t* first, size_t* last);

}  // namespace moon::commands
