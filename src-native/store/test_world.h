// For tests of the store and the rooms above: a keyspace with all tokens held by the test, a clock
// that the test turns, ports that write down what they hear, a container that is only a number.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/test_blob.h"
#include "store/keyspace.h"
#include "store/write_scope.h"

namespace moon::store {

// Settings whose directives are all integers, to be set by id.
class TestSettings {
 public:
  TestSettings() {
    TestBlob blob;
    blob.u16(kSettingCount);
    for (size_t i = 0; i < kSettingCount; ++i) {
      names_.push_back("s" + std::to_string(i));
      blob.text(names_[i]).u16(0).u8(static_cast<uint8_t>(SettingType::kInt)).u32(0);
      blob.i64(0).i64(INT64_MAX).i64(0).i64(INT64_MAX).u16(0);
      blob.text("0").text("").text("0");
    }
    bytes_ = blob.bytes();
    std::string error;
    if (!settings_.decode(bytes_, &error)) ADD_FAILURE() << error;
    set(Setting::kMaxmemoryPolicy, settings_words::kMaxmemoryPolicyNoeviction);
    set(Setting::kMaxmemorySamples, 5);
    set(Setting::kLfuLogFactor, 10);
    set(Setting::kLfuDecayTime, 1);
  }
  void set(Setting setting, int64_t value) {
    std::string text = std::to_string(value), error;
    Settings::Assignment one{names_[static_cast<size_t>(setting)], text};
    if (!settings_.set_many({&one, 1}, SettingOrigin::kBoot, &error)) ADD_FAILURE() << error;
  }
  Settings& get() { return settings_; }

 private:
  std::vector<std::string> names_;
  std::string bytes_;
  Settings settings_;
};

// "set key", "expired key -" ('-': the key is gone).
class RecordingPort : public WritePort {
 public:
  void on_write(const WriteEvent& event) override {
    heard.push_back(std::string(event.event) + " " + std::string(event.key) +
                    (event.entry == nullptr ? " -" : ""));
    origins.push_back(event.origin);
  }
  void on_flush(uint32_t db, const void*) override {
    heard.push_back("flush " + std::to_string(db));
  }
  void on_swap(uint32_t a, uint32_t b, const void*) override {
    heard.push_back("swap " + std::to_string(a) + " " + std::to_string(b));
  }
  std::vector<std::string> heard;
  std::vector<const void*> origins;
};

// A container of `elements`, each of 100 bytes as far as the ledger knows.
struct TestObject {
  size_t elements;
  static size_t memory(const void* object) {
    return static_cast<const TestObject*>(object)->elements * 100 + sizeof(TestObject);
  }
  static void* copy(const void* object) {
    return new TestObject(*static_cast<const TestObject*>(object));
  }
  static bool destroy_step(void* object, size_t budget) {
    auto* self = static_cast<TestObject*>(object);
    if (self->elements > budget) {
      self->elements -= budget;
      return false;
    }
    delete self;
    return true;
  }
};
inline constexpr ObjectOps kTestObjectOps = {TestObject::memory, TestObject::copy,
                                             TestObject::destroy_step};

class World {
 public:
  explicit World(uint32_t slices = 1, uint32_t databases = 16)
      : keyspace(slices, databases, 42, settings.get()) {
    keyspace.objects().set(Type::kList, Encoding::kQuicklist, &kTestObjectOps);
    for (uint32_t i = 0; i < slices; ++i) EXPECT_TRUE(keyspace.slice(i).token.try_acquire());
  }

  // The bytes are kept, as dispatch keeps a command's arguments while its scopes are open.
  KeyRef key(std::string_view bytes) {
    return keyspace.key_ref(*names_.emplace(bytes).first, 1);
  }
  Slice& slice_of(std::string_view bytes) { return keyspace.slice(key(bytes).slice); }
  void set(std::string_view name, std::string_view value, int64_t deadline_ms = -1,
           uint32_t db = 0) {
    WriteScope scope(access, db, key(name));
    scope.set_text(value);
    scope.set_deadline(deadline_ms);
    scope.event(EventClass::kString, "set");
  }
  void set_list(std::string_view name, size_t elements) {
    WriteScope scope(access, 0, key(name));
    scope.set_object(Type::kList, Encoding::kQuicklist, new TestObject{elements});
    scope.event(EventClass::kList, "rpush");
  }
  bool remove(std::string_view name, uint32_t db = 0) {
    WriteScope scope(access, db, key(name));
    if (!scope.exists()) return false;
    scope.remove();
    scope.event(EventClass::kGeneric, "del");
    return true;
  }
  const Entry* peek(std::string_view name, uint32_t db = 0) {
    return find_quiet(access, db, key(name));
  }
  // The text, or "(nil)".
  std::string get(std::string_view name, uint32_t db = 0) {
    const Entry* entry = find_read(access, db, key(name));
    DigitBuffer digits;
    return entry == nullptr ? "(nil)" : std::string(entry->text(digits));
  }
  void drain() {
    for (uint32_t i = 0; i < keyspace.slice_count(); ++i) {
      while (keyspace.slice(i).drain_step(access)) {
      }
    }
  }
  // Compares every slice's ledger with what its entries say one by one.
  void check_ledger() {
    for (uint32_t i = 0; i < keyspace.slice_count(); ++i) {
      Slice& slice = keyspace.slice(i);
      uint64_t entries = 0, strings = 0, containers = 0;
      for (uint32_t db = 0; db < keyspace.database_count(); ++db) {
        if (slice.table(db) == nullptr) continue;
        slice.table(db)->check();
        for (uint64_t at = 0; at != Slice::kScanEnd;) {
          at = slice.scan(db, at, [&](const Entry& entry) {
            entries += entry.footprint();
            if (entry.type() != Type::kString) {
              containers += TestObject::memory(entry.object());
            } else if (entry.shared() != nullptr) {
              strings += Slab::malloc_charge(entry.shared()->footprint());
            }
          });
        }
      }
      EXPECT_EQ(slice.ledger().entries, entries);
      EXPECT_EQ(slice.ledger().strings, strings);
      EXPECT_EQ(slice.ledger().containers, containers);
    }
  }

  TestSettings settings;
  Counters counters;
  Keyspace keyspace;
  Access access{&keyspace, &settings.get(), &counters, 1700000000000, nullptr};

 private:
  std::unordered_set<std::string> names_;
};

}  // namespace moon::store
