// Assertions. Any thread.
//
// MOON_ASSERT is always on: use it for cheap checks of invariants whose violation would corrupt
// data. MOON_DASSERT is compiled in debug and sanitizer builds only (MOON_DEBUG). One condition
// each, so that the message names what failed.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace moon {

[[noreturn, gnu::cold, gnu::noinline]] inline void assert_failed(const char* condition,
                                                                const char* file, int line) {
  std::fprintf(stderr, "moon-server: assertion failed: %s (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace moon

#define MOON_ASSERT(condition)                                                    \
  (__builtin_expect(static_cast<bool>(condition), true)                           \
       ? static_cast<void>(0)                                                     \
       : ::moon::assert_failed(#condition, __FILE__, __LINE__))

#ifdef MOON_DEBUG
#define MOON_DASSERT(condition) MOON_ASSERT(condition)
#else
#define MOON_DASSERT(condition) static_cast<void>(0)
#endif
