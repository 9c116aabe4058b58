#include "base/decoder.h"

#include <gtest/gtest.h>

#include "base/test_blob.h"

namespace moon {
namespace {

TEST(Decoder, ReadsWhatWasWritten) {
  TestBlob blob;
  blob.u8(200).u16(60000).i16(-2).u32(4000000000U).i64(-5).text("moon").text("");
  Decoder in(blob.bytes());
  EXPECT_EQ(in.u8(), 200);
  EXPECT_EQ(in.u16(), 60000);
  EXPECT_EQ(in.i16(), -2);
  EXPECT_EQ(in.u32(), 4000000000U);
  EXPECT_EQ(in.i64(), -5);
  EXPECT_EQ(in.text(), "moon");
  EXPECT_EQ(in.text(), "");
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(in.remaining(), 0u);
}

TEST(Decoder, NeverReadsPastTheEnd) {
  TestBlob blob;
  blob.u32(7).u16(1).text("abc");
  const std::string whole = blob.bytes();
  for (size_t size = 0; size < whole.size(); ++size) {
    // A copy of exactly that size, so that a sanitizer sees the first byte too many.
    const std::string cut(whole.substr(0, size));
    Decoder in(cut);
    in.u32();
    in.u16();
    const std::string_view text = in.text();
    EXPECT_FALSE(in.ok()) << size;
    EXPECT_TRUE(text.empty());
  }
}

TEST(Decoder, StaysFailed) {
  TestBlob blob;
  blob.u32(1000).raw("xy");
  Decoder in(blob.bytes());
  EXPECT_EQ(in.text(), "");
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(in.u8(), 0);
  EXPECT_EQ(in.remaining(), 0u);
}

}  // namespace
}  // namespace moon
