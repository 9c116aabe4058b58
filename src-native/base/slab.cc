#include "base/slab.h"

#include <algorithm>
#include <bit>
#include <new>

namespace moon {

struct Slab::Page {
  Page* next;
  Page* previous;
  void* free_cells;      // linked through their first word
  uint16_t used;
  uint16_t capacity;
  uint16_t untouched;    // cells from here on were never handed out: their memory is not touched
  uint16_t cell_size;
  uint16_t first_cell;   // offset from the page header
  uint8_t order;
  uint8_t unit;          // first unit in the region
  uint8_t unused[12];

  char* cell(size_t index) {
    return reinterpret_cast<char*>(this) + first_cell + index * cell_size;
  }
  bool full() const { return used == capacity; }
};

struct Slab::Region {
  Region* next;
  Region* previous;
  uint16_t free_units;             // a bit per unit
  int8_t listed;                   // the order it is filed under, or -1
  uint8_t unused[5];
  uint8_t page_start[kUnits];      // unit -> first unit of its page
  uint8_t unused_tail[24];

  int longest_run() const {
    for (int order = kOrders - 1; order >= 0; --order) {
      if (find_run(order) >= 0) return order;
    }
    return -1;
  }
  int find_run(int order) const {
    uint32_t length = 1u << order;
    uint32_t mask = (1u << length) - 1;
    for (uint32_t unit = 0; unit < kUnits; unit += length) {
      if ((free_units >> unit & mask) == mask) return static_cast<int>(unit);
    }
    return -1;
  }
};

Slab::Page* Slab::page_of(void* block) {
  uintptr_t address = reinterpret_cast<uintptr_t>(block);
  uintptr_t base = address & ~(kRegion - 1);
  auto* region = reinterpret_cast<Region*>(base);
  size_t unit = region->page_start[(address - base) / kUnit];
  return reinterpret_cast<Page*>(base + (unit == 0 ? kRegionHeader : unit * kUnit));
}

#ifdef MOON_SLAB_MALLOC

void* Slab::allocate(size_t size) { return std::malloc(usable(size)); }
void Slab::free(void* block, size_t) { std::free(block); }

#else

void* Slab::allocate(size_t size) {
  if (size > kLargestClass) [[unlikely]] return std::malloc(size);
  size_t index = class_of(size);
  Page* page = classes_[index].open;
  if (page == nullptr) [[unlikely]] return allocate_slow(index);
  return allocate_cell(page, index);
}

void Slab::free(void* block, size_t size) {
  if (size > kLargestClass) [[unlikely]] {
    std::free(block);
    return;
  }
  Page* page = page_of(block);
  size_t index = class_of(size);
  MOON_DASSERT(page->cell_size == class_size(index));
  *static_cast<void**>(block) = page->free_cells;
  page->free_cells = block;
  if (page->full()) {
    Class& cls = classes_[index];
    page->previous = nullptr;
    page->next = cls.open;
    if (cls.open != nullptr) cls.open->previous = page;
    cls.open = page;
  }
  if (--page->used == 0) [[unlikely]] free_page(page, index);
}

#endif

void* Slab::allocate_cell(Page* page, size_t index) {
  void* block = page->free_cells;
  if (block != nullptr) {
    page->free_cells = *static_cast<void**>(block);
  } else {
    block = page->cell(page->untouched++);
  }
  ++page->used;
  if (page->full()) [[unlikely]] {
    classes_[index].open = page->next;
    if (page->next != nullptr) page->next->previous = nullptr;
  }
  return block;
}

void* Slab::allocate_slow(size_t index) {
  Page* page = add_page(index);
  return page == nullptr ? nullptr : allocate_cell(page, index);
}

// Pages grow with their class: about a quarter of what it has, never less than a few cells.
int Slab::page_order(size_t index) const {
  size_t size = class_size(index);
  size_t wanted = std::max<size_t>(classes_[index].units / 4, 1);
  int order = std::min(static_cast<int>(std::bit_width(wanted)) - 1, kOrders - 1);
  while (order < kOrders - 1 && ((kUnit << order) - kRegionHeader - kPageHeader) / size < 4) {
    ++order;
  }
  return order;
}

Slab::Region* Slab::region_with_run(int order) {
  for (int at = order; at < kOrders; ++at) {
    if (regions_[at] != nullptr) return regions_[at];
  }
  void* block = source_.take();
  if (block == nullptr) return nullptr;
  auto* region = new (block) Region{};
  region->free_units = 0xffff;
  region->listed = -1;
  file_region(region);
  return region;
}

Slab::Page* Slab::add_page(size_t index) {
  static_assert(sizeof(Page) == kPageHeader);
  static_assert(sizeof(Region) == kRegionHeader);
  int order = page_order(index);
  Region* region = region_with_run(order);
  if (region == nullptr) return nullptr;
  uint32_t length = 1u << order;
  auto unit = static_cast<uint32_t>(region->find_run(order));
  region->free_units &= static_cast<uint16_t>(~(((1u << length) - 1) << unit));
  for (uint32_t i = 0; i < length; ++i) {
    region->page_start[unit + i] = static_cast<uint8_t>(unit);
  }
  file_region(region);

  size_t head = unit == 0 ? kRegionHeader : 0;
  size_t size = class_size(index);
  void* at = reinterpret_cast<char*>(region) + unit * kUnit + head;
  auto* page = new (at) Page{};
  page->cell_size = static_cast<uint16_t>(size);
  page->capacity = static_cast<uint16_t>((length * kUnit - head - kPageHeader) / size);
  page->first_cell = kPageHeader;
  page->order = static_cast<uint8_t>(order);
  page->unit = static_cast<uint8_t>(unit);
  Class& cls = classes_[index];
  MOON_DASSERT(cls.open == nullptr);
  cls.open = page;
  cls.units += length;
  pages_bytes_ += length * kUnit;
  return page;
}

// REQUIRES: the page is in its class's list and no cell is in use.
void Slab::free_page(Page* page, size_t index) {
  Class& cls = classes_[index];
  if (page->previous != nullptr) {
    page->previous->next = page->next;
  } else {
    cls.open = page->next;
  }
  if (page->next != nullptr) page->next->previous = page->previous;
  uint32_t length = 1u << page->order;
  cls.units -= length;
  pages_bytes_ -= length * kUnit;
  auto* region =
      reinterpret_cast<Region*>(reinterpret_cast<uintptr_t>(page) & ~(kRegion - 1));
  region->free_units |= static_cast<uint16_t>(((1u << length) - 1) << page->unit);
  if (region->free_units == 0xffff) {
    unfile_region(region);
    source_.give(region);
    return;
  }
  file_region(region);
}

void Slab::file_region(Region* region) {
  int order = region->longest_run();
  if (order == region->listed) return;
  unfile_region(region);
  if (order < 0) return;
  region->listed = static_cast<int8_t>(order);
  region->previous = nullptr;
  region->next = regions_[order];
  if (region->next != nullptr) region->next->previous = region;
  regions_[order] = region;
}

void Slab::unfile_region(Region* region) {
  if (region->listed < 0) return;
  if (region->previous != nullptr) {
    region->previous->next = region->next;
  } else {
    regions_[region->listed] = region->next;
  }
  if (region->next != nullptr) region->next->previous = region->previous;
  region->listed = -1;
}

}  // namespace moon
