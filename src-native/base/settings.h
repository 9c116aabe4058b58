// Settings: the typed table of directives (rows: src/config/*.ts), read by every thread, changed
// by CONFIG SET.
//
// get() is for hot paths: one relaxed load. Text values are copied out under a mutex. set_many()
// is serialized by its own mutex and may be called from any thread.
//
// Invariants
// (1) set_many() is all or nothing: a value that does not parse, or a hook that vetoes, leaves the
//     table as it was, and hooks that had run are run again with the old values. Between storing
//     and a veto other threads may read the new value for a moment.
// (2) Every setting has an integer (0/1 for yes/no, the number, the word's value, the flags' OR,
//     0 for texts) and a text (what CONFIG GET prints).
// (3) The blob given to decode() outlives the table: names, words and defaults are views into it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace moon {

enum class Setting : uint16_t {
#define MOON_SETTING(id) id,
#define MOON_SETTING_WORD(id, value)
#include "base/generated/settings.inc"
#undef MOON_SETTING
#undef MOON_SETTING_WORD
  kCount
};

inline constexpr size_t kSettingCount = static_cast<size_t>(Setting::kCount);

// The words of enum and flags settings, e.g. settings_words::kMaxmemoryPolicyAllkeysLru.
namespace settings_words {
#define MOON_SETTING(id)
#define MOON_SETTING_WORD(id, value) inline constexpr int64_t id = value;
#include "base/generated/settings.inc"
#undef MOON_SETTING
#undef MOON_SETTING_WORD
}  // namespace settings_words

// Order as in src/config/types.ts.
enum class SettingType : uint8_t {
  kBool,
  kInt,
  kOctal,
  kMemory,
  kPercentOrMemory,  // a percentage is kept as its negative
  kEnum,
  kFlags,
  kText,
  kWordList,        // blanks between words; printed joined by one blank
  kOutputLimits,    // client-output-buffer-limit
  kKeyspaceEvents,  // notify-keyspace-events
  kPercentiles,     // latency-tracking-info-percentiles
  kCount
};

// Bits as in src/config/types.ts.
struct SettingFlag {
  static constexpr uint32_t kImmutable = 1 << 0;  // CONFIG SET answers "can't set immutable config"
  static constexpr uint32_t kProtected = 1 << 1;  // needs enable-protected-configs
  static constexpr uint32_t kHidden = 1 << 2;     // not matched by CONFIG GET patterns
  static constexpr uint32_t kSensitive = 1 << 3;  // never printed in logs
  static constexpr uint32_t kMultiArg = 1 << 4;   // the conf file gives several words
  static constexpr uint32_t kOnlyDefault = 1 << 5;  // anything but the default is refused
  static constexpr uint32_t kFileName = 1 << 6;     // a text that may not hold a slash
};

// Who asks. kBoot may set everything; kHost is the Node program (startServer, server.config.set).
enum class SettingOrigin : uint8_t { kBoot, kHost, kLocalClient, kRemoteClient };

enum class ClientClass : uint8_t { kNormal, kReplica, kPubsub };

struct OutputLimit {
  uint64_t hard_bytes = 0;
  uint64_t soft_bytes = 0;
  int64_t soft_seconds = 0;
};

// Bits of get(Setting::kNotifyKeyspaceEvents); the classes are those of the store's events.
struct KeyspaceEventBit {
  static constexpr int64_t kGeneric = 1 << 0;   // g
  static constexpr int64_t kString = 1 << 1;    // $
  static constexpr int64_t kList = 1 << 2;      // l
  static constexpr int64_t kSet = 1 << 3;       // s
  static constexpr int64_t kHash = 1 << 4;      // h
  static constexpr int64_t kZset = 1 << 5;      // z
  static constexpr int64_t kExpired = 1 << 6;   // x
  static constexpr int64_t kEvicted = 1 << 7;   // e
  static constexpr int64_t kStream = 1 << 8;    // t
  static constexpr int64_t kNew = 1 << 9;       // n
  static constexpr int64_t kMiss = 1 << 10;     // m
  static constexpr int64_t kModule = 1 << 11;   // d
  static constexpr int64_t kKeyspace = 1 << 12;  // K: __keyspace@<db>__ channels
  static constexpr int64_t kKeyevent = 1 << 13;  // E: __keyevent@<db>__ channels
};

struct SettingWord {
  std::string_view word;
  int64_t value = 0;
};

struct SettingRow {
  Setting id{};
  std::string_view name;
  std::vector<std::string_view> aliases;
  SettingType type{};
  uint32_t flags = 0;
  int64_t min = 0;
  int64_t max = 0;
  int64_t clamp_min = 0;  // the value is silently brought into [clamp_min, clamp_max]
  int64_t clamp_max = 0;
  std::vector<SettingWord> words;
  std::string_view default_text;
  std::string_view refusal;  // kOnlyDefault: why nothing else is accepted

  bool has(uint32_t flag) const { return (flags & flag) != 0; }
};

// A parsed value: what get() and text() return, and the limits of client-output-buffer-limit.
struct SettingValue {
  int64_t number = 0;
  std::string text;
  std::array<OutputLimit, 3> limits{};
};

// Pure: the rules of one directive. False with *error in Redis's words. *value comes with the
// present value: client-output-buffer-limit may name one class only and keep the others.
bool parse_setting(const SettingRow& row, std::string_view given, SettingValue* value,
                   std::string* error);

class Settings {
 public:
  using Assignment = std::pair<std::string_view, std::string_view>;
  // Runs on the thread that called set_many(), after the new values are stored. Returning false
  // vetoes the whole call; *error then says why (no prefix, it becomes the end of Redis's text).
  using ChangeHook = std::function<bool(const Settings&, Setting, std::string* error)>;
  // Told once per successful set_many() that changed something; it must not call set_many().
  using Observer = std::function<void(const Settings&, std::span<const Setting>)>;

  Settings() = default;
  Settings(const Settings&) = delete;
  Settings& operator=(const Settings&) = delete;

  // Reads the settings section of the blob. False with *error naming directive and cause.
  bool decode(std::string_view section, std::string* error);

  // Hot.
  int64_t get(Setting setting) const {
    return ints_[static_cast<size_t>(setting)].load(std::memory_order_relaxed);
  }
  bool on(Setting setting) const { return get(setting) != 0; }
  OutputLimit output_limit(ClientClass cls) const;

  // As CONFIG GET prints it.
  std::string text(Setting setting) const;
  std::string default_text(Setting setting) const;  // the default in the same canonical form
  std::vector<double> percentiles() const;

  const SettingRow& row(Setting setting) const { return rows_[static_cast<size_t>(setting)]; }
  std::span<const SettingRow> rows() const { return rows_; }
  // By name or alias, any case; nullptr when there is none.
  const SettingRow* find(std::string_view name) const;

  // CONFIG SET. On failure *error holds the reply's text without the leading "ERR ".
  // *changed (may be null) receives the settings whose value is another one now.
  bool set_many(std::span<const Assignment> assignments, SettingOrigin origin,
                std::string* error, std::vector<Setting>* changed = nullptr);

  // CONFIG GET: (name, value) once each; a pattern without glob characters is a plain name and is
  // echoed as typed.
  std::vector<std::pair<std::string, std::string>> get_matching(
      std::span<const std::string_view> patterns) const;

  // At most one hook a setting. Before the threads run.
  void on_change(Setting setting, ChangeHook hook);
  void set_observer(Observer observer) { observer_ = std::move(observer); }

 private:
  struct Change {
    Setting setting{};
    SettingValue before;
  };

  SettingValue load(Setting setting) const;
  void store(Setting setting, const SettingValue& value);
  bool resolve(std::span<const Assignment> assignments, SettingOrigin origin,
               std::vector<Setting>* targets, std::string* error) const;
  bool may_set(const SettingRow& row, SettingOrigin origin, std::string_view* why) const;
  bool apply(std::span<const Change> changes, std::string* error);

  std::vector<SettingRow> rows_;
  std::array<std::atomic<int64_t>, kSettingCount> ints_{};
  struct AtomicLimit {
    std::atomic<uint64_t> hard{0};
    std::atomic<uint64_t> soft{0};
    std::atomic<int64_t> seconds{0};
  };
  std::array<AtomicLimit, 3> limits_{};
  mutable std::mutex text_mutex_;
  std::array<std::string, kSettingCount> texts_;  // guarded by text_mutex_
  std::mutex set_mutex_;                          // one set_many() at a time
  std::array<ChangeHook, kSettingCount> hooks_;
  Observer observer_;
};

}  // namespace moon
