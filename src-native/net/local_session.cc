#include "net/local_session.h"

#include <array>

#include "dispatch/transaction.h"
#include "net/network.h"

namespace moon::net {

LocalSession::LocalSession(uint64_t client_id, Network& network, std::unique_ptr<LocalCall> call)
    : CommandStream(client_id, network), call_(std::move(call)) {
  resp = 3;
  set_flag(dispatch::kClientInProcess);
  address = "in-process";
  local_address = "in-process";
  created_ms = network.now_ms();
  last_interaction_ms = network.now_ms();
}

void LocalSession::start() {
  pump(call_->request);
  settle();
}

void LocalSession::on_resumed() {
  CommandStream::on_resumed();
  settle();
}

// Ends the call once everything that was asked has been executed.
void LocalSession::settle() {
  if (closing_ || !(ended() || drained())) return;
  finish(nullptr);
  close_now();
}

void LocalSession::finish(const char* error) {
  if (call_ == nullptr) return;
  std::string replies;
  std::array<iovec, 16> pieces;
  while (!output_.empty()) {
    const size_t count = output_.collect(pieces.data(), pieces.size());
    size_t size = 0;
    for (size_t i = 0; i < count; ++i) {
      replies.append(static_cast<const char*>(pieces[i].iov_base), pieces[i].iov_len);
      size += pieces[i].iov_len;
    }
    output_.consume(size);
  }
  std::unique_ptr<LocalCall> call = std::move(call_);
  call->done(error, std::move(replies));
}

void LocalSession::close_now() {
  if (closing_) return;
  closing_ = true;
  network_.dispatcher().abandon_control(*this);
  if (!parked()) on_unparked_while_closing();
}

void LocalSession::on_unparked_while_closing() {
  finish("closed");
  dispatch::unwatch_all(*this, home.keyspace());
  forget_memory();
  network_.forget_local(*this);
}

}  // namespace moon::net
