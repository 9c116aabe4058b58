// The state of one client that commands see: id, name, database, protocol version, MULTI, WATCH.
// net/ derives the connection from it. Written by the thread that executes the client's commands
// (one at a time: its home thread, or an executor while it is parked); the Relaxed fields and the
// names are read by any thread (CLIENT LIST, CLIENT KILL, INFO).
//
// Invariants:
// (1) gate == 0 for a plain client: dispatch pays one test for all unusual states;
// (2) a client is destroyed on its home thread only, never while parked.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/relaxed.h"
#include "base/shared_bytes.h"

namespace moon {
struct CommandRow;
}
namespace moon::shard {
class Shard;
}

namespace moon::dispatch {


struct Transaction;   // dispatch/transaction.h: queued commands
struct WatchList;     // dispatch/transaction.h: watched keys

// Bits of Client::gate: states that a plain client is not in.
enum ClientGate : uint32_t {
  kGateAuth = 1 << 0,          // not authenticated
  kGateMulti = 1 << 1,         // between MULTI and EXEC
  kGateReplyOff = 1 << 2,      // CLIENT REPLY OFF
  kGateReplySkip = 1 << 3,     // CLIENT REPLY SKIP: drop the next reply
  kGateReplySkipNext = 1 << 4, // set by SKIP itself; becomes kGateReplySkip after its command
};

enum ClientFlag : uint32_t {
  kClientNoEvict = 1 << 0,
  kClientNoTouch = 1 << 1,
  kClientUnixSocket = 1 << 2,
  kClientInProcess = 1 << 3,   // server.call(): no socket
  kClientCloseAfterReply = 1 << 4,
  kClientCloseAsap = 1 << 5,
  kClientTransactionFailed = 1 << 6,  // an error at queue time: EXEC answers EXECABORT
};

class Client {
 public:
  Client(uint64_t client_id, shard::Shard& home_shard);
  virtual ~Client();

  const uint64_t id;
  shard::Shard& home;

  Relaxed<uint32_t> gate;
  Relaxed<uint32_t> flags;
  Relaxed<uint32_t> db;
  Relaxed<uint8_t> resp{2};
  Relaxed<int64_t> created_ms;
  Relaxed<int64_t> last_interaction_ms;
  Relaxed<const CommandRow*> last_command;
  Relaxed<uint32_t> queued_commands;   // inside MULTI
  Relaxed<uint64_t> queued_memory;
  Relaxed<uint32_t> watched_keys;
  Relaxed<uint64_t> commands_total;
  Relaxed<uint64_t> query_buffer_bytes;
  Relaxed<uint64_t> query_buffer_free;
  Relaxed<uint64_t> output_bytes;
  Relaxed<uint64_t> output_chunks;
  Relaxed<uint64_t> memory_bytes;
  std::atomic<bool> watch_dirty{false};  // set by writes to watched keys, on any thread
  std::atomic<bool> kill_requested{false};

  std::unique_ptr<Transaction> transaction;  // null outside MULTI
  std::unique_ptr<WatchList> watches;        // null when nothing is watched

  // Fixed at accept.
  std::string address;        // "127.0.0.1:50000" or "/path:0"
  std::string local_address;
  int descriptor = -1;

  // Any thread.
  std::string name() const;
  std::string library_name() const;
  std::string library_version() const;
  void set_name(std::string_view value);
  void set_library_name(std::string_view value);
  void set_library_version(std::string_view value);

  bool has_flag(uint32_t flag) const { return (flags.get() & flag) != 0; }
  void set_flag(uint32_t flag) { flags = flags.get() | flag; }
  void clear_flag(uint32_t flag) { flags = flags.get() & ~flag; }
  void set_gate(uint32_t bit) { gate = gate.get() | bit; }
  void clear_gate(uint32_t bit) { gate = gate.get() & ~bit; }

  // See Context::take_large.
  virtual SharedBytes* take_large(std::string_view argument) = 0;

 private:
  struct Names {
    std::string name, library_name, library_version;
  };
  Names& names();  // REQUIRES names_mutex_

  mutable std::mutex names_mutex_;
  std::unique_ptr<Names> names_;  // null until one is set: idle connections are many
};

}  // namespace moon::dispatch
