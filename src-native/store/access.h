// What every access to the keyspace carries: the clock of this batch, counters, the ports, the
// origin of a write. One per shard thread, refreshed for each batch of commands.
#pragma once

#include <cstdint>

#include "base/counters.h"
#include "base/settings.h"
#include "store/entry.h"
#include "store/key.h"
#include "store/ports.h"

namespace moon::store {

class Keyspace;

struct Access {
  Keyspace* keyspace;
  const Settings* settings;
  Counters* counters;         // of the thread that executes
  int64_t now_ms;             // wall clock of this batch: one instant for all its commands
  const void* origin;         // the client, as an opaque pointer; nullptr for upkeep
  bool no_touch = false;      // CLIENT NO-TOUCH: reads leave LRU/LFU bits alone
  bool dirty = false;         // set by every settled change
};

// Reads. REQUIRE the token of key.slice. The entry holds until the next write to its key. An
// expired key is deleted through a write of its own and reported as absent.
const Entry* find_read(Access& access, uint32_t db, const KeyRef& key);   // hit/miss counted, LRU
const Entry* find_quiet(Access& access, uint32_t db, const KeyRef& key);  // no stats, no LRU

}  // namespace moon::store
