#include "dispatch/pending.h"

#include "base/clock.h"
#include "dispatch/context.h"

namespace moon::dispatch {

PendingCommand& Dispatcher::make_pending(Call& call) {
  drop_token();
  Session& session = call.session;
  MOON_ASSERT(session.pending_ == nullptr);
  session.pending_ = std::make_unique<PendingCommand>();
  PendingCommand& pending = *session.pending_;
  pending.session = &session;
  pending.engine = &engine_;
  pending.row = call.row;
  pending.args.assign(call.args.begin(), call.args.end());
  pending.keys.assign(call.keys.begin(), call.keys.end());
  session.keep_arguments(pending.args);
  for (store::KeyRef& key : pending.keys) key.bytes = pending.args[key.arg];
  return pending;
}

Outcome Dispatcher::park(Call& call, const shard::SliceSet& slices, uint32_t at_slice) {
  PendingCommand& pending = make_pending(call);
  pending.slices = slices;
  pending.run = &PendingCommand::run_on_executor;
  pending.finish = &PendingCommand::finish_at_home;
  shard_.submit(pending, at_slice);
  return Outcome::kParked;
}

Outcome Dispatcher::park_at_control(Call& call) {
  PendingCommand& pending = make_pending(call);
  ControlRequest request{call.session.id, shard_.index, {}};
  for (std::string_view arg : pending.args) request.args.emplace_back(arg);
  engine_.control->request(std::move(request));
  return Outcome::kParked;
}

void PendingCommand::run_on_executor(shard::Task& task, shard::Shard& executor) {
  auto& pending = static_cast<PendingCommand&>(task);
  Dispatcher& dispatcher = *pending.engine->dispatchers[executor.index];
  pending.output = std::make_unique<resp::OutBuffer>(dispatcher.chunks());
  resp::Reply reply(*pending.output, pending.session->resp);
  Dispatcher::Call call{*pending.session, pending.row, pending.args, pending.keys, reply};
  dispatcher.begin_batch(wall_ms());
  dispatcher.run(call);
}

void PendingCommand::finish_at_home(shard::Task& task, shard::Shard& home) {
  auto& pending = static_cast<PendingCommand&>(task);
  Dispatcher& dispatcher = *pending.engine->dispatchers[home.index];
  Session& session = *pending.session;
  resp::OutBuffer::Mark before = session.output().mark();
  session.output().splice(std::move(*pending.output));
  if (session.gate != 0) dispatcher.settle_reply_mode(session, session.gate, before);
  dispatcher.resume(session);
}

void Dispatcher::answer_control(Session& session, std::string_view reply) {
  MOON_ASSERT(session.pending_ != nullptr);
  resp::OutBuffer::Mark before = session.output().mark();
  session.output().append(reply);
  if (session.gate != 0) settle_reply_mode(session, session.gate, before);
  resume(session);
}

void Dispatcher::abandon_control(Session& session) {
  if (awaits_control(session)) session.pending_.reset();
}

bool Dispatcher::awaits_control(const Session& session) {
  return session.parked() && session.pending_->executor == nullptr;
}

void Dispatcher::resume(Session& session) {
  session.pending_.reset();
  session.on_resumed();
}

}  // namespace moon::dispatch
