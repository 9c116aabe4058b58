#include "dispatch/command_table.h"

#include <gtest/gtest.h>

#include "base/test_blob.h"

namespace moon {
namespace {

void first_handler(Context&) {}
void second_handler(Context&) {}

struct TestRow {
  std::string name;
  std::string handler;
  uint16_t parent = 0xffff;
  Route route = Route::kByKey;
};

// kCommandCount rows: some with telling names, fillers, then the subcommands of "config" (row 2).
std::vector<TestRow> test_rows() {
  std::vector<TestRow> rows = {
      {"get", "get"},
      {"set", "set"},
      {"config", ""},
      {"georadiusbymember_ro", "get"},
      {"georadiusbymember_rw", "set"},
      {"x", "get"},
      {"ab", "get"},
      {"shutdown", "", 0xffff, Route::kControl},
  };
  while (rows.size() < kCommandCount - 2) {
    rows.push_back({"filler_" + std::to_string(rows.size()), "get"});
  }
  rows.push_back({"config|get", "get", 2});
  rows.push_back({"config|no-touch", "set", 2});
  return rows;
}

std::string table_of(const std::vector<TestRow>& rows) {
  size_t commands = 0;
  for (const TestRow& row : rows) commands += row.parent == 0xffff;
  TestBlob blob;
  blob.text("*0\r\n+OK\r\n").u16(static_cast<uint16_t>(commands));
  blob.u16(static_cast<uint16_t>(rows.size()));
  for (const TestRow& row : rows) {
    blob.text(row.name).text("generic").text(row.handler).u16(row.parent);
    blob.u8(static_cast<uint8_t>(row.route)).i16(-2).u32(CommandFlag::kFast);
    blob.u32(AclCategory::kString).i16(1).i16(1).i16(1);
    blob.u16(1).u32(KeyFlag::kReadOnly).u8(1).i16(1).u8(1).i16(0).i16(1).i16(0);
    for (int i = 0; i < 4; ++i) blob.u32(0).u32(4);
    blob.u32(4).u32(5);
  }
  return blob.bytes();
}

HandlerRegistry handlers() {
  HandlerRegistry registry;
  registry.add("get", first_handler);
  registry.add("set", second_handler);
  return registry;
}

class CommandTableTest : public testing::Test {
 protected:
  void SetUp() override {
    bytes_ = table_of(test_rows());
    std::string error;
    ASSERT_TRUE(table_.decode(bytes_, handlers(), &error)) << error;
  }

  std::string bytes_;
  CommandTable table_;
};

TEST_F(CommandTableTest, FindsEachNameInAnyCase) {
  for (const CommandRow& row : table_.commands()) {
    std::string name(row.name);
    EXPECT_EQ(table_.lookup(name), &row) << name;
    for (char& c : name) c = to_upper(c);
    EXPECT_EQ(table_.lookup(name), &row) << name;
    name += 's';
    EXPECT_EQ(table_.lookup(name), nullptr) << name;
  }
}

TEST_F(CommandTableTest, MissesWhatIsNotThere) {
  for (const char* name : {"", "g", "ge", "gets", "got", "G\x00T", "xx", "config|get",
                           "georadiusbyMOMber_ro", "{et", "\x07" "et", "\xc7\xc5\xd4"}) {
    EXPECT_EQ(table_.lookup(name), nullptr) << name;
  }
  // Bytes that differ only in the case bit but are no letters.
  EXPECT_EQ(table_.lookup("FILLER\x7f" "9"), nullptr);
  EXPECT_NE(table_.lookup("FILLER_9"), nullptr);
}

TEST_F(CommandTableTest, FindsSubcommands) {
  const CommandRow* config = table_.lookup("CONFIG");
  ASSERT_NE(config, nullptr);
  EXPECT_TRUE(config->is_container());
  EXPECT_EQ(config->handler, nullptr);
  const CommandRow* touch = table_.lookup_subcommand(*config, "No-Touch");
  ASSERT_NE(touch, nullptr);
  EXPECT_EQ(touch->name, "config|no-touch");
  EXPECT_EQ(touch->short_name, "no-touch");
  EXPECT_EQ(touch->parent, config);
  EXPECT_EQ(touch->handler, second_handler);
  EXPECT_EQ(table_.lookup_full("CONFIG|NO-TOUCH"), touch);
  EXPECT_EQ(table_.lookup_full("get"), table_.lookup("get"));
  EXPECT_EQ(table_.lookup_full("get|x"), nullptr);
  EXPECT_EQ(table_.lookup_subcommand(*config, "nosuch"), nullptr);
}

TEST_F(CommandTableTest, RowsCarryWhatTheBlobSays) {
  const CommandRow* get = table_.lookup("get");
  ASSERT_NE(get, nullptr);
  EXPECT_EQ(get, &table_.row(get->id));
  EXPECT_EQ(get->single_key_index, 1);
  EXPECT_TRUE(get->arity_ok(2));
  EXPECT_TRUE(get->arity_ok(9));
  EXPECT_FALSE(get->arity_ok(1));
  EXPECT_TRUE(get->has(CommandFlag::kFast));
  EXPECT_EQ(get->info_resp2, "*0\r\n");
  EXPECT_EQ(get->help_reply, "+OK\r\n");
  EXPECT_EQ(get->group, "generic");
  EXPECT_EQ(table_.commands().size(), kCommandCount - 2);
  EXPECT_EQ(table_.rows().size(), kCommandCount);
}

TEST_F(CommandTableTest, NamesAllDisagreements) {
  HandlerRegistry registry;
  registry.add("get", first_handler);
  registry.add("get", first_handler);
  registry.add("surplus", first_handler);
  CommandTable other;
  std::string error;
  EXPECT_FALSE(other.decode(bytes_, registry, &error));
  for (const char* part : {"registered twice: 'get'", "row without handler: 'set'",
                           "row without handler: 'config|no-touch'",
                           "handler without row: 'surplus'"}) {
    EXPECT_NE(error.find(part), std::string::npos) << part << " in " << error;
  }
  EXPECT_EQ(error.find("shutdown"), std::string::npos);
}

TEST_F(CommandTableTest, RefusesDamage) {
  std::string error;
  for (size_t size = 0; size < bytes_.size(); size += 11) {
    const std::string cut = bytes_.substr(0, size);
    CommandTable other;
    EXPECT_FALSE(other.decode(cut, handlers(), &error)) << size;
  }
  std::vector<TestRow> rows = test_rows();
  rows.pop_back();
  CommandTable other;
  EXPECT_FALSE(other.decode(table_of(rows), handlers(), &error));
  EXPECT_EQ(error, "the table of commands is damaged");
}

TEST(CommandTable, AclCategories) {
  EXPECT_EQ(CommandTable::acl_category("String"), AclCategory::kString);
  EXPECT_EQ(CommandTable::acl_category("sortedset"), AclCategory::kSortedSet);
  EXPECT_EQ(CommandTable::acl_category("@string"), 0u);
  EXPECT_EQ(CommandTable::acl_category(""), 0u);
}

}  // namespace
}  // namespace moon
