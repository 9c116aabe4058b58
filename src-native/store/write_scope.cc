#include "store/write_scope.h"

#include <cstring>

#include "base/numbers.h"
#include "store/touch.h"

namespace moon::store {

namespace {

constexpr size_t kEmbstrMax = 44;          // OBJECT ENCODING says embstr up to here, as Redis
constexpr size_t kIntegerTextMax = 20;
constexpr size_t kDoublingMax = 1 << 20;   // strings that grow get twice the room up to here

size_t grown_capacity(size_t size) {
  return size < kDoublingMax ? size * 2 : size + kDoublingMax;
}

bool may_be_integer(std::string_view bytes) {
  if (bytes.empty() || bytes.size() > kIntegerTextMax) return false;
  return bytes.back() >= '0' && bytes.back() <= '9';
}

}  // namespace

WriteScope::WriteScope(Access& access, uint32_t db, const KeyRef& key)
    : access_(access),
      slice_(access.keyspace->slice(key.slice)),
      table_(slice_.table(db)),
      db_(db),
      key_(key) {
  MOON_DASSERT(slice_.token.held());
  if (table_ == nullptr) return;
  layout_epoch_ = table_->layout_epoch();
  slot_ = table_->find(key.hash, key.bytes);
  count_lookup(*access.counters, slot_.entry != nullptr, slot_.compares);
  if (slot_.entry == nullptr) return;
  if (slot_.entry->expired(access.now_ms)) [[unlikely]] {
    slice_.delete_as(access, db, key.hash, slot_, EventClass::kExpired, "expired",
                     Counter::kExpiredKeys);
    slot_.entry = nullptr;
    return;
  }
  entry_ = slot_.entry;
  if (!access.no_touch) touch_entry(access, key.slice, *entry_);
}

void WriteScope::touch() {
  if (entry_ != nullptr && !access_.no_touch) touch_entry(access_, key_.slice, *entry_);
}

void WriteScope::set_access(uint32_t bits) {
  MOON_ASSERT(entry_ != nullptr);
  edit()->set_access(bits & kAccessMask);
}

Table::Slot& WriteScope::slot() {
  if (layout_epoch_ != table_->layout_epoch()) [[unlikely]] {
    slot_ = table_->find_entry(key_.hash, entry_);
    MOON_ASSERT(slot_.entry == entry_);
    layout_epoch_ = table_->layout_epoch();
  }
  return slot_;
}

// ---- values ------------------------------------------------------------------------------------

void WriteScope::put(const EntryValue& value) {
  changed();
  if (value.kind == EntryValue::Kind::kPointer) {
    slice_.charge_value(value.type, value.encoding, value.pointer);
  }
  if (entry_ == nullptr) {
    create(value);
  } else {
    drop_old_value();
    write(value);
  }
}

void WriteScope::create(const EntryValue& value) {
  if (table_ == nullptr) table_ = &slice_.make_table(db_);
  uint32_t access = initial_access(*access_.settings, access_.now_ms);
  entry_ = slice_.allocate_entry(key_.bytes, value, access, Entry::kNoDeadline);
  slot_ = table_->insert(key_.hash, entry_);
  layout_epoch_ = table_->layout_epoch();
  slice_.announce_new(db_, key_.bytes, entry_);
}

// REQUIRES: what the old value pointed to is dropped or taken over.
void WriteScope::write(const EntryValue& value) {
  int64_t deadline_ms = entry_->deadline_ms();
  size_t size = EntryEdit::size_for(key_.bytes.size(), value, deadline_ms);
  if (Slab::charged(size) == entry_->footprint()) [[likely]] {
    edit()->write_value(value, deadline_ms);
  } else {
    replace_block(value, deadline_ms);
  }
}

void WriteScope::replace_block(const EntryValue& value, int64_t deadline_ms) {
  Entry* old = entry_;
  Table::Slot& at = slot();
  entry_ = slice_.allocate_entry(key_.bytes, value, old->access(), deadline_ms);
  table_->replace(at, entry_);
  slice_.free_entry(old);
}

void WriteScope::drop_old_value() {
  if (!edit()->external()) [[likely]] return;
  EntryValue old = edit()->value();
  slice_.drop_value(access_, old.type, old.encoding, old.pointer);
}

SharedBytes* WriteScope::own_string() const {
  return entry_ == nullptr ? nullptr : entry_->shared();
}

void WriteScope::set_text(std::string_view bytes) {
  int64_t number;
  if (may_be_integer(bytes) && parse_int64(bytes, &number)) {
    put(EntryValue::of_integer(number));
    return;
  }
  set_plain_text(bytes);
}

void WriteScope::set_plain_text(std::string_view bytes) {
  if (bytes.size() <= kInlineTextMax) [[likely]] {
    Encoding encoding = bytes.size() <= kEmbstrMax ? Encoding::kEmbstr : Encoding::kRaw;
    if (entry_ != nullptr && edit()->overwrite_text(encoding, bytes.data(), bytes.size())) {
      changed();
      return;
    }
    put(EntryValue::of_text(encoding, bytes.data(), bytes.size()));
    return;
  }
  if (overwrite_block(bytes)) return;
  SharedBytes* block = SharedBytes::allocate(bytes.size(), bytes.size());
  MOON_ASSERT(block != nullptr);
  std::memcpy(block->data(), bytes.data(), bytes.size());
  adopt_text(block);
}

// A long text over another of about its size: the block is kept.
bool WriteScope::overwrite_block(std::string_view bytes) {
  SharedBytes* block = own_string();
  if (block == nullptr || !block->unique()) return false;
  if (bytes.size() > block->capacity() || bytes.size() < block->capacity() / 2) return false;
  changed();
  block->set_size(bytes.size());
  std::memmove(block->data(), bytes.data(), bytes.size());
  return true;
}

void WriteScope::set_integer(int64_t value) {
  if (entry_ != nullptr && edit()->overwrite_integer(value)) {
    changed();
    return;
  }
  put(EntryValue::of_integer(value));
}

void WriteScope::adopt_text(SharedBytes* bytes) {
  put(EntryValue::of_pointer(Type::kString, Encoding::kRaw, bytes));
}

void WriteScope::set_object(Type type, Encoding encoding, void* object) {
  MOON_DASSERT(type != Type::kString);
  put(EntryValue::of_pointer(type, encoding, object));
}

// ---- bytes for writing -------------------------------------------------------------------------

char* WriteScope::mutable_text(size_t size) {
  if (entry_ == nullptr) return mutable_new(size);
  MOON_ASSERT(entry_->type() == Type::kString);
  if (SharedBytes* block = own_string(); block != nullptr) return mutable_block(block, size);
  if (size <= kInlineTextMax) return mutable_inline(size);
  DigitBuffer digits;
  return move_to_block(entry_->text(digits), size);
}

void WriteScope::make_raw() {
  if (entry_->encoding() == Encoding::kRaw) return;
  const bool before = unannounced_;
  mutable_text(entry_->text_size());
  unannounced_ = before;
}

char* WriteScope::mutable_new(size_t size) {
  if (size > kInlineTextMax) {
    SharedBytes* block = SharedBytes::allocate(size, size);
    if (block == nullptr) return nullptr;
    std::memset(block->data(), 0, size);
    adopt_text(block);
    return block->data();
  }
  put(EntryValue::of_text(Encoding::kRaw, nullptr, size));
  char* bytes = edit()->inline_text();
  std::memset(bytes, 0, size);
  return bytes;
}

char* WriteScope::mutable_inline(size_t size) {
  changed();
  // The old bytes, out of the way: the block, or where they begin in it, may change.
  char kept[kInlineTextMax];
  DigitBuffer digits;
  std::string_view old = entry_->text(digits);
  if (!entry_->is_integer() && old.size() == size) {
    edit()->set_encoding(Encoding::kRaw);
    return edit()->inline_text();
  }
  size_t keep = std::min(old.size(), size);
  std::memcpy(kept, old.data(), keep);
  write(EntryValue::of_text(Encoding::kRaw, nullptr, size));
  char* bytes = edit()->inline_text();
  std::memcpy(bytes, kept, keep);
  std::memset(bytes + keep, 0, size - keep);
  return bytes;
}

char* WriteScope::move_to_block(std::string_view old, size_t size) {
  SharedBytes* block = SharedBytes::allocate(size, grown_capacity(size));
  if (block == nullptr) return nullptr;
  std::memcpy(block->data(), old.data(), old.size());
  std::memset(block->data() + old.size(), 0, size - old.size());
  adopt_text(block);
  return block->data();
}

char* WriteScope::mutable_block(SharedBytes* block, size_t size) {
  size_t old_size = block->size();
  size_t keep = std::min(old_size, size);
  if (!block->unique()) {  // a reply or another key holds it as well
    SharedBytes* copy = SharedBytes::allocate(size, size > old_size ? grown_capacity(size) : size);
    if (copy == nullptr) return nullptr;
    std::memcpy(copy->data(), block->data(), keep);
    std::memset(copy->data() + keep, 0, size - keep);
    adopt_text(copy);
    return copy->data();
  }
  if (size > block->capacity()) {
    size_t before = block->footprint();
    block = SharedBytes::reallocate(block, grown_capacity(size));
    if (block == nullptr) return nullptr;
    edit()->set_pointer(block);
    slice_.recharge_string(before, block->footprint());
  }
  changed();
  block->set_size(size);
  std::memset(block->data() + keep, 0, size - keep);
  edit()->set_encoding(Encoding::kRaw);
  return block->data();
}

// ---- whole keys --------------------------------------------------------------------------------

void WriteScope::take_value(WriteScope& source) {
  MOON_ASSERT(source.entry_ != nullptr);
  MOON_ASSERT(source.entry_ != entry_);
  EntryValue value = source.edit()->value();
  int64_t deadline_ms = source.entry_->deadline_ms();
  uint32_t access = source.entry_->access();
  put(value);
  source.unlink(value.kind == EntryValue::Kind::kPointer);
  set_deadline(deadline_ms);
  edit()->set_access(access);
}

void WriteScope::copy_value(const Entry& source) {
  MOON_ASSERT(&source != entry_);
  EntryValue value = static_cast<const EntryEdit&>(source).value();
  if (value.kind == EntryValue::Kind::kPointer) {
    if (value.type == Type::kString) {
      static_cast<SharedBytes*>(value.pointer)->add_ref();
    } else {
      const ObjectOps& ops = access_.keyspace->objects().get(value.type, value.encoding);
      value.pointer = ops.copy(value.pointer);
      MOON_ASSERT(value.pointer != nullptr);
    }
  }
  put(value);
  set_deadline(source.deadline_ms());
}

void WriteScope::remove() {
  if (entry_ != nullptr) unlink(false);
}

// keep_value: another entry has taken over what this one points to.
void WriteScope::unlink(bool keep_value) {
  changed();
  table_->erase(key_.hash, slot());
  if (edit()->external()) {
    EntryValue old = edit()->value();
    if (keep_value) {
      slice_.discharge_value(old.type, old.encoding, old.pointer);
    } else {
      slice_.drop_value(access_, old.type, old.encoding, old.pointer);
    }
  }
  slice_.free_entry(entry_);
  entry_ = nullptr;
  slot_.entry = nullptr;
}

void WriteScope::change_deadline(int64_t deadline_ms) {
  bool had = entry_->has_deadline();
  if (deadline_ms != Entry::kNoDeadline && deadline_ms < 1) deadline_ms = 1;
  changed();
  if (EntryEdit::is_wide(deadline_ms) != EntryEdit::is_wide(entry_->deadline_ms())) [[unlikely]] {
    replace_block(edit()->value(), deadline_ms);
  } else {
    edit()->write_deadline(deadline_ms);
  }
  table_->deadline_changed(slot(), had);
  if (deadline_ms != Entry::kNoDeadline) slice_.lower_next_deadline(deadline_ms);
}

}  // namespace moon::store
