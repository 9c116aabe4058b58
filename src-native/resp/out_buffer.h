// What a connection owes its client: reply bytes in blocks, and references to large values.
// Owned by one connection; one thread at a time.
//
//   head_ -> [Node: 64 bytes] -> [Node: SharedBytes 40 KB] -> [Node: "\r\n+OK\r\n" | cursor_ free]
//            '------------------------- one Block of 16 KiB ---------------------------------'
//
// A Block is one malloc of kBlockSize. Nodes are carved from it: a run of bytes, or a reference to
// a part of a SharedBytes block; behind a reference the rest of the Block goes on as a new run, so
// that a reply with many large values does not take a Block for each header between them. A Block
// goes back to a pool when its last Node has been sent.
//
// Invariants:
// (1) an empty buffer owns no Block (idle connections are many);
// (2) bytes, once written, stay where they are until consume(), except behind an open Gap, so an
//     iovec from collect() stays valid while more is appended;
// (3) Blocks may be released to any pool, so a buffer filled by another thread can be spliced in.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "base/copy.h"
#include "base/shared_bytes.h"
#include "resp/limits.h"

namespace moon::resp {

inline constexpr size_t kBlockSize = 16 * 1024;

struct OutBlock {
  OutBlock* next_free;
  uint32_t nodes;  // carved and not yet released
};

struct OutNode {
  OutNode* next;
  OutBlock* block;      // where this node lives
  SharedBytes* shared;  // nullptr for a run of bytes
  const char* begin;    // of what is not sent yet
  const char* end;      // not kept for the tail: there the buffer's cursor is the end
};

inline constexpr size_t kBlockHeader = sizeof(OutBlock) + sizeof(OutNode);
// What one reserve() may ask for.
inline constexpr size_t kReserveMax = 8 * 1024;
static_assert(kReserveMax + kBlockHeader <= kBlockSize);

// Free Blocks, last in first out so that the hottest is used next. Owned by a shard thread and
// used on it only.
class ChunkPool {
 public:
  // Keeps up to `keep_max` free blocks; more are given back to malloc.
  explicit ChunkPool(size_t keep_max = 64) : keep_max_(keep_max) {}
  ~ChunkPool() { trim(0); }
  ChunkPool(const ChunkPool&) = delete;
  ChunkPool& operator=(const ChunkPool&) = delete;

  OutBlock* take() {
    OutBlock* block = free_;
    if (block == nullptr) return allocate();
    free_ = block->next_free;
    --kept_;
    return block;
  }
  void give(OutBlock* block) {
    if (kept_ >= keep_max_) return discard(block);
    block->next_free = free_;
    free_ = block;
    ++kept_;
  }
  // Gives free blocks beyond `keep` back to malloc (called from upkeep).
  void trim(size_t keep);
  size_t memory() const { return kept_ * kBlockSize; }

 private:
  static OutBlock* allocate();
  static void discard(OutBlock* block);

  OutBlock* free_ = nullptr;
  size_t kept_ = 0;
  size_t keep_max_;
};

class OutBuffer {
 public:
  explicit OutBuffer(ChunkPool& pool) : pool_(&pool) {}
  ~OutBuffer() { clear(); }
  OutBuffer(const OutBuffer&) = delete;
  OutBuffer& operator=(const OutBuffer&) = delete;

  // Room for `size` <= kReserveMax bytes; commit() what was written of it.
  char* reserve(size_t size) {
    MOON_DASSERT(size <= kReserveMax);
    if (size > static_cast<size_t>(limit_ - cursor_)) [[unlikely]] add_block();
    return cursor_;
  }
  void commit(size_t size) {
    MOON_DASSERT(size <= static_cast<size_t>(limit_ - cursor_));
    cursor_ += size;
  }
  // commit() by the end of what was written.
  void commit_to(char* end) {
    MOON_DASSERT(end >= cursor_ && end <= limit_);
    cursor_ = end;
  }

  void append(std::string_view bytes) {
    if (bytes.size() > static_cast<size_t>(limit_ - cursor_)) [[unlikely]] {
      return append_slow(bytes);
    }
    cursor_ = copy_bytes(cursor_, bytes.data(), bytes.size());
  }
  // Sends a part of `bytes` by reference (adds a reference; the caller keeps its own).
  void append_shared(SharedBytes* bytes, size_t offset, size_t size);

  bool empty() const { return head_ == nullptr || size() == 0; }
  // Bytes that were written and not consumed.
  size_t size() const { return sealed_ + static_cast<size_t>(cursor_ - tail_begin()); }
  // Bytes held: blocks, and referenced values as far as they are not sent.
  size_t memory() const { return blocks_ * kBlockSize + referenced_; }

  // The first bytes to send, at most `max` pieces; returns the number of pieces.
  size_t collect(iovec* pieces, size_t max) const;
  // The first `size` bytes were sent.
  void consume(size_t size);
  // Drops everything.
  void clear();

  // Moves the contents of `other` behind what is here and leaves it empty.
  void splice(OutBuffer&& other);

  // A place in what was written. No consume() or clear() between taking and using it.
  struct Mark {
    OutNode* node = nullptr;  // nullptr: the buffer was empty
    char* at = nullptr;
    size_t size = 0;          // size() then
  };
  Mark mark() const;
  // Drops what was written since (CLIENT REPLY OFF, a reply that turned into an error).
  void truncate_to(const Mark& mark);

  // Room for a header whose text is known only after what follows it was written. Gaps may nest.
  // No consume() between open and close.
  struct Gap {
    OutNode* node;
    char* at;
  };
  static constexpr size_t kGapSize = 24;
  Gap open_gap();
  void close_gap(const Gap& gap, std::string_view header);

  ChunkPool& pool() { return *pool_; }

 private:
  const char* tail_begin() const { return tail_ == nullptr ? nullptr : tail_->begin; }
  void add_block();
  void append_slow(std::string_view bytes);
  OutNode* carve(OutBlock* block, char* at);
  void link(OutNode* node);
  void seal_tail();
  void release(OutNode* node);
  void release_from(OutNode* node);
  void forget();

  // The writing end first: a reply touches one cache line of this object.
  char* cursor_ = nullptr;
  char* limit_ = nullptr;
  OutNode* tail_ = nullptr;  // always a run of bytes, or nullptr
  ChunkPool* pool_;
  OutNode* head_ = nullptr;
  size_t sealed_ = 0;      // bytes pending in nodes before the tail
  size_t referenced_ = 0;  // of these, bytes in SharedBytes blocks
  uint32_t blocks_ = 0;
};
static_assert(sizeof(OutBuffer) == 64);

}  // namespace moon::resp
