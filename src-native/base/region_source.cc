#include "base/region_source.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>

namespace moon {

RegionSource::~RegionSource() {
  for (Mapping& mapping : mappings_) ::munmap(mapping.base, kMappingSize);
}

RegionSource::Mapping* RegionSource::add_mapping() {
  // A region more than needed, then cut: mmap aligns to pages only.
  constexpr size_t kReserve = kMappingSize + kRegionSize;
  void* block = ::mmap(nullptr, kReserve, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (block == MAP_FAILED) return nullptr;
  char* begin = static_cast<char*>(block);
  size_t misaligned = reinterpret_cast<uintptr_t>(begin) % kRegionSize;
  size_t head = misaligned == 0 ? 0 : kRegionSize - misaligned;
  size_t tail = kReserve - kMappingSize - head;
  if (head != 0) ::munmap(begin, head);
  if (tail != 0) ::munmap(begin + head + kMappingSize, tail);
  Mapping mapping{begin + head, 0, 0};
  auto place = std::lower_bound(
      mappings_.begin(), mappings_.end(), mapping.base,
      [](const Mapping& a, const char* base) { return a.base < base; });
  size_t index = static_cast<size_t>(place - mappings_.begin());
  mappings_.insert(place, mapping);
  open_from_ = std::min(open_from_, index);
  return &mappings_[index];
}

void* RegionSource::take() {
  if (!spare_.empty()) {
    char* region = spare_.back();
    spare_.pop_back();
    Mapping& mapping = mapping_of(region);
    uint64_t bit = uint64_t{1} << ((region - mapping.base) / kRegionSize);
    mapping.spare &= ~bit;
    mapping.taken |= bit;
    ++taken_;
    return region;
  }
  while (open_from_ < mappings_.size() && mappings_[open_from_].full()) ++open_from_;
  Mapping* mapping = open_from_ < mappings_.size() ? &mappings_[open_from_] : add_mapping();
  if (mapping == nullptr) return nullptr;
  int index = std::countr_one(mapping->taken | mapping->spare);
  mapping->taken |= uint64_t{1} << index;
  ++taken_;
  return mapping->base + static_cast<size_t>(index) * kRegionSize;
}

void RegionSource::give(void* region) {
  Mapping& mapping = mapping_of(region);
  size_t index = static_cast<size_t>(static_cast<char*>(region) - mapping.base) / kRegionSize;
  uint64_t bit = uint64_t{1} << index;
  MOON_ASSERT((mapping.taken & bit) != 0);
  mapping.taken &= ~bit;
  mapping.spare |= bit;
  spare_.push_back(static_cast<char*>(region));
  --taken_;
}

void RegionSource::trim(size_t regions) {
  for (; regions > 0 && has_excess(); --regions) {
    char* region = spare_.back();
    spare_.pop_back();
    ::madvise(region, kRegionSize, MADV_DONTNEED);
    Mapping& mapping = mapping_of(region);
    mapping.spare &= ~(uint64_t{1} << ((region - mapping.base) / kRegionSize));
    release(mapping);
  }
}

// A region of `mapping` is neither taken nor spare any more.
void RegionSource::release(Mapping& mapping) {
  size_t index = static_cast<size_t>(&mapping - mappings_.data());
  open_from_ = std::min(open_from_, index);
  if (mapping.taken != 0 || mapping.spare != 0) return;
  ::munmap(mapping.base, kMappingSize);
  mappings_.erase(mappings_.begin() + static_cast<std::ptrdiff_t>(index));
  open_from_ = std::min(open_from_, index);
}

RegionSource::Mapping& RegionSource::mapping_of(const void* region) {
  auto after = std::upper_bound(
      mappings_.begin(), mappings_.end(), static_cast<const char*>(region),
      [](const char* at, const Mapping& mapping) { return at < mapping.base; });
  MOON_ASSERT(after != mappings_.begin());
  Mapping& mapping = *(after - 1);
  MOON_ASSERT(static_cast<const char*>(region) < mapping.base + kMappingSize);
  return mapping;
}

}  // namespace moon
