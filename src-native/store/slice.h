// A slice: the part of every logical database whose keys' hashes lead to it, with its own tables,
// deadline index, slab allocator and ledger.
//
// Invariants:
// (1) everything REQUIRES the slice's token, but what is listed under "any thread";
// (2) a database without keys has no table until its first key; Table objects, once made, stay
//     until the slice goes, because other threads may be prefetching through them;
// (3) values and tables that are too large to free at once wait in the drain queue; upkeep()
//     frees them in steps. Until then the ledger counts them.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "base/slab.h"
#include "store/access.h"
#include "store/entry_edit.h"
#include "store/entry_edit.h"
#include "store/eviction.h"
#include "store/ledger.h"
#include "store/objects.h"
#include "store/ports.h"
#include "store/table.h"
#include "store/token.h"
#include "store/watch.h"

namespace moon::store {

class Slice {
 public:
  static constexpr uint64_t kScanEnd = Table::kScanEnd;
  static constexpr int64_t kNoDeadline = INT64_MAX;

  Slice(Keyspace& keyspace, uint32_t index, uint32_t databases, uint64_t hash_seed);
  ~Slice();
  Slice(const Slice&) = delete;
  Slice& operator=(const Slice&) = delete;

  Token token;
  const uint32_t index;

  // --- any thread -----------------------------------------------------------------------------
  void prefetch(uint32_t db, uint64_t hash) const {
    const Table* table = published_table(db);
    if (table != nullptr) table->prefetch(hash);
  }
  uint64_t key_count(uint32_t db) const {
    const Table* table = published_table(db);
    return table == nullptr ? 0 : table->size();
  }
  uint64_t deadline_count(uint32_t db) const {
    const Table* table = published_table(db);
    return table == nullptr ? 0 : table->deadline_count();
  }
  const Ledger& ledger() const { return ledger_; }
  // Wall clock; nothing expires before. kNoDeadline when no key has a deadline.
  int64_t next_deadline_ms() const { return next_deadline_ms_; }
  bool upkeep_pending() const { return draining_; }  // memory waits to be freed: call upkeep()
  uint64_t changes() const { return changes_; }      // settled writes since the start
  void unwatch(uint32_t db, const KeyRef& key, std::atomic<bool>* dirty) {
    watches_.remove(db, key.bytes, dirty);
  }

  // --- reading --------------------------------------------------------------------------------
  Table* table(uint32_t db) const { return tables_[db].load(std::memory_order_relaxed); }
  void prefetch_entry(uint32_t db, uint64_t hash) const {
    const Table* here = table(db);
    if (here != nullptr) here->prefetch_entry(hash);
  }
  // One step of SCAN: fn(const Entry&) for the keys of one bucket, expired ones included;
  // returns the position to go on with or kScanEnd. A key that is there all the time is visited
  // exactly once. `fn` may not change the keyspace.
  template <typename Fn>
  uint64_t scan(uint32_t db, uint64_t position, Fn&& fn) const {
    const Table* here = table(db);
    if (here == nullptr) return kScanEnd;
    return here->scan(position, [&](Entry& entry) { fn(static_cast<const Entry&>(entry)); });
  }
  // A key that has not expired (such as have are deleted on the way); nullptr when there is none.
  const Entry* random_key(Access& access, uint32_t db);
  size_t memory_of(const Entry& entry) const;  // MEMORY USAGE

  // --- WATCH ----------------------------------------------------------------------------------
  // `was_expired`: key_expired() at this moment.
  void watch(uint32_t db, const KeyRef& key, std::atomic<bool>* dirty, bool was_expired) {
    watches_.add(db, key.bytes, dirty, was_expired);
  }
  // There, and past its deadline: at EXEC a watched key in this state counts as modified, unless
  // it was so at WATCH already.
  bool key_expired(uint32_t db, const KeyRef& key, int64_t now_ms) const;
  const WatchRegistry& watches() const { return watches_; }

  // --- upkeep ---------------------------------------------------------------------------------
  // Expires what is due (unless active_expire is false: DEBUG SET-ACTIVE-EXPIRE), then frees what
  // waits in the drain queue, for about budget_us. True when more is to be done at once.
  bool upkeep(Access& access, uint64_t budget_us, bool active_expire = true);
  // In order of deadlines, exact to Table::kDeadlineSlackMs. True when keys are due still.
  bool expire_due(Access& access, uint64_t budget_us);
  // Frees one segment of a table or a part of one large value. False when nothing waits.
  bool drain_step(Access& access);
  // Makes room by the policy in the settings: frees what waits, or evicts one key. False when
  // there is nothing to gain here.
  bool evict_one(Access& access);

  // --- for WriteScope, Keyspace and tests -------------------------------------------------------
  Table& make_table(uint32_t db);
  Keyspace& keyspace() { return keyspace_; }
  Slab& slab() { return slab_; }
  uint64_t random();

  Entry* allocate_entry(std::string_view key, const EntryValue& value, uint32_t access,
                        int64_t deadline_ms);
  void free_entry(Entry* entry);                         // the block; not what it points to
  void charge_value(Type type, Encoding encoding, const void* pointer);
  void discharge_value(Type type, Encoding encoding, const void* pointer);
  // Discharges and frees what an entry pointed to: at once, or later when it is large.
  void drop_value(Access& access, Type type, Encoding encoding, void* pointer);
  // A string's block has changed its capacity under the entry's hands.
  void recharge_string(size_t old_footprint, size_t new_footprint) {
    ledger_.strings += Slab::malloc_charge(new_footprint) - Slab::malloc_charge(old_footprint);
  }
  void lower_next_deadline(int64_t deadline_ms) {
    if (deadline_ms < next_deadline_ms_) next_deadline_ms_ = deadline_ms;
  }
  // An entry leaves its table as a write of its own ("expired", "evicted").
  void delete_as(Access& access, uint32_t db, uint64_t hash, const Table::Slot& slot,
                 EventClass event_class, std::string_view event, Counter counter);
  // What hangs on every write: WATCH, the dirty mark, the ports.
  void settle(Access& access, uint32_t db, std::string_view key, const Entry* entry,
              EventClass event_class, std::string_view event, const void* origin) {
    access.dirty = true;
    ++changes_;
    if (watches_.any()) [[unlikely]] watches_.touch(db, key, entry != nullptr);
    if (ports_.any()) [[unlikely]] {
      dispatch({this, db, key, entry, event_class, event, origin});
    }
  }
  void announce_new(uint32_t db, std::string_view key, const Entry* entry);  // event "new"

  void flush(Access& access, uint32_t db);               // Keyspace::flush
  void swap(Access& access, uint32_t a, uint32_t b);     // Keyspace::swap_databases

 private:
  struct LargeValue {
    Type type;
    Encoding encoding;
    void* pointer;
    size_t charged;       // still in the ledger
    size_t released = 0;  // bytes of a string given back to the operating system so far
  };

  const Table* published_table(uint32_t db) const {
    return tables_[db].load(std::memory_order_acquire);
  }
  void note_draining() {
    draining_ = !detached_.empty() || !large_.empty() || regions_.has_excess();
  }
  void dispatch(const WriteEvent& event);
  void refresh_next_deadline();
  size_t charge_of(Type type, Encoding encoding, const void* pointer) const;
  Relaxed<uint64_t>& account_of(Type type) {
    return type == Type::kString ? ledger_.strings : ledger_.containers;
  }
  bool drain_table(Access& access);
  bool drain_large(LargeValue& value);
  void sample_candidates(Access& access, const EvictionPolicy& policy);
  bool evict_random(Access& access, bool with_deadline);
  bool evict_nearest_deadline(Access& access);
  WatchRegistry::KeyState key_state(const Table* table, std::string_view key,
                                    int64_t now_ms) const;

  Keyspace& keyspace_;
  const WritePorts& ports_;
  const uint32_t databases_;
  const uint64_t hash_seed_;
  std::unique_ptr<std::atomic<Table*>[]> tables_;  // by database, null until the first key

  Ledger ledger_;
  Relaxed<int64_t> next_deadline_ms_{kNoDeadline};
  Relaxed<uint64_t> changes_;
  Relaxed<bool> draining_;

  RegionSource regions_;
  Slab slab_{regions_};
  SegmentPool segments_{regions_, ledger_};
  DirectoryPool directories_{ledger_};
  WatchRegistry watches_;
  EvictionPool eviction_pool_;
  EvictionKind eviction_kind_ = EvictionKind::kNone;  // what the pool's scores mean
  uint32_t eviction_db_ = 0;
  uint64_t random_state_;

  std::vector<std::unique_ptr<Table>> all_tables_;  // every Table ever made: see (2)
  std::vector<Table*> idle_tables_;                 // drained, to be used again
  std::deque<Table*> detached_;
  std::deque<LargeValue> large_;
};

}  // namespace moon::store
