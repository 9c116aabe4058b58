// The first bytes of the input choose limits and pieces; the rest is what a client sends, once as
// a whole and once in pieces. Both must give the same requests and the same error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "resp/parser_harness.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using moon::resp::ParserHarness;
  if (size < 2) return 0;
  const moon::resp::ParserLimits limits = {moon::resp::kBulkMaxDefault, (data[0] & 1) == 0};
  const size_t stride = 1 + data[1] % 61U;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);

  ParserHarness whole(limits);
  whole.feed(bytes);
  ParserHarness pieces(limits);
  size_t step = stride;
  for (size_t at = 0; at < bytes.size(); at += step, step = 1 + (step * 7 + stride) % 61) {
    if (!pieces.feed(bytes.substr(at, step))) break;
  }
  MOON_ASSERT(whole.requests() == pieces.requests());
  MOON_ASSERT(whole.error() == pieces.error());
  return 0;
}
