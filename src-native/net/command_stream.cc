#include "net/command_stream.h"

#include "base/clock.h"
#include "net/network.h"

namespace moon::net {

CommandStream::CommandStream(uint64_t client_id, Network& network)
    : Session(client_id, network.shard()),
      network_(network),
      output_(network.dispatcher().chunks()) {}

SharedBytes* CommandStream::take_large(std::string_view argument) {
  return parser_.take_large(argument);
}

void CommandStream::pump(std::span<char> fresh) {
  if (ended_ || closing_) return;
  if (parked() || backlog_ != nullptr) {
    // Behind a parked command: kept as it came.
    if (!over_query_limit(fresh.size())) query_.insert(query_.end(), fresh.begin(), fresh.end());
    return;
  }
  if (query_.empty()) {
    size_t taken = parser_.receiving_large() ? parser_.feed_large(fresh) : 0;
    consume(fresh.subspan(taken));
  } else {
    query_.insert(query_.end(), fresh.begin(), fresh.end());
    consume_query();
  }
}

void CommandStream::consume_query() {
  std::vector<char> input;
  input.swap(query_);
  size_t taken = parser_.receiving_large() ? parser_.feed_large(input) : 0;
  consume(std::span(input).subspan(taken));
  if (query_.empty() && input.capacity() <= kQueryKeep) {
    input.clear();
    query_.swap(input);
  }
}

// Parses and executes `input`; what is left of it goes to query_.
void CommandStream::consume(std::span<char> input) {
  dispatch::Batch& batch = network_.batch();
  dispatch::Dispatcher& dispatcher = network_.dispatcher();
  input_ = input;
  bool parked_now = false;
  bool more = true;
  while (more && !ended_) {
    batch.clear();
    more = parse_batch(input_, batch);
    dispatcher.begin_batch(network_.now_ms());
    parked_now = !execute_from(batch, 0);
    dispatcher.end_batch();
    if (parked_now) break;
    const size_t done = parser_.consumed();
    parser_.drop(done);
    input_ = input_.subspan(done);
  }
  if (!parked_now) query_.insert(query_.end(), input_.begin(), input_.end());
  input_ = {};
  if (ended_) query_.clear();
  if (over_query_limit(0)) return;
  update_memory();
  if (!output_.empty() || ended_) on_output();
}

// Fills the batch; false when the input holds no further complete request.
bool CommandStream::parse_batch(std::span<char> input, dispatch::Batch& batch) {
  dispatch::Dispatcher& dispatcher = network_.dispatcher();
  resp::ParserLimits limits{network_.bulk_max(), (gate & dispatch::kGateAuth) == 0};
  while (batch.commands.size() < dispatch::kBatchMax) {
    resp::Request request;
    switch (parser_.next(input, limits, batch.args, &request)) {
      case resp::ParseStatus::kNeedMore:
        return false;
      case resp::ParseStatus::kError:
        broken_ = true;
        return false;
      case resp::ParseStatus::kRequest:
        dispatcher.prepare(request, batch, db);
        break;
    }
    // AUTH lifts the limits: what comes behind it is parsed when it has been executed.
    if (!limits.authenticated) break;
  }
  return true;
}

// Executes the batch from its `first` command on. False when one was parked.
bool CommandStream::execute_from(dispatch::Batch& batch, size_t first) {
  dispatch::Dispatcher& dispatcher = network_.dispatcher();
  for (size_t i = first; i < batch.commands.size(); ++i) {
    executing_ = i;
    if (dispatcher.execute(*this, batch.commands[i], batch) == dispatch::Outcome::kParked) {
      return false;
    }
    if (has_flag(dispatch::kClientCloseAfterReply)) {
      ended_ = true;
      return true;
    }
  }
  if (broken_) protocol_error();
  return true;
}

void CommandStream::protocol_error() {
  resp::Reply reply(output_, resp);
  reply.error(parser_.error_text());
  ended_ = true;
  set_flag(dispatch::kClientCloseAfterReply);
}

// Called by dispatch while a command of the current batch is being parked: moves the bytes of
// this request and of those behind it out of the receive buffer.
void CommandStream::keep_arguments(std::span<std::string_view> args) {
  dispatch::Batch& batch = backlog_ != nullptr ? backlog_->batch : network_.batch();
  if (backlog_ != nullptr) {  // they live in the backlog already
    backlog_->next = executing_ + 1;
    return;
  }
  const size_t consumed = parser_.consumed();
  auto backlog = std::make_unique<Backlog>();
  backlog->bytes.assign(input_.begin(), input_.begin() + static_cast<ptrdiff_t>(consumed));
  query_.assign(input_.begin() + static_cast<ptrdiff_t>(consumed), input_.end());
  const char* old_begin = input_.data();
  const char* old_end = old_begin + consumed;
  const char* new_begin = backlog->bytes.data();
  auto moved = [&](std::string_view view) {
    if (view.data() < old_begin || view.data() > old_end) return view;  // in the parser's memory
    return std::string_view(new_begin + (view.data() - old_begin), view.size());
  };
  for (std::string_view& arg : args) arg = moved(arg);
  for (size_t i = executing_ + 1; i < batch.commands.size(); ++i) {
    dispatch::Prepared command = batch.commands[i];
    std::span old_args{batch.args.data() + command.args_first, command.args_count};
    std::span old_keys{batch.keys.data() + command.keys_first, command.keys_count};
    command.args_first = static_cast<uint32_t>(backlog->batch.args.size());
    command.keys_first = static_cast<uint32_t>(backlog->batch.keys.size());
    for (std::string_view arg : old_args) backlog->batch.args.push_back(moved(arg));
    for (store::KeyRef key : old_keys) {
      key.bytes = moved(key.bytes);
      backlog->batch.keys.push_back(key);
    }
    backlog->batch.commands.push_back(command);
  }
  backlog_ = std::move(backlog);
}

void CommandStream::on_resumed() {
  if (closing_) return on_unparked_while_closing();
  dispatch::Dispatcher& dispatcher = network_.dispatcher();
  if (has_flag(dispatch::kClientCloseAfterReply)) ended_ = true;
  bool done = true;
  if (!ended_) {
    dispatcher.begin_batch(network_.now_ms());
    done = execute_from(backlog_->batch, backlog_->next);
    dispatcher.end_batch();
  }
  if (done) {
    backlog_.reset();
    parser_.drop(parser_.consumed());
    if (ended_) query_.clear();
    if (!query_.empty()) return consume_query();
  }
  update_memory();
  if (!output_.empty() || ended_) on_output();
}

bool CommandStream::over_query_limit(size_t more) {
  // While parked, the executor may be taking large arguments out of the parser.
  const size_t held = query_.size() + more + (parked() ? 0 : parser_.memory());
  if (held <= network_.query_limit()) return false;
  network_.log_closing(*this, "query buffer limit");
  shard_counters().add(Counter::kClientQueryBufferLimitDisconnections);
  close_now();
  return true;
}

void CommandStream::update_memory() {
  query_buffer_bytes = query_.size() + parser_.memory();
  query_buffer_free = query_.capacity() - query_.size();
  const uint64_t output_memory = output_.memory();
  output_bytes = output_memory;
  const uint64_t memory = query_.capacity() + parser_.memory() + output_memory +
                          queued_memory + kFixedMemory;
  memory_bytes = memory;
  shard_counters().add(Counter::kClientMemory, memory - accounted_memory_);
  accounted_memory_ = memory;
}

void CommandStream::release_idle_memory() {
  if (query_.empty() && query_.capacity() != 0) std::vector<char>().swap(query_);
  update_memory();
}

void CommandStream::forget_memory() {
  shard_counters().sub(Counter::kClientMemory, accounted_memory_);
  accounted_memory_ = 0;
}

}  // namespace moon::net
