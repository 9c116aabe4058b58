// The unusual states of a client or the server (dispatch/client.h, engine.h): not authenticated,
// inside MULTI, reply switched off, memory limit. A plain client never comes here.
#include "base/assert.h"
#include "dispatch/context.h"
#include "dispatch/dispatcher.h"
#include "dispatch/transaction.h"

namespace moon::dispatch {

namespace {

// Executed at once inside MULTI; everything else is queued.
bool runs_inside_multi(CommandId id) {
  return id == CommandId::kExec || id == CommandId::kDiscard || id == CommandId::kMulti ||
         id == CommandId::kWatch || id == CommandId::kQuit || id == CommandId::kReset;
}

}  // namespace

bool Dispatcher::pass_gates(Call& call) {
  const CommandRow& row = *call.row;
  const uint32_t client_gate = call.session.gate;
  if ((client_gate & kGateAuth) != 0 && !row.has(CommandFlag::kNoAuth)) {
    reject(call, resp::Err::kNoAuth);
    return false;
  }
  if ((client_gate & kGateMulti) != 0 && row.has(CommandFlag::kNoMulti)) {
    reject(call, resp::Err::kNotInTransaction);
    return false;
  }
  const uint32_t engine_gate = engine_.gate.load(std::memory_order_relaxed);
  if ((engine_gate & kGateMemoryLimit) != 0 && !pass_memory_limit(call)) return false;
  if ((client_gate & kGateMulti) != 0 && !runs_inside_multi(row.id)) {
    queue_in_transaction(call);
    return false;
  }
  return true;
}

void Dispatcher::queue_in_transaction(Call& call) {
  Session& session = call.session;
  MOON_ASSERT(session.transaction != nullptr);
  // A transaction that will abort anyway keeps nothing, as in Redis.
  if (!session.has_flag(kClientTransactionFailed) && !session.watch_dirty.load()) {
    session.transaction->queue(*call.row, call.args, call.keys,
                               shard_.keyspace().slice_count());
    session.queued_memory += session.transaction->commands.back().bytes.size();
  }
  session.queued_commands += 1;
  call.reply.simple("QUEUED");
}

bool Dispatcher::pass_memory_limit(Call& call) {
  const uint64_t limit =
      static_cast<uint64_t>(engine_.settings.get(Setting::kMaxmemory));
  if (limit == 0 || engine_.used_memory() <= limit) return true;
  drop_token();
  if (free_memory(limit)) return true;
  const Session& session = call.session;
  bool needs_memory = call.row->has(CommandFlag::kDenyOom);
  if (call.row->id == CommandId::kExec && session.transaction != nullptr) {
    needs_memory = (session.transaction->flags & CommandFlag::kDenyOom) != 0;
  }
  if (!needs_memory) return true;
  reject(call, resp::Err::kOutOfMemory);
  return false;
}

// Evicts key after key, slice after slice, until the limit holds; false when nothing is left to
// evict. A slice whose token is busy is passed over in this round.
bool Dispatcher::free_memory(uint64_t limit) {
  const uint32_t slices = shard_.keyspace().slice_count();
  store::Access& access = shard_.access;
  access.origin = nullptr;
  uint32_t fruitless = 0;
  while (engine_.used_memory() > limit) {
    const uint32_t index = eviction_slice_ = (eviction_slice_ + 1) % slices;
    bool evicted = false;
    if (shard_.acquire(index)) {
      evicted = shard_.keyspace().slice(index).evict_one(access);
      shard_.release(index);
    }
    fruitless = evicted ? 0 : fruitless + 1;
    if (fruitless > slices) return false;
  }
  return true;
}

// Drops the reply just written when the client wants none. After CLIENT REPLY ON its own +OK
// stays: the gate is clear by then.
void Dispatcher::settle_reply_mode(Session& session, const resp::OutBuffer::Mark& output_before) {
  const uint32_t gate = session.gate;
  if ((gate & kGateReplySkipNext) != 0) {
    session.clear_gate(kGateReplySkipNext);
    session.set_gate(kGateReplySkip);
  } else if ((gate & (kGateReplyOff | kGateReplySkip)) != 0) {
    session.output().truncate_to(output_before);
    session.clear_gate(kGateReplySkip);
  }
}

}  // namespace moon::dispatch
