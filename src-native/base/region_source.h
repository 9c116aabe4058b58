// Regions: 64 KiB pieces of address space, aligned to their size, carved from larger mappings.
// What the slab allocator and the table's segment pool of one slice are built on.
//
// Reserved is not resident: a mapping costs address space until a region of it is written. A
// region given back keeps its memory for the next taker. When more are spare than a margin,
// has_excess() says so, and trim() returns their memory to the operating system, a few regions a
// call because that costs microseconds each; a mapping without a taken region is unmapped.
//
// Invariants:
// (1) one thread at a time (the holder of the slice's token);
// (2) a region's content is unspecified when it is taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/assert.h"

namespace moon {

class RegionSource {
 public:
  static constexpr size_t kRegionSize = 64 * 1024;

  RegionSource() = default;
  ~RegionSource();
  RegionSource(const RegionSource&) = delete;
  RegionSource& operator=(const RegionSource&) = delete;

  void* take();               // nullptr when memory is refused
  void give(void* region);
  bool has_excess() const { return spare_.size() > kSpareMin + taken_ / kSpareShare; }
  void trim(size_t regions);  // at most so many of the excess

  size_t taken() const { return taken_; }    // regions in use
  size_t spare() const { return spare_.size(); }  // regions kept with their memory

 private:
  static constexpr size_t kRegionsPerMapping = 64;
  static constexpr size_t kMappingSize = kRegionSize * kRegionsPerMapping;
  static constexpr size_t kSpareMin = 2;
  static constexpr size_t kSpareShare = 64;  // spare regions stay below taken / this

  struct Mapping {
    char* base;
    uint64_t taken;  // a bit per region
    uint64_t spare;  // not taken, memory kept
    bool full() const { return (taken | spare) == ~uint64_t{0}; }
  };

  Mapping* add_mapping();
  Mapping& mapping_of(const void* region);
  void release(Mapping& mapping);

  std::vector<Mapping> mappings_;  // by address
  size_t open_from_ = 0;           // mappings before this one are full
  std::vector<char*> spare_;
  size_t taken_ = 0;
};

}  // namespace moon
