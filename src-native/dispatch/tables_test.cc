#include "dispatch/tables.h"

#include <gtest/gtest.h>

#include "base/tables_hash.h"
#include "base/test_blob.h"

namespace moon {
namespace {

std::string refusal_of(const std::string& blob) {
  Settings settings;
  CommandTable commands;
  InfoTemplate info;
  std::string error;
  EXPECT_FALSE(decode_table_blob(blob, HandlerRegistry(), GaugeRegistry(), &settings, &commands,
                                 &info, &error));
  return error;
}

TEST(Tables, RefusesWhatIsNoBlob) {
  EXPECT_EQ(refusal_of(""), "these are no tables of moon-server");
  EXPECT_EQ(refusal_of("MOONTBL2"), "these are no tables of moon-server");
}

TEST(Tables, RefusesOtherTablesAndSaysWhatToDo) {
  const std::string error = refusal_of("MOONTBL10123456789abcdef");
  EXPECT_NE(error.find("built from other tables"), std::string::npos) << error;
  EXPECT_NE(error.find("0123456789abcdef"), std::string::npos) << error;
  EXPECT_NE(error.find(kTablesHash), std::string::npos) << error;
  EXPECT_NE(error.find("npm run build"), std::string::npos) << error;
}

TEST(Tables, RefusesDamage) {
  TestBlob blob;
  blob.raw("MOONTBL1").raw(kTablesHash).text("").text("");
  EXPECT_EQ(refusal_of(blob.bytes()), "the tables are damaged");
  blob.text("");
  EXPECT_EQ(refusal_of(blob.bytes() + "x"), "the tables are damaged");
  EXPECT_EQ(refusal_of(blob.bytes()), "the table of settings is damaged: 0 rows");
}

}  // namespace
}  // namespace moon
