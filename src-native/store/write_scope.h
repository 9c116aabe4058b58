// The only way to change a key. A handler opens a scope for a key under the slice's token,
// changes the value through it and says what happened; the scope settles everything that hangs on
// a write: memory ledger and deadline index with each change, WATCH, the ports (journal,
// notifications, tracking, waiters) and the dirty mark with each event(). A handler cannot forget
// one of them.
//
// Invariants:
// (1) REQUIRES the token of key.slice for the whole life of the scope;
// (2) an expired key is deleted on opening, as a write of its own ("expired"), so the scope shows
//     it as absent;
// (3) a scope that changed something and was given no event() afterwards aborts in debug builds;
// (4) several scopes may be open at once (RENAME, COPY), on different keys;
// (5) opening counts as an access (LRU/LFU), as Redis's lookups for writing do.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/shared_bytes.h"
#include "store/access.h"
#include "store/entry.h"
#include "store/entry_edit.h"
#include "store/key.h"
#include "store/keyspace.h"
#include "store/ports.h"
#include "store/slice.h"

namespace moon::store {

class WriteScope {
 public:
  // Texts longer than this live in a SharedBytes of their own.
  static constexpr size_t kInlineTextMax = 2000;

  WriteScope(Access& access, uint32_t db, const KeyRef& key);
  ~WriteScope() { MOON_DASSERT(!unannounced_); }
  WriteScope(const WriteScope&) = delete;
  WriteScope& operator=(const WriteScope&) = delete;

  bool exists() const { return entry_ != nullptr; }
  const Entry* entry() const { return entry_; }
  const KeyRef& key() const { return key_; }

  // Values. Each creates the key when it is absent, keeps its deadline unless told otherwise
  // (clear_deadline) and replaces a value of any type.
  void set_text(std::string_view bytes);      // picks int / embstr / raw as Redis's SET does
  void set_plain_text(std::string_view bytes);  // embstr / raw, never int (INCRBYFLOAT)
  void set_integer(int64_t value);            // INCR: encoding int
  void adopt_text(SharedBytes* bytes);        // takes the reference over; encoding raw
  // The string's bytes for writing, resized to `size` (growth is zero-filled), encoding raw as
  // after APPEND and SETRANGE. A shared block that is being sent is copied first. The pointer is
  // valid until the next call on this scope. nullptr when memory is refused.
  // REQUIRES: absent or a string.
  char* mutable_text(size_t size);
  // The encoding becomes raw, as Redis's SETBIT and BITFIELD leave a string that they looked at to
  // write and did not change. The value is the same: no change, no event. REQUIRES: a string.
  void make_raw();
  // Moves or copies the whole value (any type) of another key, in this or another slice, with
  // its deadline: the source's value is removed by the move (LRU/LFU bits go along).
  void take_value(WriteScope& source);
  void copy_value(const Entry& source);
  void remove();                              // the key goes; "was there" is exists() before
  void set_object(Type type, Encoding encoding, void* object);  // containers of rooms to come

  void set_deadline(int64_t deadline_ms) {    // kNoDeadline clears. REQUIRES: exists()
    MOON_ASSERT(entry_ != nullptr);
    if (deadline_ms == Entry::kNoDeadline && !entry_->has_deadline()) return;
    change_deadline(deadline_ms);
  }
  void clear_deadline() { set_deadline(Entry::kNoDeadline); }
  void touch();                               // access bits only; not a change
  void set_access(uint32_t bits);             // RESTORE IDLETIME / FREQ; not a change

  // What happened, for notifications and the journal; also marks the key as changed. At least
  // one per change, after it; several are sent in order ("set" then "expire").
  void event(EventClass event_class, std::string_view name) {
    unannounced_ = false;
    slice_.settle(access_, db_, key_.bytes, entry_, event_class, name, access_.origin);
  }

 private:
  friend class WriteScopeTest;

  EntryEdit* edit() { return EntryEdit::of(entry_); }
  void changed() { unannounced_ = true; }
  Table::Slot& slot();                        // of entry_, found again if the layout has changed
  void put(const EntryValue& value);          // charges a pointer's bytes, drops the old value
  void create(const EntryValue& value);
  void write(const EntryValue& value);        // over an existing entry
  void replace_block(const EntryValue& value, int64_t deadline_ms);
  void change_deadline(int64_t deadline_ms);
  void drop_old_value();
  void unlink(bool keep_value);
  SharedBytes* own_string() const;            // entry's block, if it is external
  bool overwrite_block(std::string_view bytes);
  char* mutable_new(size_t size);
  char* mutable_inline(size_t size);
  char* mutable_block(SharedBytes* block, size_t size);
  char* move_to_block(std::string_view old, size_t size);

  Access& access_;
  Slice& slice_;
  Table* table_;                              // nullptr until the database has a key here
  uint32_t db_;
  uint32_t layout_epoch_ = 0;
  KeyRef key_;
  Entry* entry_ = nullptr;
  Table::Slot slot_;
  bool unannounced_ = false;
};

}  // namespace moon::store
