#include "resp/out_buffer.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace moon::resp {
namespace {

std::string contents(const OutBuffer& buffer) {
  std::vector<iovec> pieces(100000);
  const size_t count = buffer.collect(pieces.data(), pieces.size());
  std::string bytes;
  for (size_t i = 0; i < count; ++i) {
    bytes.append(static_cast<const char*>(pieces[i].iov_base), pieces[i].iov_len);
  }
  EXPECT_EQ(bytes.size(), buffer.size());
  return bytes;
}

SharedBytes* block_of(size_t size, char fill) {
  SharedBytes* block = SharedBytes::allocate(size, size);
  std::memset(block->data(), fill, size);
  return block;
}

TEST(OutBuffer, ReserveAndCommit) {
  ChunkPool pool;
  OutBuffer buffer(pool);
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.memory(), 0U);
  char* at = buffer.reserve(10);
  std::memcpy(at, "abc", 3);
  buffer.commit(3);
  buffer.append("def");
  buffer.append("");
  EXPECT_EQ(contents(buffer), "abcdef");
  EXPECT_EQ(buffer.memory(), kBlockSize);
  buffer.consume(2);
  EXPECT_EQ(contents(buffer), "cdef");
  buffer.consume(4);
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.memory(), 0U);  // an idle connection owns no block
  EXPECT_EQ(pool.memory(), kBlockSize);
}

TEST(OutBuffer, PoolIsLastInFirstOutAndBounded) {
  ChunkPool pool(2);
  OutBlock* a = pool.take();
  OutBlock* b = pool.take();
  OutBlock* c = pool.take();
  pool.give(a);
  pool.give(b);
  EXPECT_EQ(pool.take(), b);
  pool.give(b);
  pool.give(c);  // beyond the bound: goes back to malloc
  EXPECT_EQ(pool.memory(), 2 * kBlockSize);
  pool.trim(1);
  EXPECT_EQ(pool.memory(), kBlockSize);
}

TEST(OutBuffer, LongAppendsCrossBlocks) {
  ChunkPool pool;
  OutBuffer buffer(pool);
  std::string expected;
  for (int i = 0; i < 20; ++i) {
    const std::string piece(7001, static_cast<char>('a' + i));
    buffer.append(piece);
    expected += piece;
  }
  buffer.append(std::string(100000, 'z'));
  expected += std::string(100000, 'z');
  EXPECT_EQ(contents(buffer), expected);
  while (!expected.empty()) {
    const size_t part = std::min<size_t>(expected.size(), 9999);
    buffer.consume(part);
    expected.erase(0, part);
    ASSERT_EQ(contents(buffer), expected);
  }
  EXPECT_EQ(buffer.memory(), 0U);
}

TEST(OutBuffer, SharedBytesAreReferenced) {
  ChunkPool pool;
  OutBuffer buffer(pool);
  SharedBytes* block = block_of(50000, 'x');
  for (int i = 0; i < 3; ++i) {
    buffer.append("<");
    buffer.append_shared(block, 10, 40000);
    buffer.append(">");
  }
  EXPECT_FALSE(block->unique());
  // Headers between references share one block.
  EXPECT_EQ(buffer.memory(), kBlockSize + 3 * 40000);
  iovec pieces[16];
  EXPECT_EQ(buffer.collect(pieces, 16), 7U);
  EXPECT_EQ(pieces[1].iov_base, block->data() + 10);
  EXPECT_EQ(buffer.collect(pieces, 2), 2U);
  const std::string one = "<" + std::string(40000, 'x') + ">";
  EXPECT_EQ(contents(buffer), one + one + one);
  buffer.consume(20000);
  EXPECT_EQ(contents(buffer), (one + one + one).substr(20000));
  buffer.consume(one.size() * 2 - 20000);
  EXPECT_EQ(buffer.memory(), kBlockSize + 40000);
  buffer.consume(one.size());
  EXPECT_TRUE(block->unique());
  EXPECT_EQ(buffer.memory(), 0U);
  block->release();
}

TEST(OutBuffer, ClearReleasesReferences) {
  ChunkPool pool;
  SharedBytes* block = block_of(20000, 'x');
  {
    OutBuffer buffer(pool);
    buffer.append_shared(block, 0, 20000);
    buffer.append_shared(block, 0, 0);
    buffer.clear();
    EXPECT_TRUE(block->unique());
    buffer.append_shared(block, 0, 20000);
  }
  EXPECT_TRUE(block->unique());
  block->release();
}

TEST(OutBuffer, TruncateToMark) {
  ChunkPool pool;
  OutBuffer buffer(pool);
  SharedBytes* block = block_of(20000, 'x');
  OutBuffer::Mark nothing = buffer.mark();
  buffer.append("dropped");
  buffer.truncate_to(nothing);
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.memory(), 0U);
  buffer.append("kept");
  for (size_t size : {0, 5, 16000, 50000}) {
    const OutBuffer::Mark mark = buffer.mark();
    buffer.append(std::string(size, 'd'));
    buffer.append_shared(block, 0, 20000);
    buffer.append("more");
    buffer.truncate_to(mark);
    EXPECT_EQ(contents(buffer), "kept");
    EXPECT_TRUE(block->unique());
    EXPECT_EQ(buffer.memory(), kBlockSize);
  }
  buffer.append("!");
  EXPECT_EQ(contents(buffer), "kept!");
  block->release();
}

TEST(OutBuffer, GapsNestAndSpanBlocks) {
  for (size_t fill : {0, 10, 16000, 16300, 40000}) {
    ChunkPool pool;
    OutBuffer buffer(pool);
    buffer.append("before");
    const std::string body(fill, 'b');
    const OutBuffer::Gap outer = buffer.open_gap();
    buffer.append(body);
    const OutBuffer::Gap inner = buffer.open_gap();
    buffer.append(body);
    buffer.close_gap(inner, "*2\r\n");
    buffer.append("tail");
    buffer.close_gap(outer, "*1000000\r\n");
    buffer.append("after");
    EXPECT_EQ(contents(buffer), "before*1000000\r\n" + body + "*2\r\n" + body + "tailafter");
  }
}

TEST(OutBuffer, SpliceMovesAndCopies) {
  SharedBytes* block = block_of(20000, 'x');
  for (size_t size : {0, 1, 4096, 4097, 100000}) {
    for (bool with_shared : {false, true}) {
      for (bool target_empty : {false, true}) {
        ChunkPool pool;
        ChunkPool foreign;
        OutBuffer buffer(pool);
        if (!target_empty) buffer.append("first");
        OutBuffer other(foreign);
        const std::string body(size, 'o');
        other.append(body);
        if (with_shared) other.append_shared(block, 0, 20000);
        buffer.splice(std::move(other));
        EXPECT_EQ(other.size(), 0U);
        EXPECT_EQ(other.memory(), 0U);
        buffer.append("last");
        std::string expected = target_empty ? "" : "first";
        expected += body;
        if (with_shared) expected += block->view();
        EXPECT_EQ(contents(buffer), expected + "last");
      }
    }
  }
  block->release();
}

// Against a plain string, with every operation.
TEST(OutBuffer, RandomOperations) {
  std::mt19937_64 random(11);
  ChunkPool pool(8);
  ChunkPool foreign(8);
  SharedBytes* block = block_of(30000, 's');
  for (int round = 0; round < 200; ++round) {
    OutBuffer buffer(pool);
    std::string model;
    for (int step = 0; step < 60; ++step) {
      const size_t size = random() % (random() % 4 == 0 ? 40000 : 200);
      const std::string bytes(size, static_cast<char>('a' + step % 26));
      switch (random() % 7) {
        case 0:
        case 1:
          buffer.append(bytes);
          model += bytes;
          break;
        case 2: {
          const size_t part = std::min<size_t>(size, 30000);
          buffer.append_shared(block, 30000 - part, part);
          model += std::string(part, 's');
          break;
        }
        case 3: {
          const size_t part = std::min(size, model.size());
          buffer.consume(part);
          model.erase(0, part);
          break;
        }
        case 4: {
          const OutBuffer::Mark mark = buffer.mark();
          buffer.append(bytes);
          if (size % 2 == 0) buffer.append_shared(block, 0, 17000);
          buffer.truncate_to(mark);
          break;
        }
        case 5: {
          const OutBuffer::Gap gap = buffer.open_gap();
          buffer.append(bytes);
          buffer.close_gap(gap, "*12\r\n");
          model += "*12\r\n" + bytes;
          break;
        }
        default: {
          OutBuffer other(foreign);
          other.append(bytes);
          if (size % 3 == 0) other.append_shared(block, 0, 16384);
          buffer.splice(std::move(other));
          model += bytes + std::string(size % 3 == 0 ? 16384 : 0, 's');
        }
      }
      ASSERT_EQ(buffer.size(), model.size());
      ASSERT_EQ(buffer.empty(), model.empty());
    }
    ASSERT_EQ(contents(buffer), model);
    buffer.consume(model.size());
    ASSERT_EQ(buffer.memory(), 0U);
    ASSERT_TRUE(block->unique());
  }
  block->release();
}

}  // namespace
}  // namespace moon::resp
