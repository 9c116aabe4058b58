// Bytes of one client in, commands executed, replies in its output buffer: what a socket and an
// in-process client have in common.
//
//   pump(bytes) -> parser -> batch of <= 32 requests -> Dispatcher::prepare for each
//                         -> Dispatcher::execute in order -> on_output()
//
// Zero copy in the common case: requests are parsed and executed in the receive buffer. What is
// left of an incomplete request moves to query_. When a command is parked, it and the requests
// behind it move to the backlog and are executed after on_resumed(), before anything newer.
//
// Home thread only.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "dispatch/dispatcher.h"
#include "resp/out_buffer.h"
#include "resp/parser.h"

namespace moon::net {

class Network;

class CommandStream : public dispatch::Session {
 public:
  CommandStream(uint64_t client_id, Network& network);

  resp::OutBuffer& output() override { return output_; }
  void keep_arguments(std::span<std::string_view> args) override;
  void on_resumed() override;
  SharedBytes* take_large(std::string_view argument) override;

  bool closing() const { return closing_; }
  // Closes without waiting for anything to be sent. The stream is deleted once nothing touches it
  // any more (a completion in flight, a parked command).
  virtual void close_now() = 0;

 protected:
  static constexpr size_t kQueryKeep = 16 * 1024;  // capacity kept between requests
  static constexpr uint64_t kFixedMemory = 512;    // of the object itself and its registrations

  // Executes what `fresh` and what was left before amount to.
  void pump(std::span<char> fresh);
  void release_idle_memory();
  void update_memory();
  void forget_memory();
  bool ended() const { return ended_; }
  // All that was received has been executed, and nothing is parked.
  bool drained() const { return backlog_ == nullptr && !parked() && query_.empty(); }

  // Nothing that was received completely is still to be answered.
  bool answered() const { return backlog_ == nullptr && !parked(); }

  // Something was written to output(), or ended(): close after it is sent.
  virtual void on_output() = 0;
  virtual void on_unparked_while_closing() = 0;

  Network& network_;
  resp::OutBuffer output_;
  bool closing_ = false;

 private:
  // Requests that were parsed when the one before them was parked, with their bytes.
  struct Backlog {
    std::vector<char> bytes;
    dispatch::Batch batch;
    size_t next = 0;
  };

  void consume(std::span<char> input);
  void consume_query();
  bool parse_batch(std::span<char> input, dispatch::Batch& batch);
  bool execute_from(dispatch::Batch& batch, size_t first);
  void protocol_error();
  bool over_query_limit(size_t more);
  Counters& shard_counters() { return home.counters; }

  resp::Parser parser_;
  std::vector<char> query_;      // input not executed yet, when it could not stay in place
  std::unique_ptr<Backlog> backlog_;
  std::span<char> input_;        // during consume()
  size_t executing_ = 0;         // index in the batch, during execute_from()
  uint64_t accounted_memory_ = 0;
  bool broken_ = false;          // the parser met a protocol error
  bool ended_ = false;           // no more input is executed (QUIT, protocol error)
};

}  // namespace moon::net
