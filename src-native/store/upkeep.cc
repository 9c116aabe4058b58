// A slice's work in the background: expiry, freeing in steps, eviction.
#include <sys/mman.h>

#include <algorithm>

#include "base/clock.h"
#include "store/entry_edit.h"
#include "store/keyspace.h"
#include "store/slice.h"

namespace moon::store {

namespace {
constexpr uint32_t kDueAtOnce = 192;
constexpr size_t kLargeString = 4 << 20;      // from here on a string is freed in steps
constexpr size_t kStringStep = 4 << 20;       // bytes a step
constexpr size_t kLargeContainer = 64 << 10;  // bytes from which a container is freed in steps
constexpr size_t kElementsStep = 1024;
constexpr size_t kRegionsStep = 8;
}  // namespace

bool Slice::upkeep(Access& access, uint64_t budget_us, bool active_expire) {
  uint64_t begin = mono_us();
  bool more = false;
  if (active_expire && next_deadline_ms_ < access.now_ms) {
    more = expire_due(access, budget_us);
    access.counters->add(Counter::kExpireCycleNs, (mono_us() - begin) * 1000);
    if (more) access.counters->add(Counter::kExpiredTimeCapReachedCount);
  }
  while (draining_) {
    if (mono_us() - begin >= budget_us) return true;
    if (!drain_step(access)) {
      regions_.trim(kRegionsStep);
      note_draining();
    }
  }
  return more;
}

// ---- expiry ------------------------------------------------------------------------------------

bool Slice::expire_due(Access& access, uint64_t budget_us) {
  uint64_t begin = mono_us();
  auto now = static_cast<uint64_t>(access.now_ms);
  Table::Due due[kDueAtOnce];
  bool more = true;
  do {
    uint32_t first = 0;
    uint64_t earliest = Bucket::kNoDeadline;
    for (uint32_t db = 0; db < databases_; ++db) {
      Table* here = table(db);
      if (here == nullptr || here->earliest() >= earliest) continue;
      earliest = here->earliest();
      first = db;
    }
    if (earliest >= now) {
      more = false;
      break;
    }
    Table& here = *table(first);
    uint32_t count = here.collect_due(now, due, kDueAtOnce);
    for (uint32_t i = 0; i < count; ++i) {
      uint64_t hash = here.hash_of(due[i].entry->key());
      delete_as(access, first, hash, here.find_entry(hash, due[i].entry), EventClass::kExpired,
                "expired", Counter::kExpiredKeys);
    }
  } while (mono_us() - begin < budget_us);
  refresh_next_deadline();
  return more;
}

void Slice::refresh_next_deadline() {
  uint64_t earliest = Bucket::kNoDeadline;
  for (uint32_t db = 0; db < databases_; ++db) {
    const Table* here = table(db);
    if (here != nullptr) earliest = std::min(earliest, here->earliest());
  }
  next_deadline_ms_ =
      earliest == Bucket::kNoDeadline ? kNoDeadline : static_cast<int64_t>(earliest);
}

// ---- freeing in steps --------------------------------------------------------------------------

void Slice::drop_value(Access& access, Type type, Encoding encoding, void* pointer) {
  size_t charged = charge_of(type, encoding, pointer);
  if (charged < (type == Type::kString ? kLargeString : kLargeContainer)) {
    account_of(type) -= charged;
    if (type == Type::kString) {
      static_cast<SharedBytes*>(pointer)->release();
      return;
    }
    const ObjectOps& ops = keyspace_.objects().get(type, encoding);
    while (!ops.destroy_step(pointer, kElementsStep)) {
    }
    return;
  }
  large_.push_back({type, encoding, pointer, charged});
  draining_ = true;
  access.counters->add(Counter::kLazyfreePendingObjects);
}

bool Slice::drain_step(Access& access) {
  if (!detached_.empty()) {
    if (!drain_table(access)) {
      idle_tables_.push_back(detached_.front());
      detached_.pop_front();
    }
  } else if (!large_.empty()) {
    if (drain_large(large_.front())) {
      large_.pop_front();
      access.counters->add(Counter::kLazyfreedObjects);
      access.counters->sub(Counter::kLazyfreePendingObjects);
    }
  } else {
    return false;
  }
  note_draining();
  return true;
}

bool Slice::drain_table(Access& access) {
  uint64_t freed = 0;
  bool more = detached_.front()->drain_segment([&](Entry* entry) {
    EntryEdit* edit = EntryEdit::of(entry);
    if (edit->external()) {
      EntryValue old = edit->value();
      drop_value(access, old.type, old.encoding, old.pointer);
    }
    free_entry(entry);
    ++freed;
  });
  access.counters->add(Counter::kLazyfreedObjects, freed);
  access.counters->sub(Counter::kLazyfreePendingObjects, freed);
  return more;
}

// One part of a large value; true when it is gone.
bool Slice::drain_large(LargeValue& value) {
  Relaxed<uint64_t>& account = account_of(value.type);
  if (value.type != Type::kString) {
    if (!keyspace_.objects().get(value.type, value.encoding)
             .destroy_step(value.pointer, kElementsStep)) {
      return false;
    }
    account -= value.charged;
    return true;
  }
  auto* bytes = static_cast<SharedBytes*>(value.pointer);
  // Whole pages inside the block go back first, a few at a time, if nobody else reads them: the
  // unmapping that is left for release() is quick then.
  constexpr uintptr_t kPage = 4096;
  auto begin = (reinterpret_cast<uintptr_t>(bytes->data()) + kPage - 1) / kPage * kPage;
  auto end = (reinterpret_cast<uintptr_t>(bytes->data()) + bytes->capacity()) / kPage * kPage;
  if (bytes->unique() && begin + value.released < end) {
    size_t step = std::min<size_t>(kStringStep, end - begin - value.released);
    ::madvise(reinterpret_cast<void*>(begin + value.released), step, MADV_DONTNEED);
    value.released += step;
    return false;
  }
  account -= value.charged;
  bytes->release();
  return true;
}

// ---- eviction ----------------------------------------------------------------------------------

bool Slice::evict_one(Access& access) {
  if (drain_step(access)) return true;
  EvictionPolicy policy = eviction_policy(*access.settings);
  if (policy.kind != eviction_kind_) eviction_pool_.clear();
  eviction_kind_ = policy.kind;
  switch (policy.kind) {
    case EvictionKind::kNone:
      return false;
    case EvictionKind::kRandom:
      return evict_random(access, policy.with_deadline);
    case EvictionKind::kTtl:
      return evict_nearest_deadline(access);
    case EvictionKind::kLru:
    case EvictionKind::kLfu:
      break;
  }
  for (int round = 0; round < 8; ++round) {
    sample_candidates(access, policy);
    if (eviction_pool_.empty()) return false;
    while (!eviction_pool_.empty()) {
      EvictionPool::Candidate best = eviction_pool_.take_best();
      Table* here = table(best.db);
      if (here == nullptr) continue;
      Table::Slot slot = here->find(best.hash, best.key);
      if (slot.entry == nullptr) continue;
      if (policy.with_deadline && !slot.entry->has_deadline()) continue;
      delete_as(access, best.db, best.hash, slot, EventClass::kEvicted, "evicted",
                Counter::kEvictedKeys);
      return true;
    }
  }
  return false;
}

// A few keys of each database into the pool.
void Slice::sample_candidates(Access& access, const EvictionPolicy& policy) {
  constexpr uint32_t kSamplesMax = 64;
  Entry* sampled[kSamplesMax];
  auto wanted = static_cast<uint32_t>(
      std::clamp<int64_t>(access.settings->get(Setting::kMaxmemorySamples), 1, kSamplesMax));
  for (uint32_t db = 0; db < databases_; ++db) {
    Table* here = table(db);
    if (here == nullptr) continue;
    uint32_t found = here->sample(random(), sampled, wanted, policy.with_deadline);
    for (uint32_t i = 0; i < found; ++i) {
      const Entry& entry = *sampled[i];
      uint64_t score = policy.kind == EvictionKind::kLfu
                           ? 255 - lfu_counter(entry, access.now_ms, *access.settings)
                           : idle_seconds(entry, access.now_ms);
      eviction_pool_.offer(score, db, here->hash_of(entry.key()), entry.key());
    }
  }
}

// Databases in turn, as their keys have no order among them.
bool Slice::evict_random(Access& access, bool with_deadline) {
  for (uint32_t tries = 0; tries < databases_; ++tries) {
    uint32_t db = eviction_db_;
    eviction_db_ = db + 1 == databases_ ? 0 : db + 1;
    Table* here = table(db);
    if (here == nullptr) continue;
    Entry* entry = nullptr;
    if (with_deadline) {
      here->sample(random(), &entry, 1, true);
    } else {
      entry = here->random_entry(random());
    }
    if (entry == nullptr) continue;
    uint64_t hash = here->hash_of(entry->key());
    delete_as(access, db, hash, here->find_entry(hash, entry), EventClass::kEvicted, "evicted",
              Counter::kEvictedKeys);
    return true;
  }
  return false;
}

bool Slice::evict_nearest_deadline(Access& access) {
  Entry* nearest = nullptr;
  uint32_t nearest_db = 0;
  for (uint32_t db = 0; db < databases_; ++db) {
    Table* here = table(db);
    if (here == nullptr) continue;
    Entry* entry = here->nearest_deadline();
    if (entry == nullptr) continue;
    if (nearest != nullptr && deadline_order(*entry) >= deadline_order(*nearest)) continue;
    nearest = entry;
    nearest_db = db;
  }
  if (nearest == nullptr) return false;
  Table& here = *table(nearest_db);
  uint64_t hash = here.hash_of(nearest->key());
  delete_as(access, nearest_db, hash, here.find_entry(hash, nearest), EventClass::kEvicted,
            "evicted", Counter::kEvictedKeys);
  return true;
}

}  // namespace moon::store
