#include "base/settings.h"

#include <gtest/gtest.h>

#include "base/test_blob.h"

namespace moon {
namespace {

// --- the rules of one directive ---------------------------------------------------------------

SettingRow row_of(SettingType type, int64_t min = 0, int64_t max = 0) {
  SettingRow row;
  row.name = "x";
  row.type = type;
  row.min = row.clamp_min = min;
  row.max = row.clamp_max = max;
  return row;
}

// The canonical text, or "!" and the error.
std::string parsed(const SettingRow& row, std::string_view given, int64_t* number = nullptr) {
  SettingValue value;
  std::string error;
  if (!parse_setting(row, given, &value, &error)) return "!" + error;
  if (number != nullptr) *number = value.number;
  return value.text;
}

TEST(ParseSetting, Integers) {
  const SettingRow row = row_of(SettingType::kInt, -1, 100);
  EXPECT_EQ(parsed(row, "7"), "7");
  EXPECT_EQ(parsed(row, "-1"), "-1");
  EXPECT_EQ(parsed(row, "101"), "!argument must be between -1 and 100 inclusive");
  for (const char* wrong : {"", "1x", "+5", "05", "1kb", "99999999999999999999"}) {
    EXPECT_EQ(parsed(row, wrong), "!argument couldn't be parsed into an integer") << wrong;
  }
}

TEST(ParseSetting, ClampsSilently) {
  SettingRow row = row_of(SettingType::kInt, 0, 10000);
  row.clamp_min = 1;
  row.clamp_max = 500;
  EXPECT_EQ(parsed(row, "1000"), "500");
  EXPECT_EQ(parsed(row, "0"), "1");
  EXPECT_EQ(parsed(row, "10001"), "!argument must be between 0 and 10000 inclusive");
}

TEST(ParseSetting, Octal) {
  const SettingRow row = row_of(SettingType::kOctal, 0, 0777);
  int64_t number = 0;
  EXPECT_EQ(parsed(row, "700", &number), "700");
  EXPECT_EQ(number, 0700);
  EXPECT_EQ(parsed(row, "9"), "!argument couldn't be parsed as an octal number");
  EXPECT_EQ(parsed(row, "1000"), "!argument must be between 0 and 777 inclusive");
}

TEST(ParseSetting, Memory) {
  const SettingRow row = row_of(SettingType::kMemory, 0, INT64_MAX);
  EXPECT_EQ(parsed(row, "100"), "100");
  EXPECT_EQ(parsed(row, "4gb"), "4294967296");
  EXPECT_EQ(parsed(row, "4G"), "4000000000");
  EXPECT_EQ(parsed(row, "1kB"), "1024");
  EXPECT_EQ(parsed(row, ""), "0");
  EXPECT_EQ(parsed(row, "18446744073709551615"), "9223372036854775807");
  for (const char* wrong : {"x", "-1", "1tb", "5.5kb", " 5", "1gb1"}) {
    EXPECT_EQ(parsed(row, wrong), "!argument must be a memory value") << wrong;
  }
  const SettingRow bounded = row_of(SettingType::kMemory, 1024, 2048);
  EXPECT_EQ(parsed(bounded, "1"), "!argument must be between 1024 and 2048 inclusive");
}

TEST(ParseSetting, PercentOrMemory) {
  const SettingRow row = row_of(SettingType::kPercentOrMemory, -100, INT64_MAX);
  int64_t number = 0;
  EXPECT_EQ(parsed(row, "5%", &number), "5%");
  EXPECT_EQ(number, -5);
  EXPECT_EQ(parsed(row, "1mb"), "1048576");
  EXPECT_EQ(parsed(row, "101%"), "!percentage argument must be less or equal to 100");
  EXPECT_EQ(parsed(row, "-5%"), "!argument must be a memory or percent value");
  EXPECT_EQ(parsed(row, "%"), "!argument must be a memory or percent value");
}

TEST(ParseSetting, BoolEnumFlags) {
  EXPECT_EQ(parsed(row_of(SettingType::kBool), "YES"), "yes");
  EXPECT_EQ(parsed(row_of(SettingType::kBool), "1"), "!argument must be 'yes' or 'no'");
  SettingRow row = row_of(SettingType::kEnum);
  row.words = {{"one", 0}, {"two", 1}};
  EXPECT_EQ(parsed(row, "Two"), "two");
  EXPECT_EQ(parsed(row, ""), "!argument(s) must be one of the following: one, two");
  SettingRow flags = row_of(SettingType::kFlags);
  flags.words = {{"default", 0}, {"save", 1}, {"nosave", 2}, {"now", 4}};
  EXPECT_EQ(parsed(flags, "now nosave"), "nosave now");
  EXPECT_EQ(parsed(flags, "default"), "default");
  EXPECT_EQ(parsed(flags, "default now"), "now");
  EXPECT_EQ(parsed(flags, "now foo"),
            "!argument(s) must be one of the following: default, save, nosave, now");
}

TEST(ParseSetting, OutputLimitsKeepTheOtherClasses) {
  const SettingRow row = row_of(SettingType::kOutputLimits);
  SettingValue value;
  std::string error;
  ASSERT_TRUE(parse_setting(row, "normal 0 0 0 slave 256mb 64mb 60 pubsub 32mb 8mb 60", &value,
                            &error));
  EXPECT_EQ(value.text, "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60");
  ASSERT_TRUE(parse_setting(row, "REPLICA 1kb 2 3", &value, &error));
  EXPECT_EQ(value.text, "normal 0 0 0 slave 1024 2 3 pubsub 33554432 8388608 60");
  EXPECT_EQ(value.limits[1].hard_bytes, 1024u);
  EXPECT_FALSE(parse_setting(row, "normal 0 0", &value, &error));
  EXPECT_EQ(error, "Wrong number of arguments in buffer limit configuration.");
  EXPECT_FALSE(parse_setting(row, "master 0 0 0", &value, &error));
  EXPECT_EQ(error, "Invalid client class specified in buffer limit configuration.");
  EXPECT_FALSE(parse_setting(row, "normal 0 x 0", &value, &error));
  EXPECT_EQ(error, "Error in hard, soft or soft_seconds setting in buffer limit configuration.");
}

TEST(ParseSetting, KeyspaceEvents) {
  const SettingRow row = row_of(SettingType::kKeyspaceEvents);
  int64_t bits = 0;
  EXPECT_EQ(parsed(row, "KEA"), "AKE");
  EXPECT_EQ(parsed(row, "Ex$", &bits), "$xE");
  EXPECT_EQ(bits, KeyspaceEventBit::kKeyevent | KeyspaceEventBit::kExpired |
                      KeyspaceEventBit::kString);
  EXPECT_EQ(parsed(row, "KEdn"), "dnKE");
  EXPECT_EQ(parsed(row, "AKEnm"), "AKEm");
  EXPECT_EQ(parsed(row, ""), "");
  EXPECT_EQ(parsed(row, "Q"), "!Invalid event class character. Use 'Ag$lshzxeKEtmdn'.");
}

TEST(ParseSetting, Percentiles) {
  const SettingRow row = row_of(SettingType::kPercentiles);
  EXPECT_EQ(parsed(row, "50 99.9 33.333333333 1e1"), "50 99.9 33.333333 10");
  EXPECT_EQ(parsed(row, ""), "");
  EXPECT_EQ(parsed(row, "x"), "!Invalid latency-tracking-info-percentiles parameters");
  EXPECT_EQ(parsed(row, "100.1"),
            "!latency-tracking-info-percentiles parameters should sit between [0.0,100.0]");
}

TEST(ParseSetting, OnlyTheDefaultAndFileNames) {
  SettingRow row = row_of(SettingType::kBool);
  row.flags = SettingFlag::kOnlyDefault;
  row.default_text = "no";
  row.refusal = "not here";
  EXPECT_EQ(parsed(row, "no"), "no");
  EXPECT_EQ(parsed(row, "yes"), "!not here");
  EXPECT_EQ(parsed(row, "maybe"), "!argument must be 'yes' or 'no'");
  SettingRow file = row_of(SettingType::kText);
  file.name = "dbfilename";
  file.flags = SettingFlag::kFileName;
  EXPECT_EQ(parsed(file, "dump.rdb"), "dump.rdb");
  EXPECT_EQ(parsed(file, "a/b"), "!dbfilename can't be a path, just a filename");
}

// --- the table --------------------------------------------------------------------------------

struct TestRow {
  std::string name;
  SettingType type = SettingType::kText;
  uint32_t flags = 0;
  int64_t max = 0;
  std::string alias;
  std::string default_text;
  std::string current;
};

// A table with kSettingCount rows: `special` ones where they are given, plain texts elsewhere.
std::string table_of(const std::vector<std::pair<Setting, TestRow>>& special) {
  TestBlob blob;
  blob.u16(static_cast<uint16_t>(kSettingCount));
  for (size_t i = 0; i < kSettingCount; ++i) {
    TestRow row;
    row.name = "row-" + std::to_string(i);
    for (const auto& [id, given] : special) {
      if (static_cast<size_t>(id) == i) row = given;
    }
    blob.text(row.name).u16(row.alias.empty() ? 0 : 1);
    if (!row.alias.empty()) blob.text(row.alias);
    blob.u8(static_cast<uint8_t>(row.type)).u32(row.flags);
    blob.i64(0).i64(row.max).i64(0).i64(row.max);
    const bool worded = row.type == SettingType::kEnum;
    blob.u16(worded ? 3 : 0);
    if (worded) blob.text("no").i64(0).text("yes").i64(1).text("local").i64(2);
    blob.text(row.default_text).text("").text(row.current);
  }
  return blob.bytes();
}

class SettingsTable : public testing::Test {
 protected:
  void SetUp() override {
    bytes_ = table_of({
        {Setting::kMaxmemory, {"maxmemory", SettingType::kMemory, 0, INT64_MAX, "", "0", "1kb"}},
        {Setting::kTimeout, {"timeout", SettingType::kInt, 0, 100, "time-out", "0", "0"}},
        {Setting::kDatabases,
         {"databases", SettingType::kInt, SettingFlag::kImmutable, 100, "", "16", "16"}},
        {Setting::kDir, {"dir", SettingType::kText, SettingFlag::kProtected, 0, "", "./", "./"}},
        {Setting::kEnableProtectedConfigs,
         {"enable-protected-configs", SettingType::kEnum, 0, 0, "", "no", "no"}},
        {Setting::kLogfile, {"logfile", SettingType::kText, SettingFlag::kHidden, 0, "", "", ""}},
    });
    std::string error;
    ASSERT_TRUE(settings_.decode(bytes_, &error)) << error;
  }

  // "" or the error.
  std::string set(std::vector<Settings::Assignment> list,
                  SettingOrigin origin = SettingOrigin::kRemoteClient) {
    std::string error;
    changed_.clear();
    return settings_.set_many(list, origin, &error, &changed_) ? "" : error;
  }

  std::vector<std::pair<std::string, std::string>> get(std::vector<std::string_view> patterns) {
    return settings_.get_matching(patterns);
  }

  std::string bytes_;
  Settings settings_;
  std::vector<Setting> changed_;
};

using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST_F(SettingsTable, DecodesCurrentValues) {
  EXPECT_EQ(settings_.get(Setting::kMaxmemory), 1024);
  EXPECT_EQ(settings_.text(Setting::kMaxmemory), "1024");
  EXPECT_EQ(settings_.default_text(Setting::kMaxmemory), "0");
  EXPECT_EQ(settings_.find("TIME-OUT")->id, Setting::kTimeout);
  EXPECT_EQ(settings_.find("nosuch"), nullptr);
}

TEST_F(SettingsTable, RefusesDamagedTablesAndBadValues) {
  Settings other;
  std::string error;
  for (size_t size = 0; size < bytes_.size(); size += 7) {
    EXPECT_FALSE(other.decode(std::string_view(bytes_).substr(0, size), &error)) << size;
  }
  EXPECT_FALSE(other.decode(bytes_ + "x", &error));
  const std::string bad = table_of(
      {{Setting::kTimeout, {"timeout", SettingType::kInt, 0, 100, "", "0", "1000"}}});
  EXPECT_FALSE(other.decode(bad, &error));
  EXPECT_EQ(error, "'timeout 1000': argument must be between 0 and 100 inclusive");
}

TEST_F(SettingsTable, GetMatches) {
  EXPECT_EQ(get({"maxmem*"}), (Pairs{{"maxmemory", "1024"}}));
  EXPECT_EQ(get({"time*"}), (Pairs{{"timeout", "0"}, {"time-out", "0"}}));
  EXPECT_EQ(get({"TimeOut", "timeout", "t?meout"}), (Pairs{{"TimeOut", "0"}}));
  EXPECT_EQ(get({"nosuch"}), Pairs{});
  EXPECT_EQ(get({"logf*"}), Pairs{});
  EXPECT_EQ(get({"logfile"}), (Pairs{{"logfile", ""}}));
}

TEST_F(SettingsTable, SetsSeveralOrNone) {
  EXPECT_EQ(set({{"maxmemory", "1mb"}, {"timeout", "5"}}), "");
  EXPECT_EQ(changed_, (std::vector<Setting>{Setting::kMaxmemory, Setting::kTimeout}));
  EXPECT_EQ(set({{"maxmemory", "2mb"}, {"timeout", "500"}}),
            "CONFIG SET failed (possibly related to argument 'timeout') - argument must be "
            "between 0 and 100 inclusive");
  EXPECT_EQ(settings_.get(Setting::kMaxmemory), 1048576);
  EXPECT_EQ(set({{"timeout", "5"}}), "");
  EXPECT_TRUE(changed_.empty());
}

TEST_F(SettingsTable, RefusesInRedisWords) {
  EXPECT_EQ(set({{"nosuch", "1"}, {"timeout", "x"}}),
            "Unknown option or number of arguments for CONFIG SET - 'nosuch'");
  EXPECT_EQ(set({{"Databases", "1"}, {"nosuch", "2"}}),
            "CONFIG SET failed (possibly related to argument 'Databases') - can't set immutable "
            "config");
  EXPECT_EQ(set({{"timeout", "1"}, {"Time-Out", "2"}}),
            "CONFIG SET failed (possibly related to argument 'Time-Out') - duplicate parameter");
  EXPECT_EQ(set({{"databases", "20"}}, SettingOrigin::kBoot), "");
}

TEST_F(SettingsTable, ProtectedConfigs) {
  const std::string refusal =
      "CONFIG SET failed (possibly related to argument 'dir') - can't set protected config";
  EXPECT_EQ(set({{"dir", "/a"}}, SettingOrigin::kLocalClient), refusal);
  EXPECT_EQ(set({{"dir", "/a"}}, SettingOrigin::kHost), "");
  EXPECT_EQ(set({{"enable-protected-configs", "local"}}, SettingOrigin::kBoot), "");
  EXPECT_EQ(set({{"dir", "/b"}}, SettingOrigin::kRemoteClient), refusal);
  EXPECT_EQ(set({{"dir", "/b"}}, SettingOrigin::kLocalClient), "");
  EXPECT_EQ(set({{"enable-protected-configs", "yes"}}, SettingOrigin::kBoot), "");
  EXPECT_EQ(set({{"dir", "/c"}}, SettingOrigin::kRemoteClient), "");
}

TEST_F(SettingsTable, AVetoRollsEverythingBack) {
  std::vector<int64_t> told;
  int observed = 0;
  settings_.on_change(Setting::kMaxmemory, [&](const Settings& all, Setting id, std::string*) {
    told.push_back(all.get(id));
    return true;
  });
  settings_.on_change(Setting::kTimeout, [](const Settings& all, Setting id, std::string* why) {
    *why = "no seven";
    return all.get(id) != 7;
  });
  settings_.set_observer([&](const Settings&, std::span<const Setting>) { ++observed; });
  EXPECT_EQ(set({{"maxmemory", "2kb"}, {"timeout", "7"}}),
            "CONFIG SET failed (possibly related to argument 'timeout') - no seven");
  EXPECT_EQ(settings_.get(Setting::kMaxmemory), 1024);
  EXPECT_EQ(settings_.text(Setting::kTimeout), "0");
  EXPECT_EQ(told, (std::vector<int64_t>{2048, 1024}));
  EXPECT_EQ(observed, 0);
  EXPECT_EQ(set({{"maxmemory", "2kb"}, {"timeout", "8"}}), "");
  EXPECT_EQ(observed, 1);
}

}  // namespace
}  // namespace moon
