// All slices of a server. A slice is the part of every logical database whose keys' hashes lead
// to it, with its own tables, deadline index, slab allocator and ledger, guarded by its token.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/access.h"
#include "store/key.h"
#include "store/objects.h"
#include "store/slice.h"

namespace moon::store {

class Keyspace {
 public:
  Keyspace(uint32_t slices, uint32_t databases, uint64_t hash_seed, const Settings& settings);
  ~Keyspace();
  Keyspace(const Keyspace&) = delete;
  Keyspace& operator=(const Keyspace&) = delete;

  uint32_t slice_count() const { return slice_count_; }
  uint32_t database_count() const { return database_count_; }
  Slice& slice(uint32_t index) { return *slices_[index]; }
  const Slice& slice(uint32_t index) const { return *slices_[index]; }
  WritePorts& ports() { return ports_; }              // filled before the threads run
  ObjectRegistry& objects() { return objects_; }      // likewise
  const Settings& settings() const { return settings_; }

  // Hashes; {tag} decides the slice.
  KeyRef key_ref(std::string_view bytes, uint32_t arg) const {
    uint64_t hash = hash_bytes(bytes, hash_seed_);
    std::string_view tag = hash_tag(bytes);
    if (tag.size() != bytes.size()) [[unlikely]] {
      hash = (hash & ~uint64_t{0xffff}) | hash_slice_bits(hash_bytes(tag, hash_seed_));
    }
    return {bytes, hash, hash_slice_bits(hash) * slice_count_ >> 16, arg};
  }
  // Any thread, no token: asks for the lines of the table that a lookup will read.
  void prefetch(uint32_t db, const KeyRef& key) const {
    slices_[key.slice]->prefetch(db, key.hash);
  }

  // Any thread, no token: sums of relaxed per-slice figures.
  uint64_t used_memory() const;
  uint64_t key_count(uint32_t db) const;
  uint64_t deadline_count(uint32_t db) const;
  uint64_t changes() const;                     // settled writes since the start
  int64_t next_deadline_ms() const;             // Slice::kNoDeadline: none

  // REQUIRE all tokens.
  void flush(Access& access, uint32_t db);      // detaches; memory is freed by upkeep in steps
  void flush_all(Access& access);
  void swap_databases(Access& access, uint32_t a, uint32_t b);

 private:
  template <typename Figure>
  uint64_t sum(Figure&& figure) const {
    uint64_t total = 0;
    for (const std::unique_ptr<Slice>& slice : slices_) total += figure(*slice);
    return total;
  }

  const uint32_t slice_count_;
  const uint32_t database_count_;
  const uint64_t hash_seed_;
  const Settings& settings_;
  WritePorts ports_;
  ObjectRegistry objects_;
  std::vector<std::unique_ptr<Slice>> slices_;
};

}  // namespace moon::store
