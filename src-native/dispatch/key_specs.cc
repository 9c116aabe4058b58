#include "dispatch/key_specs.h"

#include "base/lower.h"
#include "base/numbers.h"

namespace moon {
namespace {

// Positions as signed numbers: specs count from the end and before the beginning.
using Args = std::span<const std::string_view>;

// Where the search begins; 0 when the keyword is not there (no keys then), negative when the spec
// is unknown.
int64_t begin_of(const KeySpec& spec, Args args) {
  switch (spec.begin) {
    case KeySpec::Begin::kIndex:
      return spec.index;
    case KeySpec::Begin::kKeyword: {
      const auto count = static_cast<int64_t>(args.size());
      const bool forwards = spec.index > 0;
      const int64_t start = forwards ? spec.index : count + spec.index;
      for (int64_t at = start; at > 0 && at < count; at += forwards ? 1 : -1) {
        if (equals_ignore_case(args[static_cast<size_t>(at)], spec.keyword)) return at + 1;
      }
      return 0;
    }
    case KeySpec::Begin::kUnknown:
      break;
  }
  return -1;
}

struct Range {
  int64_t first = 0;
  int64_t last = -1;
};

// False when the arguments contradict the spec.
bool range_of(const KeySpec& spec, Args args, int64_t begin, Range* range) {
  const auto count = static_cast<int64_t>(args.size());
  if (spec.find == KeySpec::Find::kRange) {
    range->first = begin;
    if (spec.last >= 0) {
      range->last = begin + spec.last;
    } else if (spec.limit > 1 && spec.last == -1) {
      range->last = begin + (count - begin) / spec.limit + spec.last;
    } else {
      range->last = count + spec.last;
    }
    return range->first >= 0 && range->last < count;
  }
  const int64_t place = begin + spec.key_num;
  int64_t keys = 0;
  if (place < 0 || place >= count) return false;
  if (!parse_int64(args[static_cast<size_t>(place)], &keys) || keys < 0) return false;
  range->first = begin + spec.first_key;
  if (keys > (count - range->first + spec.step - 1) / spec.step) return false;
  range->last = range->first + (keys - 1) * spec.step;
  return range->first >= 0 && range->last < count;
}

}  // namespace

KeyExtract extract_keys(const CommandRow& row, std::span<const std::string_view> args,
                        std::vector<KeyRef>* out) {
  KeyExtract result = KeyExtract::kOk;
  for (const KeySpec& spec : row.key_specs) {
    if ((spec.flags & KeyFlag::kNotKey) != 0) continue;
    if ((spec.flags & KeyFlag::kIncomplete) != 0) result = KeyExtract::kUnknown;
    const int64_t begin = begin_of(spec, args);
    if (begin < 0 || spec.find == KeySpec::Find::kUnknown) {
      result = KeyExtract::kUnknown;
      continue;
    }
    if (begin == 0 || begin >= static_cast<int64_t>(args.size())) continue;
    Range range;
    if (!range_of(spec, args, begin, &range)) return KeyExtract::kInvalid;
    for (int64_t at = range.first; at <= range.last; at += spec.step) {
      out->push_back({static_cast<uint32_t>(at), spec.flags});
    }
  }
  return result;
}

}  // namespace moon
