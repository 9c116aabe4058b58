#include "dispatch/info_template.h"

#include <gtest/gtest.h>

#include "base/test_blob.h"

namespace moon {
namespace {

void version(void* server, std::string& out) { out += *static_cast<const char**>(server); }
void size(void*, std::string& out) { out += "1572864"; }
void lines(void*, std::string& out) { out += "db0:keys=1\r\ndb1:keys=2\r\n"; }

GaugeRegistry gauges() {
  GaugeRegistry registry;
  registry.add("version", version);
  registry.add("size", size);
  registry.add("lines", lines);
  return registry;
}

// server (default), commandstats (not), keyspace (default).
std::string sections() {
  constexpr uint8_t kText = 0, kCounter = 1, kGauge = 3, kBlock = 4;
  TestBlob blob;
  blob.u16(3);
  blob.text("server").u8(1).u16(6);
  blob.u8(kText).text("# Server\r\nversion:").u8(kGauge).text("version").u8(0);
  blob.u8(kText).text("\r\nhits:");
  blob.u8(kCounter).u16(static_cast<uint16_t>(Counter::kKeyspaceHits)).u32(10);
  blob.u8(kText).text("\r\nsize_human:").u8(kGauge).text("size").u8(1);
  blob.text("commandstats").u8(0).u16(1).u8(kText).text("# Commandstats\r\n");
  blob.text("keyspace").u8(1).u16(2).u8(kText).text("# Keyspace\r\n");
  blob.u8(kBlock).text("lines");
  return blob.bytes();
}

class InfoTemplateTest : public testing::Test {
 protected:
  void SetUp() override {
    bytes_ = sections();
    std::string error;
    ASSERT_TRUE(info_.decode(bytes_, gauges(), &error)) << error;
    counters_.add(Counter::kKeyspaceHits, 55);
    book_.attach(&counters_);
  }

  std::string render(std::vector<std::string_view> names) {
    std::string out;
    info_.render(names, book_, settings_, &version_, &out);
    return out;
  }

  const std::string server_ = "# Server\r\nversion:7.2\r\nhits:5\r\nsize_human:1.50M";
  const std::string stats_ = "# Commandstats\r\n";
  const std::string keyspace_ = "# Keyspace\r\ndb0:keys=1\r\ndb1:keys=2\r\n";
  const char* version_ = "7.2";
  std::string bytes_;
  InfoTemplate info_;
  Settings settings_;
  Counters counters_;
  CounterBook book_;
};

TEST_F(InfoTemplateTest, Sections) {
  const std::string defaults = server_ + "\r\n" + keyspace_;
  EXPECT_EQ(render({}), defaults);
  EXPECT_EQ(render({"default"}), defaults);
  EXPECT_EQ(render({"ALL"}), server_ + "\r\n" + stats_ + "\r\n" + keyspace_);
  EXPECT_EQ(render({"everything"}), render({"all"}));
  EXPECT_EQ(render({"KeySpace"}), keyspace_);
  EXPECT_EQ(render({"keyspace", "server", "server"}), defaults);
  EXPECT_EQ(render({"commandstats", "default"}), render({"all"}));
  EXPECT_EQ(render({"nosuch"}), "");
  EXPECT_EQ(render({"nosuch", "commandstats"}), stats_);
}

TEST_F(InfoTemplateTest, NamesMissingAndSurplusGauges) {
  GaugeRegistry registry;
  registry.add("version", version);
  registry.add("version", version);
  registry.add("lines", lines);
  registry.add("surplus", lines);
  InfoTemplate other;
  std::string error;
  EXPECT_FALSE(other.decode(bytes_, registry, &error));
  for (const char* part : {"registered twice: 'version'", "no gauge for the field 'size'",
                           "no field for the gauge 'surplus'"}) {
    EXPECT_NE(error.find(part), std::string::npos) << part << " in " << error;
  }
}

TEST_F(InfoTemplateTest, RefusesDamage) {
  std::string error;
  for (size_t cut = 0; cut < bytes_.size(); ++cut) {
    InfoTemplate other;
    EXPECT_FALSE(other.decode(bytes_.substr(0, cut), gauges(), &error)) << cut;
  }
  EXPECT_EQ(error, "the template of INFO is damaged");
}

TEST(HumanBytes, AsRedisShowsThem) {
  EXPECT_EQ(human_bytes(0), "0B");
  EXPECT_EQ(human_bytes(1023), "1023B");
  EXPECT_EQ(human_bytes(1024), "1.00K");
  EXPECT_EQ(human_bytes(1572864), "1.50M");
  EXPECT_EQ(human_bytes(25276510208), "23.54G");
}

}  // namespace
}  // namespace moon
