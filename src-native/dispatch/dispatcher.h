// From parsed requests to replies: the one path that every command takes, on every thread.
//
//   prepare():  look the command up, hash its keys, prefetch their table lines; for each request
//               of a batch, before the first is executed
//   execute():  row bits (arity, auth, MULTI, memory limit) -> tokens -> handler -> statistics
//
// A command whose token stays busy becomes a PendingCommand (shard::Task) and its client is
// parked: execute() returns kParked, the caller stops processing that client until its
// on_resumed() is called.
//
// One Dispatcher per shard thread; used on that thread only.
//
// Invariants:
// (1) a client's commands are executed in order, one at a time;
// (2) a token is kept while the next command of the batch needs the same slice, and given up by
//     end_batch() before the thread does anything else.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "dispatch/client.h"
#include "dispatch/command_row.h"
#include "dispatch/engine.h"
#include "dispatch/key_specs.h"
#include "resp/out_buffer.h"
#include "resp/parser.h"
#include "resp/reply.h"
#include "shard/shard.h"
#include "shard/slice_set.h"

namespace moon {
class Context;
}

namespace moon::dispatch {

inline constexpr size_t kBatchMax = 32;  // requests prepared before the first is executed

struct PendingCommand;  // dispatch/pending.h

struct Prepared {
  const CommandRow* row = nullptr;        // nullptr: unknown command (or subcommand)
  const CommandRow* container = nullptr;  // of an unknown subcommand
  uint32_t args_first = 0;
  uint32_t args_count = 0;
  uint32_t keys_first = 0;
  uint32_t keys_count = 0;
  KeyExtract key_status = KeyExtract::kOk;
};

// Arguments, keys and commands of one batch; reused, so that nothing is allocated per command.
struct Batch {
  resp::ArgArena args;
  std::vector<store::KeyRef> keys;
  std::vector<Prepared> commands;

  void clear() {
    args.clear();
    keys.clear();
    commands.clear();
  }
};

// What dispatch needs of a connection beyond Client.
class Session : public Client {
 public:
  Session(uint64_t client_id, shard::Shard& home_shard);
  ~Session() override;

  virtual resp::OutBuffer& output() = 0;
  // The command is parked: its request's bytes must stay where they are until on_resumed().
  // `args` are moved along when the bytes move.
  virtual void keep_arguments(std::span<std::string_view> args) = 0;
  // The parked command is done and its reply is in output(). Home thread.
  virtual void on_resumed() = 0;

  bool parked() const { return pending_ != nullptr; }

 private:
  friend class Dispatcher;
  friend struct PendingCommand;
  std::unique_ptr<PendingCommand> pending_;
};

enum class Outcome : uint8_t { kDone, kParked };

class Dispatcher {
 public:
  Dispatcher(Engine& engine, shard::Shard& shard);

  resp::ChunkPool& chunks() { return chunks_; }
  shard::Shard& shard() { return shard_; }
  Engine& engine() { return engine_; }

  void begin_batch(int64_t now_ms);
  void prepare(const resp::Request& request, Batch& batch, uint32_t db);
  Outcome execute(Session& session, const Prepared& command, Batch& batch);
  void end_batch() { drop_token(); }

  // The control plane's answer (RESP bytes) to a command of route control. Home thread.
  void answer_control(Session& session, std::string_view reply);
  // The client leaves: it does not wait for the control plane any longer. A command that waits
  // for tokens stays parked, another thread may be running it.
  void abandon_control(Session& session);
  static bool awaits_control(const Session& session);

 private:
  friend struct PendingCommand;
  static constexpr uint32_t kNoSlice = UINT32_MAX;

  // One command with everything execute() works on.
  struct Call {
    Session& session;
    const CommandRow* row;
    std::span<const std::string_view> args;
    std::span<const store::KeyRef> keys;
    resp::Reply& reply;
  };

  void add_key(std::string_view bytes, uint32_t arg, Batch& batch, uint32_t db);
  void refuse_unknown(Call& call, const CommandRow* container);
  void reject(Call& call, std::string_view line);
  void reject(Call& call, resp::Err code);
  void reject_arity(Call& call);
  void abort_exec(Call& call, std::string_view why);
  void count_rejection(Call& call);

  // Unusual states of client or server. False: the call was answered (queued, refused).
  bool pass_gates(Call& call);
  bool pass_memory_limit(Call& call);
  bool free_memory(uint64_t limit);
  void queue_in_transaction(Call& call);
  void settle_reply_mode(Session& session, uint32_t client_gates,
                         const resp::OutBuffer::Mark& output_before);

  Outcome route(Call& call);
  Outcome run_on_slice(Call& call, uint32_t slice);
  Outcome run_on_slices(Call& call, const shard::SliceSet& slices);
  Outcome park(Call& call, const shard::SliceSet& slices, uint32_t at_slice);
  Outcome park_at_control(Call& call);
  PendingCommand& make_pending(Call& call);
  void resume(Session& session);
  void count_dispatch(const CommandRow& row, bool local);
  bool take_token(uint32_t slice);
  void drop_token();

  // Runs a command whose tokens are held: a transaction for EXEC, the handler otherwise.
  void run(Call& call);
  void run_transaction(Call& call);
  void run_handler(Call& call, bool in_transaction);
  void record(const CommandRow& row, uint64_t ticks, bool failed);

  Engine& engine_;
  shard::Shard& shard_;
  ShardStats& stats_;
  resp::ChunkPool chunks_;
  std::vector<moon::KeyRef> extracted_;   // scratch of prepare()
  uint32_t held_slice_ = kNoSlice;
  uint32_t eviction_slice_ = 0;           // where the next eviction starts
  uint64_t last_ticks_ = 0;               // end of the previous command: start of the next
};

}  // namespace moon::dispatch
