#include "base/settings.h"

#include <algorithm>

#include "base/decoder.h"
#include "base/glob.h"
#include "base/lower.h"
#include "base/numbers.h"

namespace moon {
namespace {

constexpr size_t index_of(Setting setting) { return static_cast<size_t>(setting); }

void decode_row(Decoder& in, SettingRow* row) {
  row->name = in.text();
  for (uint16_t n = in.u16(); n > 0 && in.ok(); --n) row->aliases.push_back(in.text());
  row->type = static_cast<SettingType>(in.u8());
  row->flags = in.u32();
  row->min = in.i64();
  row->max = in.i64();
  row->clamp_min = in.i64();
  row->clamp_max = in.i64();
  for (uint16_t n = in.u16(); n > 0 && in.ok(); --n) {
    const std::string_view word = in.text();
    row->words.push_back({word, in.i64()});
  }
  row->default_text = in.text();
  row->refusal = in.text();
}

bool row_is_sound(const SettingRow& row) {
  const bool worded = row.type == SettingType::kEnum || row.type == SettingType::kFlags;
  return !row.name.empty() && row.type < SettingType::kCount && (!worded || !row.words.empty());
}

std::string bad_value(const SettingRow& row, std::string_view value, std::string_view why) {
  std::string text = "'";
  text += row.name;
  if (!row.has(SettingFlag::kSensitive)) {
    text += ' ';
    text += value.empty() ? "\"\"" : value;
  }
  text += "': ";
  text += why;
  return text;
}

bool names_equal(const SettingRow& row, std::string_view name) {
  if (equals_ignore_case(row.name, name)) return true;
  return std::any_of(row.aliases.begin(), row.aliases.end(), [name](std::string_view alias) {
    return equals_ignore_case(alias, name);
  });
}

bool has_glob(std::string_view pattern) {
  return pattern.find_first_of("[*?") != std::string_view::npos;
}

std::string related_to(std::string_view name, std::string_view why) {
  std::string text = "CONFIG SET failed (possibly related to argument '";
  text += name;
  text += "') - ";
  text += why;
  return text;
}

}  // namespace

// --- at start ---------------------------------------------------------------------------------

bool Settings::decode(std::string_view section, std::string* error) {
  Decoder in(section);
  const size_t count = in.u16();
  if (count != kSettingCount) {
    *error = "the table of settings is damaged: " + std::to_string(count) + " rows";
    return false;
  }
  rows_.assign(count, {});
  for (size_t i = 0; i < count; ++i) {
    SettingRow& row = rows_[i];
    row.id = static_cast<Setting>(i);
    decode_row(in, &row);
    const std::string_view current = in.text();
    if (!in.ok() || !row_is_sound(row)) {
      *error = "the table of settings is damaged at row " + std::to_string(i);
      return false;
    }
    SettingValue value;
    std::string why;
    // The default first: a value may say only a part (client-output-buffer-limit).
    std::string_view given = row.default_text;
    bool good = parse_setting(row, given, &value, &why);
    if (good) {
      given = current;
      good = parse_setting(row, given, &value, &why);
    }
    if (!good) {
      *error = bad_value(row, given, why);
      return false;
    }
    store(row.id, value);
  }
  if (in.remaining() != 0) *error = "the table of settings is damaged: bytes behind its end";
  return in.remaining() == 0;
}

void Settings::on_change(Setting setting, ChangeHook hook) {
  hooks_[index_of(setting)] = std::move(hook);
}

// --- reading ----------------------------------------------------------------------------------

OutputLimit Settings::output_limit(ClientClass cls) const {
  const AtomicLimit& limit = limits_[static_cast<size_t>(cls)];
  return {limit.hard.load(std::memory_order_relaxed), limit.soft.load(std::memory_order_relaxed),
          limit.seconds.load(std::memory_order_relaxed)};
}

std::string Settings::text(Setting setting) const {
  std::lock_guard lock(text_mutex_);
  return texts_[index_of(setting)];
}

std::string Settings::default_text(Setting setting) const {
  SettingValue value;
  std::string unused;
  const SettingRow& the_row = row(setting);
  parse_setting(the_row, the_row.default_text, &value, &unused);
  return value.text;
}

std::vector<double> Settings::percentiles() const {
  const std::string list = text(Setting::kLatencyTrackingInfoPercentiles);
  std::vector<double> values;
  for (std::string_view rest = list; !rest.empty();) {
    const size_t end = std::min(rest.find(' '), rest.size());
    double value = 0;
    if (parse_double(rest.substr(0, end), &value)) values.push_back(value);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return values;
}

const SettingRow* Settings::find(std::string_view name) const {
  for (const SettingRow& each : rows_) {
    if (names_equal(each, name)) return &each;
  }
  return nullptr;
}

std::vector<std::pair<std::string, std::string>> Settings::get_matching(
    std::span<const std::string_view> patterns) const {
  std::vector<std::pair<std::string, std::string>> found;
  const auto add = [&](std::string_view name, Setting setting) {
    for (const auto& [known, value] : found) {
      if (equals_ignore_case(known, name)) return;
    }
    found.emplace_back(name, text(setting));
  };
  for (std::string_view pattern : patterns) {
    if (!has_glob(pattern)) {
      const SettingRow* named = find(pattern);
      if (named != nullptr) add(pattern, named->id);
      continue;
    }
    for (const SettingRow& each : rows_) {
      if (each.has(SettingFlag::kHidden)) continue;
      if (glob_match(pattern, each.name, true)) add(each.name, each.id);
      for (std::string_view alias : each.aliases) {
        if (glob_match(pattern, alias, true)) add(alias, each.id);
      }
    }
  }
  return found;
}

// --- changing ---------------------------------------------------------------------------------

SettingValue Settings::load(Setting setting) const {
  SettingValue value;
  value.number = get(setting);
  value.text = text(setting);
  if (row(setting).type == SettingType::kOutputLimits) {
    for (size_t i = 0; i < value.limits.size(); ++i) {
      value.limits[i] = output_limit(static_cast<ClientClass>(i));
    }
  }
  return value;
}

void Settings::store(Setting setting, const SettingValue& value) {
  ints_[index_of(setting)].store(value.number, std::memory_order_relaxed);
  if (row(setting).type == SettingType::kOutputLimits) {
    for (size_t i = 0; i < limits_.size(); ++i) {
      limits_[i].hard.store(value.limits[i].hard_bytes, std::memory_order_relaxed);
      limits_[i].soft.store(value.limits[i].soft_bytes, std::memory_order_relaxed);
      limits_[i].seconds.store(value.limits[i].soft_seconds, std::memory_order_relaxed);
    }
  }
  std::lock_guard lock(text_mutex_);
  texts_[index_of(setting)] = value.text;
}

bool Settings::may_set(const SettingRow& row, SettingOrigin origin, std::string_view* why) const {
  if (origin == SettingOrigin::kBoot) return true;
  if (row.has(SettingFlag::kImmutable)) {
    *why = "can't set immutable config";
    return false;
  }
  if (!row.has(SettingFlag::kProtected) || origin == SettingOrigin::kHost) return true;
  const int64_t who = get(Setting::kEnableProtectedConfigs);
  if (who == settings_words::kEnableProtectedConfigsYes) return true;
  if (who == settings_words::kEnableProtectedConfigsLocal &&
      origin == SettingOrigin::kLocalClient) {
    return true;
  }
  *why = "can't set protected config";
  return false;
}

// Names to settings, in their order; the first thing wrong is reported.
bool Settings::resolve(std::span<const Assignment> assignments, SettingOrigin origin,
                       std::vector<Setting>* targets, std::string* error) const {
  for (const Assignment& assignment : assignments) {
    const std::string_view name = assignment.first;
    const SettingRow* named = find(name);
    if (named == nullptr) {
      *error = "Unknown option or number of arguments for CONFIG SET - '";
      *error += name;
      *error += '\'';
      return false;
    }
    std::string_view why;
    bool good = may_set(*named, origin, &why);
    if (good && std::find(targets->begin(), targets->end(), named->id) != targets->end()) {
      why = "duplicate parameter";
      good = false;
    }
    if (!good) {
      *error = related_to(name, why);
      return false;
    }
    targets->push_back(named->id);
  }
  return true;
}

bool Settings::set_many(std::span<const Assignment> assignments, SettingOrigin origin,
                        std::string* error, std::vector<Setting>* changed) {
  std::lock_guard one_at_a_time(set_mutex_);
  std::vector<Setting> targets;
  if (!resolve(assignments, origin, &targets, error)) return false;
  std::vector<SettingValue> values;
  for (size_t i = 0; i < targets.size(); ++i) {
    SettingValue value = load(targets[i]);
    std::string why;
    if (!parse_setting(row(targets[i]), assignments[i].second, &value, &why)) {
      *error = related_to(row(targets[i]).name, why);
      return false;
    }
    values.push_back(std::move(value));
  }
  std::vector<Change> changes;
  for (size_t i = 0; i < targets.size(); ++i) {
    SettingValue before = load(targets[i]);
    if (before.text == values[i].text) continue;
    store(targets[i], values[i]);
    changes.push_back({targets[i], std::move(before)});
  }
  if (!apply(changes, error)) return false;
  std::vector<Setting> list;
  for (const Change& change : changes) list.push_back(change.setting);
  if (!list.empty() && observer_) observer_(*this, list);
  if (changed != nullptr) *changed = std::move(list);
  return true;
}

// Runs the hooks; after a veto everything is as before, also for the hooks that had agreed.
bool Settings::apply(std::span<const Change> changes, std::string* error) {
  for (size_t i = 0; i < changes.size(); ++i) {
    const Setting setting = changes[i].setting;
    const ChangeHook& hook = hooks_[index_of(setting)];
    std::string why;
    if (!hook || hook(*this, setting, &why)) continue;
    *error = related_to(row(setting).name, why);
    for (const Change& change : changes) store(change.setting, change.before);
    for (size_t j = 0; j <= i; ++j) {
      const ChangeHook& undo = hooks_[index_of(changes[j].setting)];
      std::string ignored;
      if (undo) undo(*this, changes[j].setting, &ignored);
    }
    return false;
  }
  return true;
}

}  // namespace moon
