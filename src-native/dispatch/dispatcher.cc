#include "dispatch/dispatcher.h"

#include <algorithm>

#include "base/clock.h"
#include "base/lower.h"
#include "base/lower.h"
#include "dispatch/context.h"
#include "dispatch/pending.h"
#include "dispatch/transaction.h"

namespace moon::dispatch {

Session::Session(uint64_t client_id, shard::Shard& home_shard) : Client(client_id, home_shard) {}
Session::~Session() = default;

Dispatcher::Dispatcher(Engine& engine, shard::Shard& shard)
    : engine_(engine),
      shard_(shard),
      stats_(*engine.stats[shard.index]),
      eviction_slice_(shard.index) {
  engine.dispatchers[shard.index] = this;
}

void Dispatcher::begin_batch(int64_t now_ms) {
  shard_.access.now_ms = now_ms;
  last_ticks_ = ticks();
}

// --- prepare ----------------------------------------------------------------------------------

void Dispatcher::prepare(const resp::Request& request, Batch& batch, uint32_t db) {
  Prepared command;
  command.args_first = request.first;
  command.args_count = request.count;
  command.keys_first = static_cast<uint32_t>(batch.keys.size());
  std::span<const std::string_view> args{batch.args.data() + request.first, request.count};
  const CommandRow* row = engine_.commands.lookup(args[0]);
  if (row != nullptr && row->is_container() && args.size() > 1) {
    const CommandRow* subcommand = engine_.commands.lookup_subcommand(*row, args[1]);
    if (subcommand == nullptr) command.container = row;
    row = subcommand;
  }
  command.row = row;
  if (row == nullptr || !row->arity_ok(args.size())) {
    batch.commands.push_back(command);
    return;
  }
  if (row->single_key_index > 0) {
    uint32_t arg = static_cast<uint32_t>(row->single_key_index);
    add_key(args[arg], arg, batch, db);
  } else if (!row->key_specs.empty()) {
    extracted_.clear();
    command.key_status = extract_keys(*row, args, &extracted_);
    for (const moon::KeyRef& key : extracted_) {
      add_key(args[key.index], key.index, batch, db);
    }
  }
  command.keys_count = static_cast<uint32_t>(batch.keys.size()) - command.keys_first;
  batch.commands.push_back(command);
}

void Dispatcher::add_key(std::string_view bytes, uint32_t arg, Batch& batch, uint32_t db) {
  const store::KeyRef& key = batch.keys.emplace_back(shard_.keyspace().key_ref(bytes, arg));
  shard_.keyspace().slice(key.slice).prefetch(db, key.hash);
}

// --- refusals ---------------------------------------------------------------------------------

void Dispatcher::count_rejection(Call& call) {
  if (call.row != nullptr) ++stats_.commands[static_cast<size_t>(call.row->id)].rejected;
  engine_.count_error(shard_.index, call.reply.last_error_code());
  shard_.counters.add(Counter::kTotalErrorReplies);
  Session& session = call.session;
  if ((session.gate & kGateMulti) != 0) session.set_flag(kClientTransactionFailed);
}

void Dispatcher::reject(Call& call, std::string_view line) {
  if (call.row != nullptr && call.row->id == CommandId::kExec) return abort_exec(call, line);
  call.reply.error(line);
  count_rejection(call);
}

void Dispatcher::reject_arity(Call& call) {
  if (call.row->id == CommandId::kExec) {
    return abort_exec(call, "wrong number of arguments for 'exec' command");
  }
  call.reply.error_format(resp::kErrArity, MOON_TEXT(call.row->name));
  count_rejection(call);
}

// An EXEC that is refused ends its transaction: what the client queued must not run later.
void Dispatcher::abort_exec(Call& call, std::string_view why) {
  std::string line = "EXECABORT Transaction discarded because of: ";
  line += why;
  call.reply.error(line);
  discard_transaction(call.session);
  unwatch_all(call.session, shard_.keyspace());
  count_rejection(call);
}

void Dispatcher::reject(Call& call, resp::Err code) { reject(call, resp::error_text(code)); }

// Names are shown as Redis shows them, as C strings: up to a zero byte, 128 bytes of the name and
// of all arguments together.
void Dispatcher::refuse_unknown(Call& call, const CommandRow* container) {
  constexpr size_t kShown = 128;
  auto shown = [](std::string_view text, size_t most) {
    return text.substr(0, std::min(most, text.find('\0')));
  };
  if (container != nullptr) {
    std::string_view word = shown(call.args[1], kShown);
    std::string parent(container->name);
    for (char& c : parent) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    call.reply.error_format(resp::kErrUnknownSubcommand, MOON_TEXT(word), MOON_TEXT(parent));
    count_rejection(call);
    return;
  }
  // A browser made to send HTTP here by a web page: no reply, and nothing behind it is executed.
  if (equals_ignore_case(call.args[0], "POST") || equals_ignore_case(call.args[0], "Host:")) {
    call.session.set_flag(kClientCloseAfterReply);
    engine_.control->event("log",
                           R"({"level":"warning","message":"Possible SECURITY ATTACK detected. )"
                           R"(It looks like somebody is sending HTTP to this port. Connection )"
                           R"(aborted."})");
    return;
  }
  std::string args;
  for (size_t i = 1; i < call.args.size() && args.size() < kShown; ++i) {
    const size_t room = kShown - args.size();
    args += '\'';
    args += shown(call.args[i], room);
    args += "' ";
  }
  std::string line = "ERR unknown command '";
  line += shown(call.args[0], kShown);
  line += "', with args beginning with: ";
  line += args;
  reject(call, line);
}

// --- execute ----------------------------------------------------------------------------------

Outcome Dispatcher::execute(Session& session, const Prepared& command, Batch& batch) {
  resp::Reply reply(session.output(), session.resp);
  Call call{session,
            command.row,
            {batch.args.data() + command.args_first, command.args_count},
            {batch.keys.data() + command.keys_first, command.keys_count},
            reply};
  const uint32_t client_gates = session.gate;
  const uint32_t gates = client_gates | engine_.gate.load(std::memory_order_relaxed);
  resp::OutBuffer::Mark output_before;
  if (gates != 0) output_before = session.output().mark();
  Outcome outcome = Outcome::kDone;
  if (call.row == nullptr) {
    refuse_unknown(call, command.container);
  } else if (!call.row->arity_ok(call.args.size())) {
    reject_arity(call);
  } else if (gates == 0 || pass_gates(call)) {
    if (command.key_status == KeyExtract::kInvalid) call.keys = {};
    outcome = route(call);
  }
  // CLIENT REPLY SKIP of a plain client has set its gate by now.
  if ((gates | session.gate) != 0 && outcome == Outcome::kDone) {
    settle_reply_mode(session, client_gates, output_before);
  }
  return outcome;
}

Outcome Dispatcher::route(Call& call) {
  switch (call.row->route) {
    case Route::kByKey:
      if (call.keys.size() == 1) return run_on_slice(call, call.keys[0].slice);
      [[fallthrough]];
    case Route::kByKeys: {
      shard::SliceSet slices;
      for (const store::KeyRef& key : call.keys) slices.add(key.slice);
      return run_on_slices(call, slices);
    }
    case Route::kAllShards: {
      shard::SliceSet slices;
      slices.add_all(shard_.keyspace().slice_count());
      return run_on_slices(call, slices);
    }
    default:
      break;
  }
  if (call.row->id == CommandId::kExec) {
    return run_on_slices(call, transaction_slices(call.session));
  }
  if (call.row->route == Route::kControl) return park_at_control(call);
  drop_token();  // DEBUG SLEEP, a long COMMAND DOCS: no reason to keep others out meanwhile
  count_dispatch(*call.row, true);
  run(call);
  return Outcome::kDone;
}

Outcome Dispatcher::run_on_slice(Call& call, uint32_t slice) {
  const bool local = shard_.owns(slice);
  if ((!local && shard_.path() == shard::CrossShardPath::kMesh) || !take_token(slice)) {
    shard::SliceSet slices;
    slices.add(slice);
    return park(call, slices, slice);
  }
  count_dispatch(*call.row, local);
  run_handler(call, false);
  return Outcome::kDone;
}

Outcome Dispatcher::run_on_slices(Call& call, const shard::SliceSet& slices) {
  uint32_t first = slices.first();
  if (first == shard::SliceSet::kEnd) {
    drop_token();
    count_dispatch(*call.row, true);
    run(call);
    return Outcome::kDone;
  }
  bool local = true;
  for (uint32_t slice = first; slice != shard::SliceSet::kEnd; slice = slices.next(slice + 1)) {
    if (shard_.owns(slice)) continue;
    if (shard_.path() == shard::CrossShardPath::kMesh) return park(call, slices, slice);
    local = false;
  }
  if (slices.next(first + 1) == shard::SliceSet::kEnd) {
    if (!take_token(first)) return park(call, slices, first);
    count_dispatch(*call.row, local);
    run(call);
    return Outcome::kDone;
  }
  drop_token();
  uint32_t busy = first;
  if (!shard_.acquire(slices, &busy)) return park(call, slices, busy);
  count_dispatch(*call.row, local);
  run(call);
  shard_.release(slices);
  return Outcome::kDone;
}

bool Dispatcher::take_token(uint32_t slice) {
  if (held_slice_ == slice) return true;
  drop_token();
  if (!shard_.acquire(slice)) return false;
  held_slice_ = slice;
  return true;
}

void Dispatcher::drop_token() {
  if (held_slice_ == kNoSlice) return;
  shard_.release(held_slice_);
  held_slice_ = kNoSlice;
}

void Dispatcher::count_dispatch(const CommandRow& row, bool local) {
  Counter counter = Counter::kTotalDispatchLocal;
  if (!local) {
    counter = row.has(CommandFlag::kWrite) || row.id == CommandId::kExec
                  ? Counter::kTotalDispatchCrossWriteFast
                  : Counter::kTotalDispatchCrossReadFast;
  }
  shard_.counters.add(counter);
}

// --- handlers ---------------------------------------------------------------------------------

void Dispatcher::run(Call& call) {
  if (call.row->id == CommandId::kExec) {
    run_transaction(call);
  } else {
    run_handler(call, false);
  }
}

void Dispatcher::run_handler(Call& call, bool in_transaction) {
  Session& session = call.session;
  store::Access& access = shard_.access;
  access.origin = &session;
  access.no_touch = session.has_flag(kClientNoTouch);
  session.last_command = call.row;
  const uint32_t errors_before = call.reply.errors();
  Context context{call.args, call.keys, call.reply,  session, shard_,
                  engine_,   *call.row, access,      in_transaction};
  call.row->handler(context);
  const uint64_t now = ticks();
  const bool failed = call.reply.errors() != errors_before;
  if (failed) {
    shard_.counters.add(Counter::kTotalErrorReplies);
    engine_.count_error(shard_.index, call.reply.last_error_code());
  }
  record(*call.row, now - last_ticks_, failed);
  last_ticks_ = now;
}

void Dispatcher::record(const CommandRow& row, uint64_t ticks, bool failed) {
  CommandStat& stat = stats_.commands[static_cast<size_t>(row.id)];
  ++stat.calls;
  stat.ticks += ticks;
  if (failed) ++stat.failed;
  shard_.counters.add(Counter::kTotalCommandsProcessed);
  auto* latency = stat.latency.load(std::memory_order_relaxed);
  if (latency == nullptr) [[unlikely]] {
    latency = new std::array<Relaxed<uint64_t>, CommandStat::kLatencyBuckets>;
    stat.latency.store(latency, std::memory_order_release);
  }
  ++(*latency)[CommandStat::bucket_of(ticks)];
}

void Dispatcher::run_transaction(Call& call) {
  Session& session = call.session;
  std::unique_ptr<Transaction> transaction = std::move(session.transaction);
  const bool aborted = session.has_flag(kClientTransactionFailed);
  bool changed = false;
  if (transaction != nullptr) {  // without MULTI, what is watched stays so
    discard_transaction(session);
    changed =
        !aborted && watched_keys_changed(session, shard_.keyspace(), shard_.access.now_ms);
    unwatch_all(session, shard_.keyspace());
  }
  if (transaction == nullptr) {
    call.reply.error(resp::Err::kExecWithoutMulti);
  } else if (aborted) {
    call.reply.error(resp::Err::kExecAbort);
  } else if (changed) {
    call.reply.null_array();
  } else {
    call.reply.array(transaction->commands.size());
    for (const QueuedCommand& queued : transaction->commands) {
      // HELLO inside the transaction may have changed the protocol.
      resp::Reply reply(call.reply.out(), session.resp);
      Call inner{session, queued.row, queued.args, queued.keys, reply};
      run_handler(inner, true);
    }
  }
  const bool failed = call.reply.errors() != 0;
  if (failed) {
    shard_.counters.add(Counter::kTotalErrorReplies);
    engine_.count_error(shard_.index, call.reply.last_error_code());
  }
  const uint64_t now = ticks();
  record(*call.row, now - last_ticks_, failed);
  last_ticks_ = now;
}

}  // namespace moon::dispatch
