// A client on a socket (TCP or unix): a CommandStream whose bytes come from and go to a reactor.
// One send is in flight at a time; what is written meanwhile goes with the next one, at the end of
// the loop turn. Home thread only.
#pragma once

#include <span>

#include "io/reactor.h"
#include "net/command_stream.h"

namespace moon::net {

class Connection final : public CommandStream, private io::Stream {
 public:
  Connection(uint64_t client_id, Network& network, int fd, bool unix_socket);
  ~Connection() override;

  void start();
  // Sends what is pending, unless a send is in flight. Called by Network at the end of the turn.
  void flush();
  void close_now() override;
  // Once a second: timeout, output limits that need time, idle memory.
  void on_tick(int64_t now_ms);

  // Nothing is being executed, nothing is left to send. Who waits for the control plane (SHUTDOWN)
  // gets no answer before the end.
  bool settled() const {
    return (drained() || dispatch::Dispatcher::awaits_control(*this)) && output_.empty() &&
           !sending_;
  }
  void on_resumed() override;

  bool listed_dirty = false;  // in Network's list of connections with output

 private:
  void on_receive(std::span<char> bytes) override;
  void on_end(int error) override;
  void on_sent(ssize_t result) override;
  void on_detached() override;
  void on_output() override;
  void on_unparked_while_closing() override;

  static constexpr int64_t kIdleMs = 2000;  // then buffers kept for the next request are freed

  bool over_output_limit(int64_t now_ms);
  void delete_when_idle();

  bool sending_ = false;
  bool input_ended_ = false;  // the peer closed its direction; it may still read
  bool detached_ = false;
  int64_t soft_limit_since_ms_ = 0;  // 0: below the soft limit
};

}  // namespace moon::net
