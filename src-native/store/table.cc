#include "store/table.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace moon::store {

DirectoryPool::~DirectoryPool() {
  for (std::vector<DirectorySlot*>& size : retired_) {
    for (DirectorySlot* directory : size) std::free(static_cast<void*>(directory));
  }
}

DirectorySlot* DirectoryPool::allocate(uint32_t depth) {
  size_t slots = size_t{1} << depth;
  ledger_.tables += slots * sizeof(DirectorySlot);
  std::vector<DirectorySlot*>& kept = retired_[depth];
  if (!kept.empty()) {
    DirectorySlot* directory = kept.back();
    kept.pop_back();
    return directory;
  }
  auto* directory = static_cast<DirectorySlot*>(std::malloc(slots * sizeof(DirectorySlot)));
  MOON_ASSERT(directory != nullptr);
  for (size_t i = 0; i < slots; ++i) new (&directory[i]) DirectorySlot(0);
  return directory;
}

void DirectoryPool::retire(DirectorySlot* directory, uint32_t depth) {
  ledger_.tables -= (size_t{1} << depth) * sizeof(DirectorySlot);
  retired_[depth].push_back(directory);
}

Table::Table(SegmentPool& segments, DirectoryPool& directories, uint64_t hash_seed)
    : seed_(hash_seed), segments_(segments), directories_(directories) {
  set_root(&single_, 0);
}

Table::~Table() {
  while (drain_segment([](Entry*) {})) {
  }
}

// ---- lookup ------------------------------------------------------------------------------------

// Not in its home bucket, but entries of it lie elsewhere.
Table::Slot Table::find_away(uint64_t hash, std::string_view key, uint64_t word,
                             uint32_t compares) const {
  Slot slot;
  slot.segment = word_segment(word);
  slot.compares = compares;
  uint32_t home_index = slot.segment->home_of(hash);
  const Bucket& home = slot.segment->bucket(home_index);
  uint8_t print = slot_fingerprint(hash);
  if (home.spilled != 0) {
    slot.bucket = &slot.segment->after(home_index);
    slot.entry = probe(*slot.bucket, slot.bucket->match(print) & slot.bucket->foreign, hash, key,
                       slot.index, slot.compares);
    if (slot.entry != nullptr) return slot;
  }
  if (home.stashed == 0 || (home.stash_filter >> (print & 15) & 1) == 0) return slot;
  for (uint32_t i = slot.segment->homes; i < slot.segment->bucket_count(); ++i) {
    slot.bucket = &slot.segment->bucket(i);
    slot.entry = probe(*slot.bucket, slot.bucket->match(print), hash, key, slot.index,
                       slot.compares);
    if (slot.entry != nullptr) return slot;
  }
  return slot;
}

Table::Slot Table::find_entry(uint64_t hash, const Entry* entry) const {
  return find(hash, entry->key());
}

void Table::replace(Slot& slot, Entry* entry) {
  uint32_t tag = Bucket::ref_tag(slot.bucket->load_ref(slot.index));
  slot.bucket->store_ref(slot.index, Bucket::make_ref(entry, tag));
  slot.entry = entry;
}

void Table::segment_moved(Segment* segment) {
  set_words(segment->prefix, segment->depth, make_word(segment));
  if (segment->heap_index != Segment::kUnheaped) heap_[segment->heap_index] = segment;
  ++layout_epoch_;
}

uint64_t Table::position_after(const Segment& segment, uint32_t home) const {
  if (home + 1 == segment.homes) {
    return hash_position(segment.prefix) + (uint64_t{1} << (kPositionBits - segment.depth));
  }
  // The least 16 bits that lead to the next home.
  uint64_t bits = ((uint64_t{home} + 1) * 65536 + segment.homes - 1) / segment.homes;
  return hash_position(segment.prefix) + (bits << (kPositionBits - 16 - segment.depth));
}

// ---- random ------------------------------------------------------------------------------------

namespace {
// SplitMix64 (Steele, Lea, Flood): a step and its output.
uint64_t next_random(uint64_t& state) {
  state += 0x9e3779b97f4a7c15;
  uint64_t mixed = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}
}  // namespace

Entry* Table::random_entry(uint64_t random) const {
  if (empty()) return nullptr;
  // A random slot of a random segment, until one is occupied: segments cover equal shares of the
  // hashes as far as their depths are equal, so that this is fair to a few percent.
  for (int tries = 0; tries < 256; ++tries) {
    uint64_t bits = next_random(random);
    Segment* segment = word_segment(word_at(bits));
    auto slot = static_cast<uint32_t>((bits & 0xffffff) * segment->slots() >> 24);
    const Bucket& bucket = segment->bucket(slot / Bucket::kSlots);
    uint32_t index = slot % Bucket::kSlots;
    if (bucket.fingerprint[index] != 0) return bucket.entry(index);
  }
  Entry* found = nullptr;
  uint64_t position = hash_position(random);
  while (found == nullptr) {
    position = scan(position, [&](Entry& entry) { found = &entry; });
    if (position == kScanEnd) position = 0;
  }
  return found;
}

uint32_t Table::sample_segment(Segment* segment, uint64_t random, Entry** out, uint32_t wanted,
                               bool with_deadline) const {
  uint32_t count = segment->bucket_count();
  auto first = static_cast<uint32_t>((random & 0xffff) * count >> 16);
  uint32_t turn = random >> 16 & 15;
  uint32_t found = 0;
  for (uint32_t i = 0; i < count && found < wanted; ++i) {
    const Bucket& bucket = segment->bucket(first + i < count ? first + i : first + i - count);
    if (with_deadline && bucket.earliest_ms() == Bucket::kNoDeadline) continue;
    uint32_t mask = bucket.occupied();
    mask = (mask >> turn | mask << (16 - turn)) & 0xffff;  // begin at a random slot
    for (; mask != 0 && found < wanted; mask &= mask - 1) {
      uint32_t index = (static_cast<uint32_t>(std::countr_zero(mask)) + turn) & 15;
      Entry* entry = bucket.entry(index);
      if (!with_deadline || entry->has_deadline()) out[found++] = entry;
    }
  }
  return found;
}

uint32_t Table::sample(uint64_t random, Entry** out, uint32_t wanted, bool with_deadline) {
  while (with_deadline ? !heap_.empty() : !empty()) {
    uint64_t bits = next_random(random);
    Segment* segment = with_deadline ? heap_[static_cast<size_t>((bits >> 32) * heap_.size() >> 32)]
                                     : word_segment(word_at(bits));
    uint32_t found = sample_segment(segment, bits, out, wanted, with_deadline);
    if (found != 0) return found;
    // Its keys with a deadline are gone: out of the heap with it.
    if (with_deadline) refresh_earliest(segment);
  }
  return 0;
}

}  // namespace moon::store
