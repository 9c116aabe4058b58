// Which arguments of a command are keys, from the row's key specs.
//
// Pure functions on the argument views; any thread. Indexes count from the command word (0).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "dispatch/command_row.h"

namespace moon {

struct KeyRef {
  uint32_t index = 0;  // into the arguments
  uint32_t flags = 0;  // KeyFlag
};

enum class KeyExtract : uint8_t {
  kOk,
  kInvalid,  // the arguments contradict the spec (a count that is no number or too large)
  kUnknown,  // the row's specs do not tell (incomplete): the handler must know
};

// Appends the keys to *out in argument order of the specs. With KeyFlag::kNotKey specs left out.
KeyExtract extract_keys(const CommandRow& row, std::span<const std::string_view> args,
                        std::vector<KeyRef>* out);

}  // namespace moon
