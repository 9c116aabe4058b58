// Bit positions as SETBIT, GETBIT and BITFIELD take them. Called by handlers, on the thread that
// executes the command.
#pragma once

#include <cstdint>
#include <string_view>

#include "dispatch/context.h"

namespace moon::commands {

// A bit's position; it must lie in a string of proto-max-bulk-len bytes. False after the error
// reply was written.
bool take_bit_offset(Context& ctx, std::string_view text, uint64_t* offset);

// As above; "#3" is the position of the fourth field of `bits` bits.
bool take_field_offset(Context& ctx, std::string_view text, unsigned bits, uint64_t* offset);

}  // namespace moon::commands
