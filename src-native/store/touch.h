// Bookkeeping that every lookup does: counters of key compares, LRU/LFU bits. For store/ alone.
#pragma once

#include "store/access.h"
#include "store/entry_edit.h"
#include "store/eviction.h"
#include "store/table.h"

namespace moon::store {

inline void count_lookup(Counters& counters, bool hit, uint32_t compares) {
  if (hit) {
    counters.add(Counter::kLookupsHit);
    counters.add(Counter::kKeyComparesHit, compares);
  } else {
    counters.add(Counter::kLookupsMiss);
    counters.add(Counter::kKeyComparesMiss, compares);
  }
}

void touch_lfu(Access& access, uint32_t slice, Entry& entry);

// Marks an access. The bits are written only when they change: a line that is only read stays
// clean.
inline void touch_entry(Access& access, uint32_t slice, Entry& entry) {
  if (is_lfu(access.settings->get(Setting::kMaxmemoryPolicy))) [[unlikely]] {
    touch_lfu(access, slice, entry);
    return;
  }
  uint32_t bits = lru_clock(access.now_ms);
  if (bits != entry.access()) EntryEdit::of(&entry)->set_access(bits);
}

}  // namespace moon::store
