// The unusual states of a client or the server (dispatch/client.h, engine.h): not authenticated,
// inside MULTI, reply switched off, memory limit. A plain client never comes here.
#include <algorithm>
#include <cmath>

#include "base/assert.h"
#include "base/clock.h"
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

// When a command that evicts must go on with its own work (maxmemory-eviction-tenacity, by
// Redis's scale).
uint64_t eviction_end_us(const Settings& settings) {
  constexpr int64_t kLinearMax = 10;
  constexpr double kStepUs = 50;
  const int64_t tenacity = settings.get(Setting::kMaxmemoryEvictionTenacity);
  if (tenacity >= 100) return UINT64_MAX;
  double us = kStepUs * static_cast<double>(std::min(tenacity, kLinearMax));
  if (tenacity > kLinearMax) us *= std::pow(1.15, static_cast<double>(tenacity - kLinearMax));
  return mono_us() + static_cast<uint64_t>(us);
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

// Evicts key after key, slice after slice, until the limit holds or the time is up (the next
// command goes on then); false when nothing is left to evict. A slice whose token is busy is
// passed over in this round.
bool Dispatcher::free_memory(uint64_t limit) {
  const uint32_t slices = shard_.keyspace().slice_count();
  store::Access& access = shard_.access;
  access.origin = nullptr;
  uint32_t fruitless = 0;
  const uint64_t end_us = eviction_end_us(engine_.settings);
  while (engine_.used_memory() > limit) {
    const uint32_t index = eviction_slice_ = (eviction_slice_ + 1) % slices;
    bool evicted = false;
    if (shard_.acquire(index)) {
      evicted = shard_.keyspace().slice(index).evict_one(access);
      shard_.release(index);
    }
    fruitless = evicted ? 0 : fruitless + 1;
    if (fruitless > slices) return false;
    if (evicted && mono_us() >= end_us) return true;
  }
  return true;
}

// Drops the reply just written when the client wanted none before (`client_gates`) and still wants
// none: CLIENT REPLY ON and RESET have cleared the gate by now, and their replies stay.
void Dispatcher::settle_reply_mode(Session& session, uint32_t client_gates,
                                   const resp::OutBuffer::Mark& output_before) {
  const uint32_t gate = session.gate;
  if ((gate & kGateReplySkipNext) != 0) {
    session.clear_gate(kGateReplySkipNext);
    session.set_gate(kGateReplySkip);
  } else if ((gate & client_gates & (kGateReplyOff | kGateReplySkip)) != 0) {
    session.output().truncate_to(output_before);
    session.clear_gate(kGateReplySkip);
  }
}

}  // namespace moon::dispatch
