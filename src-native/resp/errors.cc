#include "resp/errors.h"

#include <iterator>

#include "base/assert.h"

namespace moon::resp {

namespace {

constexpr std::string_view kTexts[] = {
#define MOON_X(name, text) text,
    MOON_RESP_ERRORS(MOON_X)
#undef MOON_X
};
static_assert(std::size(kTexts) == static_cast<size_t>(Err::kCount));

// Protocol bytes in a text would end the reply early; the code is a word in capitals.
constexpr bool texts_are_lines() {
  for (std::string_view text : kTexts) {
    if (text.empty() || text[0] == '-' || text.find(' ') == std::string_view::npos) return false;
    if (text.find_first_of("\r\n") != std::string_view::npos) return false;
  }
  return true;
}
static_assert(texts_are_lines());

}  // namespace

std::string_view error_text(Err code) {
  MOON_DASSERT(code < Err::kCount);
  return kTexts[static_cast<size_t>(code)];
}

}  // namespace moon::resp
