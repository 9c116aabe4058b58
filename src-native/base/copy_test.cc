#include "base/copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

namespace moon {
namespace {

TEST(Copy, EveryLength) {
  for (size_t size = 0; size <= 100; ++size) {
    // Exact allocations, so that the sanitizer sees a byte too many.
    const auto from = std::make_unique<char[]>(size);
    const auto to = std::make_unique<char[]>(size);
    for (size_t i = 0; i < size; ++i) from[i] = static_cast<char>('a' + i % 26);
    EXPECT_EQ(copy_bytes(to.get(), from.get(), size), to.get() + size);
    EXPECT_TRUE(std::equal(from.get(), from.get() + size, to.get()));
  }
}

}  // namespace
}  // namespace moon
