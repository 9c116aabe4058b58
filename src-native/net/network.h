// The clients of one shard thread: accepting, the list of connections with output to send, the
// once-a-second look at each. Home thread only, except the constructor.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dispatch/dispatcher.h"
#include "io/reactor.h"
#include "net/command_stream.h"

namespace moon::net {

class Connection;
class LocalSession;
struct LocalCall;

// Receives the sockets of one listener.
class Listener final : public io::Acceptor {
 public:
  Listener(Network& network, bool unix_socket)
      : network_(network), unix_socket_(unix_socket) {}
  void on_accept(int fd) override;
  void on_accept_error(int error) override;

 private:
  Network& network_;
  const bool unix_socket_;
};

class Network {
 public:
  Network(dispatch::Engine& engine, shard::Shard& shard, io::Reactor& reactor);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  dispatch::Engine& engine() { return engine_; }
  shard::Shard& shard() { return shard_; }
  io::Reactor& reactor() { return reactor_; }
  dispatch::Dispatcher& dispatcher() { return dispatcher_; }
  dispatch::Batch& batch() { return batch_; }
  // The wall clock of this turn: read once, when the first event of a turn needs it.
  int64_t now_ms() {
    if (now_ms_ == 0) begin_turn();
    return now_ms_;
  }
  // From the settings, read with the clock.
  int64_t bulk_max() const { return bulk_max_; }
  size_t query_limit() const { return query_limit_; }

  void listen(int fd, bool unix_socket);   // takes the descriptor over
  void stop_listening();
  void flush();                            // starts the sends of all connections with output
  void end_turn() { now_ms_ = 0; }
  void tick();                             // once a second
  void close_all();
  // Nothing left that a client is owed (graceful stop).
  bool drained() const;
  // close_all() is complete: no connection waits for the kernel or for a parked command.
  bool gone() const { return alive_ == 0 && locals_.empty(); }

  void accept(int fd, bool unix_socket);
  void accept_failed(int error);
  void mark_dirty(Connection& connection);
  void forget(Connection& connection);
  void call_local(std::unique_ptr<LocalCall> call);
  void forget_local(LocalSession& session);
  // The control plane's answer to a parked client of this shard; ignored when it left.
  void answer_control(uint64_t client_id, std::string_view reply);
  void close_killed();

  void on_connection_deleted() { --alive_; }

  void log_closing(const dispatch::Client& client, const char* reason);

  static void on_kill(shard::Shard& home, void* unused);

 private:
  static constexpr size_t kChunksKept = 8;  // free output blocks an idle thread keeps

  void begin_turn();
  void refuse(int fd, std::string_view text);

  dispatch::Engine& engine_;
  shard::Shard& shard_;
  io::Reactor& reactor_;
  dispatch::Dispatcher dispatcher_;
  dispatch::Batch batch_;
  int64_t now_ms_ = 0;
  int64_t bulk_max_ = 0;
  size_t query_limit_ = 0;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::unordered_map<uint64_t, Connection*> connections_;   // by client id
  std::unordered_map<uint64_t, std::unique_ptr<LocalSession>> locals_;
  size_t alive_ = 0;   // Connection objects, those that are closing included
  std::vector<Connection*> dirty_;
  std::vector<Connection*> flushing_;   // dirty_ of the running flush()
};

}  // namespace moon::net
