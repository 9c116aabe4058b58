#include "resp/out_buffer.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace moon::resp {

namespace {

// A buffer with at most this much is copied when it is spliced: cheaper than a piece of its own
// in every send, and its block is free at once.
constexpr size_t kSpliceCopyMax = 4 * 1024;

char* start_of(OutBlock* block) { return reinterpret_cast<char*>(block); }

char* align_up(char* at) {
  const auto address = reinterpret_cast<uintptr_t>(at);
  constexpr uintptr_t kMask = alignof(OutNode) - 1;
  return at + ((kMask + 1 - (address & kMask)) & kMask);
}

}  // namespace

OutBlock* ChunkPool::allocate() {
  void* memory = std::malloc(kBlockSize);
  MOON_ASSERT(memory != nullptr);
  return ::new (memory) OutBlock{nullptr, 0};
}

void ChunkPool::discard(OutBlock* block) { std::free(static_cast<void*>(block)); }

void ChunkPool::trim(size_t keep) {
  while (kept_ > keep) {
    OutBlock* block = free_;
    free_ = block->next_free;
    --kept_;
    discard(block);
  }
}

OutNode* OutBuffer::carve(OutBlock* block, char* at) {
  ++block->nodes;
  return ::new (static_cast<void*>(at)) OutNode{nullptr, block, nullptr, nullptr, nullptr};
}

void OutBuffer::seal_tail() {
  if (tail_ == nullptr) return;
  tail_->end = cursor_;
  sealed_ += static_cast<size_t>(cursor_ - tail_->begin);
}

// Makes `node` the last one. The caller seals the tail before and sets the cursor after.
void OutBuffer::link(OutNode* node) {
  if (tail_ == nullptr) {
    head_ = node;
  } else {
    tail_->next = node;
  }
  tail_ = node;
}

void OutBuffer::add_block() {
  OutBlock* block = pool_->take();
  block->nodes = 0;
  ++blocks_;
  seal_tail();
  link(carve(block, start_of(block) + sizeof(OutBlock)));
  cursor_ = start_of(block) + kBlockHeader;
  limit_ = start_of(block) + kBlockSize;
  tail_->begin = cursor_;
}

void OutBuffer::append_slow(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t room = static_cast<size_t>(limit_ - cursor_);
    if (room == 0) {
      add_block();
      continue;
    }
    const size_t part = std::min(room, bytes.size());
    std::memcpy(cursor_, bytes.data(), part);
    cursor_ += part;
    bytes.remove_prefix(part);
  }
}

void OutBuffer::append_shared(SharedBytes* bytes, size_t offset, size_t size) {
  MOON_DASSERT(offset <= bytes->size());
  MOON_DASSERT(size <= bytes->size() - offset);
  if (size == 0) return;
  // Two nodes and something to write into must fit behind the cursor.
  constexpr size_t kNeeded = 2 * sizeof(OutNode) + alignof(OutNode) + 64;
  if (static_cast<size_t>(limit_ - cursor_) < kNeeded) add_block();

  OutBlock* block = tail_->block;
  char* at = align_up(cursor_);
  seal_tail();
  OutNode* reference = carve(block, at);
  bytes->add_ref();
  reference->shared = bytes;
  reference->begin = bytes->data() + offset;
  reference->end = reference->begin + size;
  link(reference);
  sealed_ += size;
  referenced_ += size;
  link(carve(block, at + sizeof(OutNode)));
  cursor_ = at + 2 * sizeof(OutNode);
  tail_->begin = cursor_;
}

size_t OutBuffer::collect(iovec* pieces, size_t max) const {
  size_t count = 0;
  for (OutNode* node = head_; node != nullptr && count < max; node = node->next) {
    const char* end = node == tail_ ? cursor_ : node->end;
    if (node->begin == end) continue;
    pieces[count].iov_base = const_cast<char*>(node->begin);
    pieces[count].iov_len = static_cast<size_t>(end - node->begin);
    ++count;
  }
  return count;
}

void OutBuffer::consume(size_t size) {
  MOON_DASSERT(size <= this->size());
  while (head_ != tail_) {
    OutNode* node = head_;
    const size_t pending = static_cast<size_t>(node->end - node->begin);
    if (size < pending) {
      node->begin += size;
      sealed_ -= size;
      if (node->shared != nullptr) referenced_ -= size;
      return;
    }
    size -= pending;
    sealed_ -= pending;
    head_ = node->next;
    release(node);
  }
  if (tail_ == nullptr) return;
  tail_->begin += size;
  if (tail_->begin == cursor_) clear();
}

// Returns a node's reference and, with the last node of a block, the block. The node's pending
// bytes leave referenced_ here and sealed_ at the caller.
void OutBuffer::release(OutNode* node) {
  if (node->shared != nullptr) {
    referenced_ -= static_cast<size_t>(node->end - node->begin);
    node->shared->release();
  }
  OutBlock* block = node->block;
  if (--block->nodes == 0) {
    --blocks_;
    pool_->give(block);
  }
}

void OutBuffer::release_from(OutNode* node) {
  while (node != nullptr) {
    OutNode* next = node->next;
    release(node);
    node = next;
  }
}

// The nodes belong to somebody else now, or to nobody.
void OutBuffer::forget() {
  cursor_ = nullptr;
  limit_ = nullptr;
  tail_ = nullptr;
  head_ = nullptr;
  sealed_ = 0;
  referenced_ = 0;
  blocks_ = 0;
}

void OutBuffer::clear() {
  release_from(head_);
  forget();
}

void OutBuffer::splice(OutBuffer&& other) {
  MOON_DASSERT(this != &other);
  if (other.head_ == nullptr) return;
  const size_t size = other.size();
  blocks_ += other.blocks_;
  referenced_ += other.referenced_;
  if (size <= kSpliceCopyMax && other.referenced_ == 0) {
    other.seal_tail();
    for (OutNode* node = other.head_; node != nullptr; node = node->next) {
      append({node->begin, static_cast<size_t>(node->end - node->begin)});
    }
    release_from(other.head_);
  } else {
    seal_tail();
    if (tail_ == nullptr) {
      head_ = other.head_;
    } else {
      tail_->next = other.head_;
    }
    tail_ = other.tail_;
    cursor_ = other.cursor_;
    limit_ = other.limit_;
    sealed_ += other.sealed_;
  }
  other.forget();
}

OutBuffer::Mark OutBuffer::mark() const { return {tail_, cursor_, size()}; }

void OutBuffer::truncate_to(const Mark& mark) {
  if (mark.node == nullptr) return clear();
  OutNode* after = mark.node == tail_ ? nullptr : mark.node->next;
  mark.node->next = nullptr;
  release_from(after);
  tail_ = mark.node;
  cursor_ = mark.at;
  limit_ = start_of(mark.node->block) + kBlockSize;
  sealed_ = mark.size - static_cast<size_t>(mark.at - mark.node->begin);
}

OutBuffer::Gap OutBuffer::open_gap() {
  char* at = reserve(kGapSize);
  commit(kGapSize);
  return {tail_, at};
}

void OutBuffer::close_gap(const Gap& gap, std::string_view header) {
  MOON_ASSERT(header.size() <= kGapSize);
  const size_t surplus = kGapSize - header.size();
  const char* end = gap.node == tail_ ? cursor_ : gap.node->end;
  const char* rest = gap.at + kGapSize;
  std::memcpy(gap.at, header.data(), header.size());
  // Only what shares the node with the gap has to move, at most one block.
  std::memmove(gap.at + header.size(), rest, static_cast<size_t>(end - rest));
  if (gap.node == tail_) {
    cursor_ -= surplus;
  } else {
    gap.node->end -= surplus;
    sealed_ -= surplus;
  }
}

}  // namespace moon::resp
