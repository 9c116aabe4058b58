#include "net/connection.h"

#include <array>

#include "dispatch/transaction.h"
#include "net/network.h"

namespace moon::net {

namespace {
constexpr size_t kPiecesMax = 64;  // of one send
}

Connection::Connection(uint64_t client_id, Network& network, int fd, bool unix_socket)
    : CommandStream(client_id, network), io::Stream(fd) {
  descriptor = fd;
  if (unix_socket) set_flag(dispatch::kClientUnixSocket);
  created_ms = network.now_ms();
  last_interaction_ms = network.now_ms();
}

Connection::~Connection() { network_.on_connection_deleted(); }

void Connection::start() { network_.reactor().attach(*this); }

void Connection::on_receive(std::span<char> bytes) {
  if (closing_) return;
  home.counters.add(Counter::kTotalNetInputBytes, bytes.size());
  home.counters.add(Counter::kTotalReadsProcessed);
  last_interaction_ms = network_.now_ms();
  pump(bytes);
}

// A peer that has ended its direction may still read (`printf … | nc`): what it sent is answered,
// then flush() closes.
void Connection::on_end(int error) {
  if (error != 0) return close_now();
  input_ended_ = true;
  network_.mark_dirty(*this);
}

void Connection::on_resumed() {
  if (closing_) return CommandStream::on_resumed();  // may delete this
  CommandStream::on_resumed();
  if (input_ended_ && !closing_) network_.mark_dirty(*this);
}

void Connection::on_output() { network_.mark_dirty(*this); }

void Connection::flush() {
  if (closing_ || sending_) return;
  if (output_.empty()) {
    if (ended() || (input_ended_ && answered())) close_now();
    return;
  }
  if (over_output_limit(network_.now_ms())) return;
  std::array<iovec, kPiecesMax> pieces;
  const size_t count = output_.collect(pieces.data(), pieces.size());
  sending_ = true;
  network_.reactor().send(*this, std::span(pieces.data(), count));
}

void Connection::on_sent(ssize_t result) {
  sending_ = false;
  if (closing_) return;
  if (result < 0) return close_now();
  home.counters.add(Counter::kTotalNetOutputBytes, static_cast<uint64_t>(result));
  home.counters.add(Counter::kTotalWritesProcessed);
  output_.consume(static_cast<size_t>(result));
  if (!output_.empty() || ended() || input_ended_) {
    network_.mark_dirty(*this);
  } else {
    update_memory();
  }
}

// Redis's client-output-buffer-limit: hard at once, soft when exceeded for so many seconds.
bool Connection::over_output_limit(int64_t now_ms) {
  const OutputLimit limit =
      network_.engine().settings.output_limit(ClientClass::kNormal);
  const uint64_t held = output_.memory();
  bool over = limit.hard_bytes != 0 && held >= limit.hard_bytes;
  if (limit.soft_bytes != 0 && held >= limit.soft_bytes) {
    if (soft_limit_since_ms_ == 0) soft_limit_since_ms_ = now_ms;
    over = over || now_ms - soft_limit_since_ms_ > limit.soft_seconds * 1000;
  } else {
    soft_limit_since_ms_ = 0;
  }
  if (!over) return false;
  network_.log_closing(*this, "output buffer limit");
  home.counters.add(Counter::kClientOutputBufferLimitDisconnections);
  close_now();
  return true;
}

void Connection::on_tick(int64_t now_ms) {
  if (closing_) return;
  const int64_t timeout_ms = network_.engine().settings.get(Setting::kTimeout) * 1000;
  if (timeout_ms != 0 && !parked() && now_ms - last_interaction_ms > timeout_ms) {
    return close_now();
  }
  if (over_output_limit(now_ms)) return;
  if (!parked() && now_ms - last_interaction_ms > kIdleMs) release_idle_memory();
}

void Connection::close_now() {
  if (closing_) return;
  closing_ = true;
  network_.dispatcher().abandon_control(*this);
  // While parked the executor owns the watched keys; they are forgotten when it is done.
  if (!parked()) dispatch::unwatch_all(*this, home.keyspace());
  network_.forget(*this);
  network_.reactor().close(*this);
}

void Connection::on_detached() {
  detached_ = true;
  delete_when_idle();
}

void Connection::on_unparked_while_closing() {
  dispatch::unwatch_all(*this, home.keyspace());
  delete_when_idle();
}

void Connection::delete_when_idle() {
  if (!detached_ || parked()) return;
  output_.clear();
  forget_memory();
  delete this;
}

}  // namespace moon::net
