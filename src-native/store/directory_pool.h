// Memory of table directories and of Table objects' addresses that other threads may still be
// looking at: a thread that prefetches for a key reads the directory without the slice's token.
// So a directory that is replaced is not freed but kept for the next one of its size until the
// slice goes. What such a reader finds in it may belong to another table by then; it is used as
// an address to prefetch and nothing else.
//
// allocate() and retire() under the slice's token.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "store/ledger.h"

namespace moon::store {

using DirectorySlot = std::atomic<uint64_t>;

class DirectoryPool {
 public:
  static constexpr uint32_t kMaxDepth = 21;  // 16 bits of the position are left for the bucket

  explicit DirectoryPool(Ledger& ledger) : ledger_(ledger) {}
  ~DirectoryPool();
  DirectoryPool(const DirectoryPool&) = delete;
  DirectoryPool& operator=(const DirectoryPool&) = delete;

  DirectorySlot* allocate(uint32_t depth);  // 1 << depth slots of unspecified content
  void retire(DirectorySlot* directory, uint32_t depth);

 private:
  std::array<std::vector<DirectorySlot*>, kMaxDepth + 1> retired_;
  Ledger& ledger_;
};

}  // namespace moon::store
