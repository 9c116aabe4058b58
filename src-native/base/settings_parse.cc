// What a directive accepts and how its value is printed. Texts of errors are Redis's.
#include <cmath>
#include <cstdio>

#include "base/lower.h"
#include "base/numbers.h"
#include "base/settings.h"

namespace moon {
namespace {

// One blank between words, as CONFIG SET takes several of them; two make an empty word.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const size_t end = text.find(' ');
    words.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
    if (text.empty()) words.push_back(text);
  }
  return words;
}

bool fail(std::string* error, std::string_view text) {
  *error = text;
  return false;
}

std::string join_words(const SettingRow& row) {
  std::string list;
  for (const SettingWord& word : row.words) {
    if (!list.empty()) list += ", ";
    list += word.word;
  }
  return list;
}

// --- numbers ----------------------------------------------------------------------------------

bool parse_octal(std::string_view text, int64_t* value) {
  if (text.empty() || text.size() > 20) return false;
  int64_t sum = 0;
  for (const char c : text) {
    if (c < '0' || c > '7') return false;
    sum = sum * 8 + (c - '0');
  }
  *value = sum;
  return true;
}

// An amount too large for an int64 becomes the largest, which the range check then refuses or
// accepts as "no limit".
bool parse_memory(std::string_view text, int64_t* value) {
  uint64_t bytes = 0;
  if (!text.empty() && !parse_memory_size(text, &bytes)) return false;
  *value = bytes > INT64_MAX ? INT64_MAX : static_cast<int64_t>(bytes);
  return true;
}

bool parse_percent(std::string_view text, int64_t* value) {
  if (text.size() < 2 || text.back() != '%') return false;
  int64_t percent = 0;
  if (!parse_int64(text.substr(0, text.size() - 1), &percent) || percent < 0) return false;
  *value = -percent;
  return true;
}

bool take_number(const SettingRow& row, std::string_view given, int64_t* value,
                 std::string* error) {
  switch (row.type) {
    case SettingType::kMemory:
      if (parse_memory(given, value)) return true;
      return fail(error, "argument must be a memory value");
    case SettingType::kPercentOrMemory:
      if (parse_memory(given, value) || parse_percent(given, value)) return true;
      return fail(error, "argument must be a memory or percent value");
    case SettingType::kOctal:
      if (parse_octal(given, value)) return true;
      return fail(error, "argument couldn't be parsed as an octal number");
    default:
      if (parse_int64(given, value)) return true;
      return fail(error, "argument couldn't be parsed into an integer");
  }
}

bool in_range(const SettingRow& row, int64_t value, std::string* error) {
  if (value >= row.min && value <= row.max) return true;
  char text[128];
  if (row.type == SettingType::kPercentOrMemory && value < 0) {
    std::snprintf(text, sizeof text, "percentage argument must be less or equal to %lld",
                  static_cast<long long>(-row.min));
  } else if (row.type == SettingType::kOctal) {
    std::snprintf(text, sizeof text, "argument must be between %llo and %llo inclusive",
                  static_cast<unsigned long long>(row.min),
                  static_cast<unsigned long long>(row.max));
  } else {
    std::snprintf(text, sizeof text, "argument must be between %lld and %lld inclusive",
                  static_cast<long long>(row.min), static_cast<long long>(row.max));
  }
  return fail(error, text);
}

bool parse_number(const SettingRow& row, std::string_view given, SettingValue* out,
                  std::string* error) {
  int64_t value = 0;
  if (!take_number(row, given, &value, error) || !in_range(row, value, error)) return false;
  if (value < row.clamp_min) value = row.clamp_min;
  if (value > row.clamp_max) value = row.clamp_max;
  out->number = value;
  if (row.type == SettingType::kOctal) {
    char text[32];
    std::snprintf(text, sizeof text, "%llo", static_cast<unsigned long long>(value));
    out->text = text;
  } else if (row.type == SettingType::kPercentOrMemory && value < 0) {
    out->text = std::to_string(-value) + '%';
  } else {
    out->text = std::to_string(value);
  }
  return true;
}

// --- words ------------------------------------------------------------------------------------

bool parse_bool(std::string_view given, SettingValue* out, std::string* error) {
  const bool yes = equals_ignore_case(given, "yes");
  if (!yes && !equals_ignore_case(given, "no")) {
    return fail(error, "argument must be 'yes' or 'no'");
  }
  out->number = yes ? 1 : 0;
  out->text = yes ? "yes" : "no";
  return true;
}

const SettingWord* find_word(const SettingRow& row, std::string_view given) {
  for (const SettingWord& word : row.words) {
    if (equals_ignore_case(word.word, given)) return &word;
  }
  return nullptr;
}

bool parse_enum(const SettingRow& row, std::string_view given, SettingValue* out,
                std::string* error) {
  const std::vector<std::string_view> words =
      row.type == SettingType::kFlags ? split(given) : std::vector<std::string_view>{given};
  int64_t value = 0;
  bool known = !words.empty();
  for (std::string_view each : words) {
    const SettingWord* word = find_word(row, each);
    known = known && word != nullptr;
    if (word != nullptr) value |= word->value;
  }
  if (!known) {
    return fail(error, "argument(s) must be one of the following: " + join_words(row));
  }
  out->number = value;
  out->text.clear();
  for (const SettingWord& word : row.words) {
    const bool set = row.type == SettingType::kFlags
                         ? word.value != 0 && (value & word.value) == word.value
                         : word.value == value;
    if (!set) continue;
    if (!out->text.empty()) out->text += ' ';
    out->text += word.word;
  }
  if (out->text.empty()) out->text = row.words.front().word;
  return true;
}

bool parse_word_list(std::string_view given, SettingValue* out) {
  out->text.clear();
  for (std::string_view word : split(given)) {
    if (word.empty()) continue;
    if (!out->text.empty()) out->text += ' ';
    out->text += word;
  }
  return true;
}

// --- the ones of a kind -----------------------------------------------------------------------

constexpr std::string_view kClassNames[] = {"normal", "slave", "pubsub"};

int class_of(std::string_view name) {
  if (equals_ignore_case(name, "replica")) name = "slave";
  for (int i = 0; i < 3; ++i) {
    if (equals_ignore_case(name, kClassNames[i])) return i;
  }
  return -1;
}

bool parse_output_limits(std::string_view given, SettingValue* out, std::string* error) {
  const std::vector<std::string_view> words = split(given);
  if (words.size() % 4 != 0) {
    return fail(error, "Wrong number of arguments in buffer limit configuration.");
  }
  for (size_t i = 0; i < words.size(); i += 4) {
    const int index = class_of(words[i]);
    if (index < 0) {
      return fail(error, "Invalid client class specified in buffer limit configuration.");
    }
    OutputLimit limit;
    if (!parse_memory_size(words[i + 1], &limit.hard_bytes) ||
        !parse_memory_size(words[i + 2], &limit.soft_bytes) ||
        !parse_int64(words[i + 3], &limit.soft_seconds) || limit.soft_seconds < 0) {
      return fail(error,
                  "Error in hard, soft or soft_seconds setting in buffer limit configuration.");
    }
    out->limits[static_cast<size_t>(index)] = limit;
  }
  out->text.clear();
  for (size_t i = 0; i < out->limits.size(); ++i) {
    const OutputLimit& limit = out->limits[i];
    if (i != 0) out->text += ' ';
    out->text += kClassNames[i];
    out->text += ' ' + std::to_string(limit.hard_bytes);
    out->text += ' ' + std::to_string(limit.soft_bytes);
    out->text += ' ' + std::to_string(limit.soft_seconds);
  }
  return true;
}

struct EventLetter {
  char letter;
  int64_t bit;
};

// In the order in which they are printed; `A` stands for the first ten.
constexpr EventLetter kEventClasses[] = {
    {'g', KeyspaceEventBit::kGeneric}, {'$', KeyspaceEventBit::kString},
    {'l', KeyspaceEventBit::kList},    {'s', KeyspaceEventBit::kSet},
    {'h', KeyspaceEventBit::kHash},    {'z', KeyspaceEventBit::kZset},
    {'x', KeyspaceEventBit::kExpired}, {'e', KeyspaceEventBit::kEvicted},
    {'t', KeyspaceEventBit::kStream},  {'d', KeyspaceEventBit::kModule},
    {'n', KeyspaceEventBit::kNew},
};
constexpr EventLetter kEventChannels[] = {
    {'K', KeyspaceEventBit::kKeyspace},
    {'E', KeyspaceEventBit::kKeyevent},
    {'m', KeyspaceEventBit::kMiss},
};

constexpr int64_t all_event_classes() {
  int64_t all = 0;
  for (const EventLetter& each : kEventClasses) all |= each.bit;
  return all & ~KeyspaceEventBit::kNew;
}

int64_t event_bits(char letter) {
  if (letter == 'A') return all_event_classes();
  for (const EventLetter& each : kEventClasses) {
    if (each.letter == letter) return each.bit;
  }
  for (const EventLetter& each : kEventChannels) {
    if (each.letter == letter) return each.bit;
  }
  return 0;
}

bool parse_keyspace_events(std::string_view given, SettingValue* out, std::string* error) {
  int64_t bits = 0;
  for (const char letter : given) {
    const int64_t bit = event_bits(letter);
    if (bit == 0) {
      return fail(error, "Invalid event class character. Use 'Ag$lshzxeKEtmdn'.");
    }
    bits |= bit;
  }
  out->number = bits;
  out->text.clear();
  if ((bits & all_event_classes()) == all_event_classes()) {
    out->text += 'A';  // Redis does not print n beside A
  } else {
    for (const EventLetter& each : kEventClasses) {
      if ((bits & each.bit) != 0) out->text += each.letter;
    }
  }
  for (const EventLetter& each : kEventChannels) {
    if ((bits & each.bit) != 0) out->text += each.letter;
  }
  return true;
}

bool parse_percentiles(std::string_view given, SettingValue* out, std::string* error) {
  std::string text;
  for (std::string_view word : split(given)) {
    double value = 0;
    if (!parse_double(word, &value)) {
      return fail(error, "Invalid latency-tracking-info-percentiles parameters");
    }
    if (value < 0 || value > 100) {
      return fail(error,
                  "latency-tracking-info-percentiles parameters should sit between [0.0,100.0]");
    }
    if (!text.empty()) text += ' ';
    char digits[kDoubleMax];
    text.append(digits, format_double_shortest(std::round(value * 1e6) / 1e6, digits));
  }
  out->text = text;
  return true;
}

bool parse_by_type(const SettingRow& row, std::string_view given, SettingValue* out,
                   std::string* error) {
  switch (row.type) {
    case SettingType::kBool:
      return parse_bool(given, out, error);
    case SettingType::kInt:
    case SettingType::kOctal:
    case SettingType::kMemory:
    case SettingType::kPercentOrMemory:
      return parse_number(row, given, out, error);
    case SettingType::kEnum:
    case SettingType::kFlags:
      return parse_enum(row, given, out, error);
    case SettingType::kText:
      out->text = given;
      return true;
    case SettingType::kWordList:
      return parse_word_list(given, out);
    case SettingType::kOutputLimits:
      return parse_output_limits(given, out, error);
    case SettingType::kKeyspaceEvents:
      return parse_keyspace_events(given, out, error);
    case SettingType::kPercentiles:
      return parse_percentiles(given, out, error);
    case SettingType::kCount:
      break;
  }
  return fail(error, "unknown type of setting");
}

}  // namespace

bool parse_setting(const SettingRow& row, std::string_view given, SettingValue* value,
                   std::string* error) {
  if (row.has(SettingFlag::kFileName) && given.find('/') != std::string_view::npos) {
    return fail(error, std::string(row.name) + " can't be a path, just a filename");
  }
  if (!parse_by_type(row, given, value, error)) return false;
  if (row.has(SettingFlag::kOnlyDefault) && value->text != row.default_text) {
    return fail(error, row.refusal);
  }
  return true;
}

}  // namespace moon
