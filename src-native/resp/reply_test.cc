#include "resp/reply.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace moon::resp {
namespace {

std::string drain(OutBuffer& buffer) {
  std::vector<iovec> pieces(1000);
  const size_t count = buffer.collect(pieces.data(), pieces.size());
  std::string bytes;
  for (size_t i = 0; i < count; ++i) {
    bytes.append(static_cast<const char*>(pieces[i].iov_base), pieces[i].iov_len);
  }
  buffer.clear();
  return bytes;
}

std::string written(int version, const std::function<void(Reply&)>& write) {
  ChunkPool pool;
  OutBuffer buffer(pool);
  Reply reply(buffer, version);
  write(reply);
  return drain(buffer);
}

struct Row {
  const char* name;
  std::function<void(Reply&)> write;
  std::string resp2;
  std::string resp3;
};

TEST(Reply, Shapes) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Row rows[] = {
      {"ok", [](Reply& r) { r.ok(); }, "+OK\r\n", "+OK\r\n"},
      {"simple", [](Reply& r) { r.simple("PONG"); }, "+PONG\r\n", "+PONG\r\n"},
      {"integer", [](Reply& r) { r.integer(-42); }, ":-42\r\n", ":-42\r\n"},
      {"smallest", [](Reply& r) { r.integer(INT64_MIN); }, ":-9223372036854775808\r\n",
       ":-9223372036854775808\r\n"},
      {"bulk", [](Reply& r) { r.bulk("hello"); }, "$5\r\nhello\r\n", "$5\r\nhello\r\n"},
      {"empty", [](Reply& r) { r.bulk(""); }, "$0\r\n\r\n", "$0\r\n\r\n"},
      {"digits", [](Reply& r) { r.bulk_integer(-10); }, "$3\r\n-10\r\n", "$3\r\n-10\r\n"},
      {"null", [](Reply& r) { r.null(); }, "$-1\r\n", "_\r\n"},
      {"null array", [](Reply& r) { r.null_array(); }, "*-1\r\n", "_\r\n"},
      {"array", [](Reply& r) { r.array(12); }, "*12\r\n", "*12\r\n"},
      {"map", [](Reply& r) { r.map(3); }, "*6\r\n", "%3\r\n"},
      {"set", [](Reply& r) { r.set(3); }, "*3\r\n", "~3\r\n"},
      {"push", [](Reply& r) { r.push(3); }, "*3\r\n", ">3\r\n"},
      {"real", [](Reply& r) { r.real(0.1); }, "$19\r\n0.10000000000000001\r\n",
       ",0.10000000000000001\r\n"},
      {"whole", [](Reply& r) { r.real(3); }, "$1\r\n3\r\n", ",3\r\n"},
      {"inf", [=](Reply& r) { r.real(infinity); }, "$3\r\ninf\r\n", ",inf\r\n"},
      {"-inf", [=](Reply& r) { r.real(-infinity); }, "$4\r\n-inf\r\n", ",-inf\r\n"},
      {"nan", [](Reply& r) { r.real(std::nan("")); }, "$3\r\nnan\r\n", ",nan\r\n"},
      {"long", [](Reply& r) { r.long_real(10.50L); }, "$4\r\n10.5\r\n", ",10.5\r\n"},
      {"true", [](Reply& r) { r.boolean(true); }, ":1\r\n", "#t\r\n"},
      {"false", [](Reply& r) { r.boolean(false); }, ":0\r\n", "#f\r\n"},
      {"big", [](Reply& r) { r.big_number("123456789012345678901234567890"); },
       "$30\r\n123456789012345678901234567890\r\n", "(123456789012345678901234567890\r\n"},
      {"verbatim", [](Reply& r) { r.verbatim("txt", "abc"); }, "$3\r\nabc\r\n",
       "=7\r\ntxt:abc\r\n"},
      {"raw", [](Reply& r) { r.raw(":1\r\n"); }, ":1\r\n", ":1\r\n"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(written(2, row.write), row.resp2) << row.name;
    EXPECT_EQ(written(3, row.write), row.resp3) << row.name;
  }
  EXPECT_EQ(written(3, [](Reply& r) { r.attribute(1); }), "|1\r\n");
}

TEST(Reply, BulksOfEveryLength) {
  for (size_t size = 0; size < 3000; size += size < 100 ? 1 : 97) {
    const std::string body(size, 'b');
    EXPECT_EQ(written(2, [&](Reply& r) { r.bulk(body); }),
              "$" + std::to_string(size) + "\r\n" + body + "\r\n");
  }
  const std::string body(70000, 'b');
  EXPECT_EQ(written(2, [&](Reply& r) { r.bulk(body); }), "$70000\r\n" + body + "\r\n");
}

TEST(Reply, LargeValuesGoByReference) {
  ChunkPool pool;
  OutBuffer buffer(pool);
  Reply reply(buffer, 2);
  for (size_t size : {kReferenceMin - 1, kReferenceMin}) {
    SharedBytes* block = SharedBytes::allocate(size, size);
    std::memset(block->data(), 'v', size);
    reply.bulk_shared(block);
    EXPECT_EQ(block->unique(), size < kReferenceMin);
    const std::string expected =
        "$" + std::to_string(size) + "\r\n" + std::string(size, 'v') + "\r\n";
    EXPECT_EQ(drain(buffer), expected);
    reply.bulk_shared(block, 1, 3);
    EXPECT_EQ(drain(buffer), "$3\r\nvvv\r\n");
    block->release();
  }
}

TEST(Reply, ErrorsAreLinesAndAreCounted) {
  ChunkPool pool;
  OutBuffer buffer(pool);
  Reply reply(buffer, 2);
  EXPECT_EQ(reply.errors(), 0U);
  EXPECT_EQ(reply.last_error_code(), "");
  reply.error(Err::kWrongType);
  EXPECT_EQ(drain(buffer),
            "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n");
  EXPECT_EQ(reply.last_error_code(), "WRONGTYPE");
  reply.error("ERR data\r\n+OK\r\n");
  EXPECT_EQ(drain(buffer), "-ERR data  +OK\r\n");
  reply.error_format("ERR unknown command '%.*s', with args beginning with: %s",
                     MOON_TEXT(std::string_view("a\nb")), "'x' ");
  EXPECT_EQ(drain(buffer), "-ERR unknown command 'a b', with args beginning with: 'x' \r\n");
  const std::string long_text(5000, 'y');
  reply.error_format("ERR %s", long_text.c_str());
  EXPECT_EQ(drain(buffer), "-" + ("ERR " + long_text).substr(0, kErrorMax) + "\r\n");
  reply.error(std::string(100, 'Z'));
  EXPECT_EQ(drain(buffer), "-" + std::string(100, 'Z') + "\r\n");
  EXPECT_EQ(reply.last_error_code(), std::string(31, 'Z'));
  EXPECT_EQ(reply.errors(), 5U);
}

TEST(Reply, DeferredLengths) {
  for (int version : {2, 3}) {
    const std::string reply = written(version, [](Reply& r) {
      const Reply::Mark outer = r.begin_deferred();
      r.integer(1);
      const Reply::Mark map = r.begin_deferred();
      r.bulk("a");
      r.integer(2);
      r.end_deferred_map(map, 1);
      const Reply::Mark set = r.begin_deferred();
      r.end_deferred_set(set, 0);
      r.end_deferred_array(outer, 3);
      r.ok();
    });
    EXPECT_EQ(reply, version == 2 ? "*3\r\n:1\r\n*2\r\n$1\r\na\r\n:2\r\n*0\r\n+OK\r\n"
                                  : "*3\r\n:1\r\n%1\r\n$1\r\na\r\n:2\r\n~0\r\n+OK\r\n");
  }
}

TEST(Errors, EveryTextHasACode) {
  for (int i = 0; i < static_cast<int>(Err::kCount); ++i) {
    const std::string_view text = error_text(static_cast<Err>(i));
    const std::string_view code = text.substr(0, text.find(' '));
    EXPECT_FALSE(code.empty());
    for (char c : code) EXPECT_TRUE(c >= 'A' && c <= 'Z') << text;
  }
}

}  // namespace
}  // namespace moon::resp
