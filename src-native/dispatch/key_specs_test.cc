#include "dispatch/key_specs.h"

#include <gtest/gtest.h>

#include <string>

namespace moon {
namespace {

KeySpec index_range(int16_t index, int16_t last, int16_t step = 1, int16_t limit = 0) {
  KeySpec spec;
  spec.flags = KeyFlag::kReadOnly;
  spec.begin = KeySpec::Begin::kIndex;
  spec.index = index;
  spec.find = KeySpec::Find::kRange;
  spec.last = last;
  spec.step = step;
  spec.limit = limit;
  return spec;
}

KeySpec key_num(int16_t index, int16_t place, int16_t first, int16_t step = 1) {
  KeySpec spec = index_range(index, 0, step);
  spec.find = KeySpec::Find::kKeyNum;
  spec.key_num = place;
  spec.first_key = first;
  return spec;
}

KeySpec keyword(std::string_view word, int16_t from, int16_t last, int16_t limit = 0) {
  KeySpec spec = index_range(from, last, 1, limit);
  spec.begin = KeySpec::Begin::kKeyword;
  spec.keyword = word;
  return spec;
}

// The keys' positions as a text, "invalid" or "unknown".
std::string keys_of(const std::vector<KeySpec>& specs, std::vector<std::string_view> args) {
  CommandRow row;
  row.key_specs = specs;
  std::vector<KeyRef> keys;
  const KeyExtract result = extract_keys(row, args, &keys);
  if (result == KeyExtract::kInvalid) return "invalid";
  std::string text;
  for (const KeyRef& key : keys) text += (text.empty() ? "" : " ") + std::to_string(key.index);
  return result == KeyExtract::kUnknown ? text + "?" : text;
}

TEST(KeySpecs, OneKey) {
  EXPECT_EQ(keys_of({index_range(1, 0)}, {"get", "k"}), "1");
  EXPECT_EQ(keys_of({index_range(2, 0)}, {"object", "freq", "k"}), "2");
  EXPECT_EQ(keys_of({index_range(2, 0)}, {"object", "help"}), "");
}

TEST(KeySpecs, Ranges) {
  EXPECT_EQ(keys_of({index_range(1, -1)}, {"del", "a", "b", "c"}), "1 2 3");
  EXPECT_EQ(keys_of({index_range(1, -1, 2)}, {"mset", "a", "1", "b", "2"}), "1 3");
  EXPECT_EQ(keys_of({index_range(1, -1, 2)}, {"mset", "a", "1", "b"}), "1 3");
  EXPECT_EQ(keys_of({index_range(1, -2)}, {"blpop", "a", "b", "0"}), "1 2");
  EXPECT_EQ(keys_of({index_range(1, 1)}, {"lcs", "a", "b", "LEN"}), "1 2");
  EXPECT_EQ(keys_of({index_range(1, 1)}, {"lcs", "a"}), "invalid");
  EXPECT_EQ(keys_of({index_range(2, 0), index_range(3, -1)}, {"bitop", "AND", "d", "a", "b"}),
            "2 3 4");
}

TEST(KeySpecs, KeyNum) {
  const std::vector<KeySpec> eval = {key_num(2, 0, 1)};
  EXPECT_EQ(keys_of(eval, {"eval", "s", "2", "a", "b", "x"}), "3 4");
  EXPECT_EQ(keys_of(eval, {"eval", "s", "0"}), "");
  EXPECT_EQ(keys_of(eval, {"eval", "s", "3", "a", "b"}), "invalid");
  EXPECT_EQ(keys_of(eval, {"eval", "s", "-1", "a"}), "invalid");
  EXPECT_EQ(keys_of(eval, {"eval", "s", "x", "a"}), "invalid");
  EXPECT_EQ(keys_of(eval, {"eval", "s", "9223372036854775807", "a"}), "invalid");
  EXPECT_EQ(keys_of({key_num(1, 0, 1, 2)}, {"z", "2", "a", "1", "b", "2"}), "2 4");
  EXPECT_EQ(keys_of({index_range(1, 0), key_num(2, 0, 1)}, {"zunionstore", "d", "1", "a"}),
            "1 3");
}

TEST(KeySpecs, KeywordsAndLimits) {
  const std::vector<KeySpec> xread = {keyword("STREAMS", 1, -1, 2)};
  EXPECT_EQ(keys_of(xread, {"xread", "COUNT", "2", "streams", "a", "b", "0", "0"}), "4 5");
  EXPECT_EQ(keys_of(xread, {"xread", "COUNT", "2"}), "");
  EXPECT_EQ(keys_of(xread, {"xread", "streams"}), "");
  const std::vector<KeySpec> migrate = {keyword("KEYS", -2, -1)};
  EXPECT_EQ(keys_of(migrate, {"migrate", "h", "1", "", "0", "5", "KEYS", "a", "b"}), "7 8");
  EXPECT_EQ(keys_of(migrate, {"migrate", "h", "1", "k", "0", "5"}), "");
}

TEST(KeySpecs, UnknownAndNoKeys) {
  KeySpec unknown;
  EXPECT_EQ(keys_of({unknown}, {"x", "y"}), "?");
  KeySpec channel = index_range(1, -1);
  channel.flags = KeyFlag::kNotKey;
  EXPECT_EQ(keys_of({channel}, {"ssubscribe", "c"}), "");
  KeySpec incomplete = index_range(1, 0);
  incomplete.flags |= KeyFlag::kIncomplete;
  EXPECT_EQ(keys_of({incomplete}, {"sort", "k"}), "1?");
}

TEST(KeySpecs, FlagsComeWithTheKeys) {
  KeySpec target = index_range(2, 0);
  target.flags = KeyFlag::kOverwrite | KeyFlag::kUpdate;
  const std::vector<KeySpec> specs = {index_range(1, 0), target};
  CommandRow row;
  row.key_specs = specs;
  std::vector<KeyRef> keys;
  const std::vector<std::string_view> args = {"copy", "a", "b"};
  ASSERT_EQ(extract_keys(row, args, &keys), KeyExtract::kOk);
  ASSERT_EQ(keys.size(), 2u);
  EXPECT_EQ(keys[0].flags, KeyFlag::kReadOnly);
  EXPECT_EQ(keys[1].flags, KeyFlag::kOverwrite | KeyFlag::kUpdate);
}

}  // namespace
}  // namespace moon
