#include "store/keyspace.h"

#include <algorithm>

namespace moon::store {

Keyspace::Keyspace(uint32_t slices, uint32_t databases, uint64_t hash_seed,
                   const Settings& settings)
    : slice_count_(slices),
      database_count_(databases),
      hash_seed_(hash_seed),
      settings_(settings) {
  MOON_ASSERT(slices > 0);
  MOON_ASSERT(slices <= 0x10000);
  slices_.reserve(slices);
  for (uint32_t i = 0; i < slices; ++i) {
    slices_.push_back(std::make_unique<Slice>(*this, i, databases, hash_seed));
  }
}

Keyspace::~Keyspace() = default;

uint64_t Keyspace::used_memory() const {
  return sum([](const Slice& slice) { return slice.ledger().total(); });
}

uint64_t Keyspace::key_count(uint32_t db) const {
  return sum([db](const Slice& slice) { return slice.key_count(db); });
}

uint64_t Keyspace::deadline_count(uint32_t db) const {
  return sum([db](const Slice& slice) { return slice.deadline_count(db); });
}

uint64_t Keyspace::changes() const {
  return sum([](const Slice& slice) { return slice.changes(); });
}

int64_t Keyspace::next_deadline_ms() const {
  int64_t next = Slice::kNoDeadline;
  for (const std::unique_ptr<Slice>& slice : slices_) {
    next = std::min(next, slice->next_deadline_ms());
  }
  return next;
}

void Keyspace::flush(Access& access, uint32_t db) {
  for (const std::unique_ptr<Slice>& slice : slices_) slice->flush(access, db);
  ports_.each([&](WritePort& port) { port.on_flush(db, access.origin); });
}

void Keyspace::flush_all(Access& access) {
  for (uint32_t db = 0; db < database_count_; ++db) flush(access, db);
}

void Keyspace::swap_databases(Access& access, uint32_t a, uint32_t b) {
  if (a == b) return;
  for (const std::unique_ptr<Slice>& slice : slices_) slice->swap(access, a, b);
  ports_.each([&](WritePort& port) { port.on_swap(a, b, access.origin); });
}

}  // namespace moon::store
