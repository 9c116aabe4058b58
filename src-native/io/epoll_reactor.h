// The epoll driver. See io/reactor.h for the contract and the threads.
//
// Connections are watched edge-triggered from attach() to close(): no system call but the receives,
// the sends and one wait per turn. EPOLLOUT is asked for only while a send waits for the peer: unix
// sockets would report it for every reply that the peer reads. Listeners are level-triggered.
//
// kReadable on a stream means that the kernel may hold bytes for it which no further event will
// announce. Sends are tried at once; their completions are delivered by the next turn, which then
// returns without waiting so that the loop can flush what they brought about.
#pragma once

#include <sys/epoll.h>

#include <memory>
#include <vector>

#include "io/reactor.h"

namespace moon::io {

class EpollReactor final : public Reactor {
 public:
  // Null with *error = errno.
  static std::unique_ptr<EpollReactor> create_epoll(const ReactorOptions& options, int* error);
  ~EpollReactor() override;

  Driver driver() const override { return Driver::kEpoll; }
  void listen(int fd, Acceptor& acceptor) override;
  void unlisten(Acceptor& acceptor) override;
  void attach(Stream& stream) override;
  void pause_receive(Stream& stream) override;
  void resume_receive(Stream& stream) override;
  using Reactor::send;
  void send(Stream& stream, std::span<const iovec> ranges) override;
  void close(Stream& stream) override;
  bool turn(int64_t max_wait_us) override;
  void trim() override;

 private:
  static constexpr int kEventsPerTurn = 256;
  static constexpr int kAcceptsPerTurn = 256;
  static constexpr int kReceivesPerTurn = 4;  // of one stream, each up to the whole buffer

  enum Tag : uint64_t { kStream, kAcceptor, kEventFd, kTagMask = 7 };

  struct FinishedSend {
    Stream* stream;
    ssize_t result;
  };

  explicit EpollReactor(const ReactorOptions& options) : Reactor(options) {}
  int set_up();

  bool poll_driver() override;
  void listen_again(Acceptor& acceptor) override;
  void watch(int operation, int fd, uint32_t events, const void* pointer, Tag tag);
  int wait(int64_t limit_us);
  bool run_finished();
  bool visit_ready();
  bool happened(const epoll_event& event);
  void accept_some(Acceptor& acceptor);
  void receive_some(Stream& stream);
  bool receive_once(Stream& stream);  // true if there may be more to receive
  void try_send(Stream& stream);
  ssize_t send_once(Stream& stream);
  void drop_events_of(uint64_t data);

  int epoll_fd_ = -1;
  bool has_pwait2_ = true;
  bool touched_ = false;
  char* buffer_ = nullptr;
  int event_count_ = 0;  // of events_, fetched but not yet looked at
  int event_next_ = 0;
  std::vector<epoll_event> events_;
  std::vector<FinishedSend> finished_;
  std::vector<FinishedSend> finishing_;
  std::vector<Stream*> closed_;
  std::vector<Stream*> detaching_;
  std::vector<Acceptor*> unlistened_;
};

}  // namespace moon::io
