// What a slice's keyspace takes, in bytes by kind. Written by the holder of the slice's token,
// read by any thread. Blocks are charged as the allocator rounds them.
#pragma once

#include <cstdint>

#include "base/relaxed.h"

namespace moon::store {

struct Ledger {
  Relaxed<uint64_t> entries;     // keys with inline values, slab classes
  Relaxed<uint64_t> tables;      // segments and directories
  Relaxed<uint64_t> strings;     // SharedBytes of string values, once for each key that holds one
  Relaxed<uint64_t> containers;  // what the ObjectOps report

  uint64_t total() const {
    return entries.get() + tables.get() + strings.get() + containers.get();
  }
};

}  // namespace moon::store
