#include "store/access.h"

#include "store/keyspace.h"
#include "store/touch.h"

namespace moon::store {

namespace {

[[gnu::noinline]] void expire(Access& access, Slice& slice, uint32_t db, const KeyRef& key) {
  slice.delete_as(access, db, key.hash, slice.table(db)->find(key.hash, key.bytes),
                  EventClass::kExpired, "expired", Counter::kExpiredKeys);
}

// The entry of a key that has not expired; one that has is deleted.
[[gnu::always_inline]] inline Entry* find_live(Access& access, uint32_t db, const KeyRef& key) {
  Slice& slice = access.keyspace->slice(key.slice);
  MOON_DASSERT(slice.token.held());
  const Table* table = slice.table(db);
  if (table == nullptr) return nullptr;
  uint32_t compares;
  Entry* entry = table->get(key.hash, key.bytes, compares);
  count_lookup(*access.counters, entry != nullptr, compares);
  if (entry == nullptr || !entry->expired(access.now_ms)) [[likely]] return entry;
  expire(access, slice, db, key);
  return nullptr;
}

}  // namespace

const Entry* find_read(Access& access, uint32_t db, const KeyRef& key) {
  Entry* entry = find_live(access, db, key);
  if (entry == nullptr) {
    access.counters->add(Counter::kKeyspaceMisses);
    return nullptr;
  }
  access.counters->add(Counter::kKeyspaceHits);
  if (!access.no_touch) touch_entry(access, key.slice, *entry);
  return entry;
}

const Entry* find_quiet(Access& access, uint32_t db, const KeyRef& key) {
  return find_live(access, db, key);
}

void touch_lfu(Access& access, uint32_t slice, Entry& entry) {
  uint32_t bits = lfu_touched(entry, access.now_ms, *access.settings,
                              access.keyspace->slice(slice).random());
  if (bits != entry.access()) EntryEdit::of(&entry)->set_access(bits);
}

}  // namespace moon::store
