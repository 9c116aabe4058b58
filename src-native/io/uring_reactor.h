// The io_uring driver. See io/reactor.h for the contract and the threads.
//
// Receives and accepts are multishot. A send is submitted so that it completes within its own
// submission or fails (MSG_DONTWAIT, no completion on success): in the common case a reply costs no
// completion, and waiting for one event means waiting for a request. What such a send leaves over
// is sent by a second, waiting one.
//
// user_data is a pointer with a tag in its low three bits. Invariant: a Stream or Acceptor with
// in_flight_ > 0 is not reported as detached, so every pointer that comes back is alive.
#pragma once

#include <liburing.h>
#include <sys/types.h>

#include <memory>
#include <vector>

#include "io/reactor.h"
#include "io/uring_buffers.h"

namespace moon::io {

class UringReactor final : public Reactor {
 public:
  // Null with *error = errno when this kernel or container does not give us a usable ring.
  static std::unique_ptr<UringReactor> create_ring(const ReactorOptions& options, int* error);
  ~UringReactor() override;

  Driver driver() const override { return Driver::kUring; }
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
  enum Tag : uint64_t {
    kReceive,        // Stream
    kSend,           // Stream
    kCloseStream,    // Stream
    kAccept,         // Acceptor
    kCloseAcceptor,  // Acceptor
    kRingWake,       // Reactor that could not be woken by MSG_RING
    kEventFd,        // no pointer
    kNothing,        // no pointer: a wake-up arrived, a cancellation found nothing
    kTagMask = 7,
  };

  struct InlineSend {
    Stream* stream;
    unsigned position;  // of its entry in the submission queue
  };

  explicit UringReactor(const ReactorOptions& options) : Reactor(options) {}
  int set_up();  // 0 or a negative errno, as all of these
  int create_queues(unsigned flags);
  void register_ring();
  int check_multishot_receive();
  int wait_for_check(io_uring_cqe* cqe);

  bool wake_by_ring(Reactor& target) override;
  bool poll_driver() override;
  void listen_again(Acceptor& acceptor) override;

  static uint64_t user_data(const void* pointer, Tag tag) {
    return reinterpret_cast<uint64_t>(pointer) | tag;
  }
  template <typename T>
  static T& pointee(uint64_t user_data) {
    return *reinterpret_cast<T*>(user_data & ~static_cast<uint64_t>(kTagMask));
  }

  io_uring_sqe* next_entry();
  unsigned unsubmitted() const;
  void enter(unsigned wait_for, int64_t limit_us);
  bool needs_enter() const;
  bool completions_waiting() const;

  void wait_for_requests(int64_t limit_us);
  unsigned gather_target();
  bool reap();
  bool settle_inline_sends(unsigned end);
  bool visit_ready();

  bool completed(const io_uring_cqe& cqe);  // true if it was worth a turn
  void accepted(Acceptor& acceptor, int result, unsigned flags);
  void received(Stream& stream, int result, unsigned flags);
  void deliver(Stream& stream, std::span<char> bytes);
  void arm_receive_if_wanted(Stream& stream);
  void cancel_receive(Stream& stream);
  void cancel(uint64_t target);
  io_uring_sqe* prepare_send(Stream& stream, int flags);
  void sent(Stream& stream, int result);
  void finish_send(Stream& stream, ssize_t result);
  void queue_close(int fd, uint64_t data);
  void detach_if_idle(Stream& stream);
  void detach_if_idle(Acceptor& acceptor);
  void arm_event_fd();

  io_uring ring_ = {};
  bool ring_exists_ = false;
  bool deferred_ = false;       // completions are made only within our own enter()
  unsigned enter_flags_ = 0;
  int enter_fd_ = -1;           // the descriptor, or its registered index
  pid_t registered_by_ = 0;     // thread that must unregister the index
  uint32_t buffers_used_ = 0;    // by receives of this turn
  uint32_t buffers_missed_ = 0;  // receives of this turn that found none
  uint32_t epoch_ = 1;           // time in pieces of kEpochUs, to count the clients at work in each
  int64_t epoch_end_us_ = 0;
  uint32_t active_now_ = 0;      // distinct streams that received in this epoch
  uint32_t active_before_ = 0;   // in the one before
  int64_t last_called_us_ = 0;   // when another thread's wake-up was consumed
  bool gather_failed_ = false;
  UringBuffers buffers_;
  std::vector<InlineSend> inline_sends_;
  std::vector<InlineSend> settling_;
};

}  // namespace moon::io
