#include "store/slice.h"

#include <algorithm>
#include <bit>

#include "store/entry_edit.h"
#include "store/keyspace.h"

namespace moon::store {

Slice::Slice(Keyspace& keyspace, uint32_t slice_index, uint32_t databases, uint64_t hash_seed)
    : index(slice_index),
      keyspace_(keyspace),
      ports_(keyspace.ports()),
      databases_(databases),
      hash_seed_(hash_seed),
      tables_(std::make_unique<std::atomic<Table*>[]>(databases)),
      random_state_(hash_seed ^ (slice_index + 1) * 0x9e3779b97f4a7c15) {}

Slice::~Slice() {
  // Blocks from malloc are given back one by one; those of the slab go with their regions.
  Counters counters;
  Access access{&keyspace_, &keyspace_.settings(), &counters, 0, nullptr};
  for (uint32_t db = 0; db < databases_; ++db) {
    Table* here = table(db);
    if (here != nullptr) detached_.push_back(here);
  }
  while (drain_step(access)) {
  }
}

Table& Slice::make_table(uint32_t db) {
  Table* made = table(db);
  if (made != nullptr) return *made;
  if (idle_tables_.empty()) {
    all_tables_.push_back(std::make_unique<Table>(segments_, directories_, hash_seed_));
    made = all_tables_.back().get();
  } else {
    made = idle_tables_.back();
    idle_tables_.pop_back();
  }
  tables_[db].store(made, std::memory_order_release);
  return *made;
}

uint64_t Slice::random() {
  // SplitMix64 (Steele, Lea, Flood).
  random_state_ += 0x9e3779b97f4a7c15;
  uint64_t mixed = (random_state_ ^ (random_state_ >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

// ---- reading -----------------------------------------------------------------------------------

const Entry* Slice::random_key(Access& access, uint32_t db) {
  Table* here = table(db);
  while (here != nullptr) {
    Entry* entry = here->random_entry(random());
    if (entry == nullptr || !entry->expired(access.now_ms)) return entry;
    uint64_t hash = here->hash_of(entry->key());
    delete_as(access, db, hash, here->find_entry(hash, entry), EventClass::kExpired, "expired",
              Counter::kExpiredKeys);
  }
  return nullptr;
}

bool Slice::key_expired(uint32_t db, const KeyRef& key, int64_t now_ms) const {
  const Table* here = table(db);
  if (here == nullptr) return false;
  const Entry* entry = here->find(key.hash, key.bytes).entry;
  return entry != nullptr && entry->expired(now_ms);
}

// ---- memory ------------------------------------------------------------------------------------

Entry* Slice::allocate_entry(std::string_view key, const EntryValue& value, uint32_t access,
                             int64_t deadline_ms) {
  size_t size = EntryEdit::size_for(key.size(), value, deadline_ms);
  void* block = slab_.allocate(size);
  MOON_ASSERT(block != nullptr);
  ledger_.entries += Slab::charged(size);
  return EntryEdit::make(block, key, value, access, deadline_ms);
}

void Slice::free_entry(Entry* entry) {
  size_t size = entry->layout_size();
  ledger_.entries -= Slab::charged(size);
  slab_.free(entry, size);
  if (regions_.has_excess()) [[unlikely]] draining_ = true;
}

size_t Slice::charge_of(Type type, Encoding encoding, const void* pointer) const {
  if (type == Type::kString) {
    return Slab::malloc_charge(static_cast<const SharedBytes*>(pointer)->footprint());
  }
  return keyspace_.objects().get(type, encoding).memory(pointer);
}

void Slice::charge_value(Type type, Encoding encoding, const void* pointer) {
  account_of(type) += charge_of(type, encoding, pointer);
}

void Slice::discharge_value(Type type, Encoding encoding, const void* pointer) {
  account_of(type) -= charge_of(type, encoding, pointer);
}

size_t Slice::memory_of(const Entry& entry) const {
  if (entry.type() == Type::kString) return entry.memory();
  return entry.memory() + charge_of(entry.type(), entry.encoding(), entry.object());
}

// ---- settling ----------------------------------------------------------------------------------

void Slice::dispatch(const WriteEvent& event) {
  ports_.each([&](WritePort& port) { port.on_write(event); });
}

void Slice::announce_new(uint32_t db, std::string_view key, const Entry* entry) {
  if (ports_.notifications == nullptr) [[likely]] return;
  ports_.notifications->on_write({this, db, key, entry, EventClass::kNew, "new", nullptr});
}

void Slice::delete_as(Access& access, uint32_t db, uint64_t hash, const Table::Slot& slot,
                      EventClass event_class, std::string_view event, Counter counter) {
  Entry* entry = slot.entry;
  table(db)->erase(hash, slot);
  access.counters->add(counter);
  settle(access, db, entry->key(), nullptr, event_class, event, nullptr);
  EntryEdit* edit = EntryEdit::of(entry);
  if (edit->external()) {
    EntryValue old = edit->value();
    drop_value(access, old.type, old.encoding, old.pointer);
  }
  free_entry(entry);
}

// ---- whole databases ---------------------------------------------------------------------------

WatchRegistry::KeyState Slice::key_state(const Table* table, std::string_view key,
                                         int64_t now_ms) const {
  using State = WatchRegistry::KeyState;
  if (table == nullptr) return State::kAbsent;
  const Entry* entry = table->find(table->hash_of(key), key).entry;
  if (entry == nullptr) return State::kAbsent;
  return entry->expired(now_ms) ? State::kExpired : State::kLive;
}

void Slice::flush(Access& access, uint32_t db) {
  Table* here = table(db);
  if (here == nullptr || here->empty()) return;
  if (watches_.any()) {
    watches_.touch_database(
        db, [&](std::string_view key) { return key_state(here, key, access.now_ms); },
        [](std::string_view) { return WatchRegistry::KeyState::kAbsent; });
  }
  access.dirty = true;
  changes_ += here->size();
  tables_[db].store(nullptr, std::memory_order_release);
  access.counters->add(Counter::kLazyfreePendingObjects, here->size());
  detached_.push_back(here);
  draining_ = true;
  drain_step(access);  // a small database is gone at once
  drain_step(access);
  refresh_next_deadline();
}

void Slice::swap(Access& access, uint32_t a, uint32_t b) {
  Table* first = table(a);
  Table* second = table(b);
  auto state_in = [&](Table* table) {
    return [this, table, &access](std::string_view key) {
      return key_state(table, key, access.now_ms);
    };
  };
  if (watches_.any()) {
    watches_.touch_database(a, state_in(first), state_in(second));
    watches_.touch_database(b, state_in(second), state_in(first));
  }
  access.dirty = true;
  ++changes_;
  tables_[a].store(second, std::memory_order_release);
  tables_[b].store(first, std::memory_order_release);
}

}  // namespace moon::store
