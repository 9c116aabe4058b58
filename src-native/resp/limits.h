// Limits of the protocol layer. Any thread. Each constant names what happens at the limit; those
// that Redis has as well carry Redis's value.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>

namespace moon::resp {

// A line without its end (inline request, or a length header): longer is a protocol error.
inline constexpr size_t kInlineMax = 64 * 1024;

// Arguments of one request: more is "invalid multibulk length".
inline constexpr int64_t kArgumentsMax = INT_MAX;

// Before AUTH: more arguments, or a longer one, is a protocol error.
inline constexpr int64_t kArgumentsMaxUnauthenticated = 10;
inline constexpr int64_t kBulkMaxUnauthenticated = 16384;

// proto-max-bulk-len unless configured: a longer argument is "invalid bulk length".
inline constexpr int64_t kBulkMaxDefault = 512LL * 1024 * 1024;

// An argument this long that has not arrived as a whole is received into a SharedBytes block.
inline constexpr size_t kLargeArgumentMin = 16 * 1024;
// What its length header may reserve at once; the block doubles as bytes arrive.
inline constexpr size_t kLargeReserveFirst = 64 * 1024;

// A request that is still partial after this many arguments, or this many bytes, is moved into
// memory of the parser; below, it stays in the input and its headers are read again (a bounded
// cost per receive, and no heap memory).
inline constexpr size_t kRescanArgumentsMax = 16;
inline constexpr size_t kRescanBytesMax = 32 * 1024;

// A bulk reply this long that lives in a SharedBytes block is sent by reference.
inline constexpr size_t kReferenceMin = 16 * 1024;

// A formatted error line is cut here.
inline constexpr size_t kErrorMax = 1024;

}  // namespace moon::resp
