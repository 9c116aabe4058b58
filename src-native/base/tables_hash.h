// The hash of the TypeScript tables that this binary was built from (16 hex digits). The blob
// carries the hash of the tables that it was made from; they must be equal.
#pragma once

#include <string_view>

namespace moon {

inline constexpr std::string_view kTablesHash =
#include "base/generated/tables_hash.inc"
    ;

}  // namespace moon
