// What a handler sees: arguments, keys, the reply, the client, the thread it runs on. A handler
// is plain sequential code; dispatch already holds the tokens of all slices it may touch (its
// keys' slices, or all slices for route all-shards) and calls it on the thread that holds them,
// which is not always the client's home thread.
//
// Invariants:
// (1) args[0] is the command's name as sent; for subcommands args[1] is the subcommand;
// (2) keys are in the order of the row's key specs, already hashed: use them, never hash again;
// (3) a handler writes exactly one reply (or none when the client asked for none) and never
//     blocks, sleeps or touches a socket.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "dispatch/client.h"
#include "dispatch/command_row.h"
#include "dispatch/engine.h"
#include "resp/reply.h"
#include "shard/shard.h"
#include "store/access.h"
#include "store/keyspace.h"
#include "store/write_scope.h"

namespace moon {

class Context {
 public:
  std::span<const std::string_view> args;
  std::span<const store::KeyRef> keys;
  resp::Reply& reply;
  dispatch::Client& client;
  shard::Shard& shard;          // the executing thread's
  dispatch::Engine& engine;
  const CommandRow& row;
  store::Access& access;
  bool in_transaction;          // inside EXEC (or a script)

  size_t argc() const { return args.size(); }
  std::string_view arg(size_t index) const { return args[index]; }
  uint32_t db() const { return client.db; }
  int64_t now_ms() const { return access.now_ms; }
  store::Keyspace& keyspace() const { return *access.keyspace; }

  // Reads of a key of this command in the client's database.
  const store::Entry* read(const store::KeyRef& key) {
    return store::find_read(access, db(), key);
  }
  const store::Entry* peek(const store::KeyRef& key) {
    return store::find_quiet(access, db(), key);
  }
  // As read(), but a value of another type is answered with WRONGTYPE: *wrong is then true and
  // the handler returns.
  const store::Entry* read_typed(const store::KeyRef& key, store::Type type, bool* wrong);
  // The reply for a wrong number of arguments, for handlers whose arity depends on options.
  void wrong_arity();
  // The block of an argument that was received into place (>= 16 KiB), with one reference for
  // the caller, or nullptr: then copy the argument.
  SharedBytes* take_large(std::string_view argument) { return client.take_large(argument); }
};

}  // namespace moon
