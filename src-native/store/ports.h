// The ports through which every change of the keyspace leaves the store. WriteScope calls them;
// later rooms fill them (journal, keyspace notifications, client tracking, blocked clients). A
// port that nobody fills costs one test of a null pointer.
//
// Called on the thread that holds the slice's token, inside the write: a port may read the entry
// and must not write to the keyspace or block.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "store/entry.h"
#include "store/key.h"

namespace moon::store {

class Slice;

// Event classes of keyspace notifications, as in notify-keyspace-events.
enum class EventClass : uint16_t {
  kGeneric = 1 << 0,   // g
  kString = 1 << 1,    // $
  kList = 1 << 2,      // l
  kSet = 1 << 3,       // s
  kHash = 1 << 4,      // h
  kZset = 1 << 5,      // z
  kExpired = 1 << 6,   // x
  kEvicted = 1 << 7,   // e
  kStream = 1 << 8,    // t
  kNew = 1 << 9,       // n
};

struct WriteEvent {
  Slice* slice;
  uint32_t db;
  std::string_view key;
  const Entry* entry;        // the key's state after the write; nullptr when it is gone
  EventClass event_class;
  std::string_view event;    // "set", "del", "expired", ...
  const void* origin;        // the client that caused it, nullptr for upkeep
};

class WritePort {
 public:
  virtual ~WritePort() = default;
  virtual void on_write(const WriteEvent& event) = 0;
  // Whole databases; called once per command, with all tokens held. Without effect by default:
  // not every port cares.
  virtual void on_flush(uint32_t /*db*/, const void* /*origin*/) {}
  virtual void on_swap(uint32_t /*db_a*/, uint32_t /*db_b*/, const void* /*origin*/) {}
};

// One of each kind; all null until a room fills it.
struct WritePorts {
  WritePort* journal = nullptr;
  WritePort* notifications = nullptr;
  WritePort* tracking = nullptr;
  WritePort* waiters = nullptr;

  bool any() const {
    return journal != nullptr || notifications != nullptr || tracking != nullptr ||
           waiters != nullptr;
  }
  // fn(WritePort&) for each that is there, in a fixed order.
  template <typename Fn>
  void each(Fn&& fn) const {
    for (WritePort* port : {journal, notifications, tracking, waiters}) {
      if (port != nullptr) fn(*port);
    }
  }
};

}  // namespace moon::store
