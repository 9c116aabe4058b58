// MULTI/EXEC and WATCH state of a client. Touched by the thread that executes the client's
// commands.
//
// A queued command keeps a copy of its arguments (the receive buffer goes) and its keys' hashes
// and slices, so that EXEC hashes nothing: it takes the tokens of all slices its commands and the
// client's watched keys live in, in ascending order, and runs the commands as plain sequential
// code. A watched key's slice is included even when no command touches it: otherwise a write to
// it could slip in between the check and the first command.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dispatch/client.h"
#include "dispatch/command_row.h"
#include "shard/slice_set.h"
#include "store/key.h"
#include "store/keyspace.h"

namespace moon {
class Context;
}

namespace moon::dispatch {

class Engine;

struct QueuedCommand {
  const CommandRow* row;
  std::vector<char> bytes;             // all arguments, back to back
  std::vector<std::string_view> args;  // into bytes
  std::vector<store::KeyRef> keys;     // into bytes
};

struct Transaction {
  std::vector<QueuedCommand> commands;
  shard::SliceSet slices;   // of all queued commands
  uint64_t flags = 0;       // CommandFlag bits of all queued commands, together

  void queue(const CommandRow& row, std::span<const std::string_view> args,
             std::span<const store::KeyRef> keys, uint32_t slice_count);
};

struct WatchedKey {
  uint32_t slice;
  uint32_t db;
  std::string key;
  uint64_t hash;
  bool expired_at_watch;  // its lazy deletion is no modification
};

struct WatchList {
  std::vector<WatchedKey> keys;
  shard::SliceSet slices;
};

// Starts MULTI.
void begin_transaction(Client& client);
// Leaves MULTI without executing; watched keys stay watched (EXEC and DISCARD unwatch them).
void discard_transaction(Client& client);

// WATCH: REQUIRES the tokens of the keys' slices.
void watch_keys(Context& ctx);
// Forgets all watched keys. Needs no token.
void unwatch_all(Client& client, store::Keyspace& keyspace);

// The slices EXEC must hold: its commands' and its watched keys'.
shard::SliceSet transaction_slices(const Client& client);
// True when a watched key was modified or has expired. REQUIRES the watched slices' tokens.
bool watched_keys_changed(Client& client, store::Keyspace& keyspace, int64_t now_ms);

}  // namespace moon::dispatch
