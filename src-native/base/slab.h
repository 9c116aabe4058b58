// A size-class allocator for the many small blocks of one slice. A free is told the size, so a
// block carries no header; memory of a slice is touched only under its token, so nothing here is
// atomic; the sizes handed out add up exactly to what the ledger says.
//
// Classes: every 8 bytes up to 1 KiB, then sizes that divide a page without a rest (steps of 1.6
// to 6 percent) up to kLargestClass; above that malloc.
//
//   region (64 KiB, RegionSource) = 16 units of 4 KiB
//   page   = 1, 2, 4, 8 or 16 units, buddies within the region, one size class
//   +---------------+-------------+------+------+-----+------+
//   | region header | page header | cell | cell | ... | cell |    header of the region: in its
//   +---------------+-------------+------+------+-----+------+    first unit only
//
// A class begins with a page of a few cells and takes larger ones as it grows, so that a slice
// with few keys of many sizes stays small. A page that empties goes back to its region, an empty
// region to the source.
//
// Built with a sanitizer, blocks come from malloc one by one, so that it sees overruns and leaks.
//
// Invariants:
// (1) one thread at a time (the holder of the slice's token);
// (2) free() gets a size of the same class as allocate() got;
// (3) blocks are aligned to 8 bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/assert.h"
#include "base/region_source.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MOON_SLAB_MALLOC 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MOON_SLAB_MALLOC 1
#endif
#endif

namespace moon {

class Slab {
 public:
  static constexpr size_t kLargestClass = 4088;

  explicit Slab(RegionSource& source) : source_(source) {}
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;

  void* allocate(size_t size);             // nullptr when memory is refused
  void free(void* block, size_t size);

  // What a block of this size takes: its class, or what malloc takes for it.
  static constexpr size_t charged(size_t size);
  // What glibc's malloc takes: a header of 8 bytes, multiples of 16.
  static constexpr size_t malloc_charge(size_t size) { return (size + 8 + 15) / 16 * 16; }
  // How many bytes may be used of a block of this size: a value may grow in place up to it.
  static constexpr size_t usable(size_t size) {
    return size <= kLargestClass ? charged(size) : charged(size) - 8;
  }

  size_t pages_bytes() const { return pages_bytes_; }  // in pages, cells not in use included

 private:
  static constexpr size_t kRegion = RegionSource::kRegionSize;
  static constexpr size_t kUnit = 4096;
  static constexpr size_t kUnits = kRegion / kUnit;
  static constexpr int kOrders = 5;            // pages of 1 << order units
  static constexpr size_t kRegionHeader = 64;
  static constexpr size_t kPageHeader = 48;
  static constexpr size_t kFineLimit = 1024;   // classes every 8 bytes up to here
  static constexpr size_t kFineClasses = kFineLimit / 8;
  static constexpr size_t kPageRoom = kRegion - kRegionHeader - kPageHeader;
  static constexpr size_t kFewestCells = 16;   // in a page of the largest class
  static constexpr size_t kMostCells = 63;     // in a page of the smallest coarse class
  static constexpr size_t kClasses = kFineClasses + kMostCells - kFewestCells + 1;

  struct Page;
  struct Region;
  struct Coarse;
  struct Class {
    Page* open = nullptr;   // pages with a free cell
    uint32_t units = 0;     // in all its pages
  };

  static constexpr size_t coarse_size(size_t index) {
    return kPageRoom / (kMostCells - index) / 8 * 8;
  }
  static constexpr size_t class_of(size_t size);
  static constexpr size_t class_size(size_t index) {
    return index < kFineClasses ? (index + 1) * 8 : coarse_size(index - kFineClasses);
  }
  void* allocate_cell(Page* page, size_t index);
  void* allocate_slow(size_t index);
  Page* add_page(size_t index);
  int page_order(size_t index) const;
  Region* region_with_run(int order);
  void free_page(Page* page, size_t index);
  void file_region(Region* region);
  void unfile_region(Region* region);
  static Page* page_of(void* block);

  std::array<Class, kClasses> classes_;
  std::array<Region*, kOrders> regions_{};  // by the longest free run; full ones are not listed
  RegionSource& source_;
  size_t pages_bytes_ = 0;
};

namespace detail {
// (size - 1025) / 8 -> coarse class.
template <size_t kFirst, size_t kCount, typename SizeOf>
constexpr std::array<uint8_t, kCount> coarse_class_table(SizeOf size_of) {
  std::array<uint8_t, kCount> table{};
  size_t index = 0;
  for (size_t i = 0; i < kCount; ++i) {
    while (size_of(index) < kFirst + (i + 1) * 8) ++index;
    table[i] = static_cast<uint8_t>(index);
  }
  return table;
}
}  // namespace detail

struct Slab::Coarse {
  static constexpr auto kTable =
      detail::coarse_class_table<kFineLimit, (kLargestClass - kFineLimit) / 8>(coarse_size);
};

constexpr size_t Slab::class_of(size_t size) {
  if (size <= kFineLimit) return size == 0 ? 0 : (size - 1) / 8;
  return kFineClasses + Coarse::kTable[(size - kFineLimit - 1) / 8];
}

constexpr size_t Slab::charged(size_t size) {
  if (size <= kFineLimit) return size == 0 ? 8 : (size + 7) / 8 * 8;
  return size <= kLargestClass ? class_size(class_of(size)) : malloc_charge(size);
}

}  // namespace moon
