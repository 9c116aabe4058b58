// The reactor: one thread's event loop over sockets, timers and wake-ups, on io_uring or on epoll.
//
// Threads: a Reactor is created and turned by one thread, and everything here is called on it,
// except wake() and wake_if_sleeping(), which any thread may call. It is destroyed by that thread
// or after that thread ended, when no thread can wake it any more and all its streams are detached.
//
// Invariants: (1) callbacks run only inside turn(), never from inside another call of this
// interface, so a callback may call anything but turn(). (2) A Stream receives bytes in order,
// never while it is paused, and nothing but on_detached() once it is closed. (3) At most one send
// is in flight per stream. (4) A turn enters the kernel once where the driver can (io_uring always,
// unless more requests were queued than its submission ring holds).
//
//   loop:  while (running) { reactor->turn(-1); /* mesh, flush replies: queues sends */ }
//
// What the loop queues after a turn goes to the kernel with the next turn's only system call.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/timer.h"
#include "io/waker.h"

namespace moon::io {

enum class Driver : uint8_t { kAuto, kUring, kEpoll };

const char* driver_name(Driver driver);  // "auto", "io_uring", "epoll"

struct SendBatch;  // reactor-owned: a gathered send in flight
struct HeldInput;  // reactor-owned: what arrived for a paused stream

// A connected socket's owner; net::Connection derives from it. Private state belongs to the driver.
class Stream {
 public:
  explicit Stream(int fd) : fd_(fd) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Bytes are valid and writable during the call only; all of them count as consumed.
  virtual void on_receive(std::span<char> bytes) = 0;
  // The peer ended its direction (0) or the socket failed (errno). Called once; no on_receive after
  // it. The stream is still attached, may still send, and must be closed by its owner.
  virtual void on_end(int error) = 0;
  // The send in flight ended: all its bytes were accepted by the kernel (their number), or it
  // failed (negative errno; some bytes may have gone). Its memory is the owner's again.
  virtual void on_sent(ssize_t bytes_or_negative_errno) = 0;
  // After close(): the descriptor is closed and no callback will follow. May delete the stream.
  virtual void on_detached() = 0;

  int fd() const { return fd_; }
  bool is_sending() const { return (flags_ & kSending) != 0; }
  bool is_paused() const { return (flags_ & kPaused) != 0; }
  bool is_closing() const { return (flags_ & kClosing) != 0; }

 protected:
  ~Stream() = default;

 private:
  friend class Reactor;
  friend class UringReactor;
  friend class EpollReactor;

  enum Flag : uint32_t {
    kAttached = 1u << 0,
    kPaused = 1u << 1,
    kClosing = 1u << 2,
    kSending = 1u << 3,
    kEnded = 1u << 4,         // the end was seen: nothing more will be received
    kEndHeld = 1u << 5,       // … but not yet delivered, the stream is paused
    kQueued = 1u << 6,        // stands in the reactor's ready list
    kReceiveArmed = 1u << 7,  // io_uring: a multishot receive is in flight
    kCancelSent = 1u << 8,    // io_uring: its cancellation was queued
    kInlineSend = 1u << 9,    // io_uring: this send completes within its submission or fails
    kReadable = 1u << 10,     // epoll: may have unread bytes
    kHangup = 1u << 11,       // epoll: read until the end shows
    kWritePending = 1u << 12, // epoll: waits for EPOLLOUT
  };

  int fd_;
  uint32_t flags_ = 0;
  uint32_t in_flight_ = 0;  // io_uring: requests of which the kernel still owes a completion
  int end_error_ = 0;       // of an end held back
  uint32_t active_epoch_ = 0;  // io_uring: the last one in which something was received
  const char* send_base_ = nullptr;  // what is left of a send of one range …
  SendBatch* batch_ = nullptr;       // … or of several
  size_t send_bytes_left_ = 0;
  size_t send_bytes_total_ = 0;
  HeldInput* held_ = nullptr;
};

// A listening socket's owner.
class Acceptor {
 public:
  Acceptor() = default;
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  // The new descriptor is the callee's (close-on-exec; options inherited from the listener).
  virtual void on_accept(int fd) = 0;
  // accept() failed: EMFILE, ENFILE, ENOMEM … The reactor tries again after a pause of its own.
  virtual void on_accept_error(int error) = 0;
  // After unlisten(): the listening descriptor is closed, no callback follows.
  virtual void on_unlistened() {}

  int fd() const { return fd_; }

 protected:
  ~Acceptor() = default;

 private:
  friend class Reactor;
  friend class UringReactor;
  friend class EpollReactor;

  enum Flag : uint32_t {
    kListening = 1u << 0,
    kClosing = 1u << 1,
  };

  int fd_ = -1;
  uint32_t flags_ = 0;
  uint32_t in_flight_ = 0;  // io_uring: requests of which the kernel still owes a completion
};

// Asked just before the thread sleeps, after it announced that it will: anything that was queued
// before the announcement must be visible here, anything queued later finds the announcement.
class WorkSource {
 public:
  virtual bool has_work() = 0;

 protected:
  ~WorkSource() = default;
};

struct ReactorOptions {
  uint32_t submission_entries = 128;
  uint32_t completion_entries = 1024;  // halved down to 256 where the kernel says ENOMEM
  // io_uring: provided buffers. The address space for buffers_max is reserved, a buffer enters
  // circulation only when those before it did not suffice, and trim() takes it out again.
  uint32_t buffer_bytes = 16384;
  uint32_t buffers_initial = 16;
  uint32_t buffers_max = 512;          // power of two, at most 32768
  uint32_t epoll_receive_bytes = 65536;  // epoll: the one receive buffer
  // io_uring: false takes the set-up that kernels before 6.1 get.
  bool defer_task_work = true;
  // io_uring: while eight or more clients are at work, a wait may last so long for several requests
  // to come together. A wake-up costs about as much as a small command. 0: never.
  uint32_t gather_us = 100;
  // Spin so long for events before sleeping. Leave it 0 where threads share processors.
  uint32_t busy_poll_us = 0;
};

// Written by the reactor's thread; readers elsewhere get a snapshot through their own means.
struct ReactorStats {
  uint64_t turns = 0;
  uint64_t system_calls = 0;      // io_uring_enter, or epoll_wait/recv/send/…: all on the data path
  uint64_t sleeps = 0;            // turns that meant to sleep
  uint64_t receives = 0;
  uint64_t received_bytes = 0;
  uint64_t sends = 0;
  uint64_t sent_bytes = 0;
  uint64_t accepts = 0;
  uint64_t timers_fired = 0;
  uint64_t wakes_ring = 0;        // this reactor woke another one by MSG_RING
  uint64_t buffers_exhausted = 0; // -ENOBUFS
  uint64_t receives_rearmed = 0;
  uint64_t busy_us_longest = 0;   // longest time between two waits
};

class Reactor {
 public:
  // Null on failure, and *why says what to do about it. kAuto takes io_uring where it works, else
  // epoll with *why holding the warning to log; *why is empty when there is nothing to say.
  static std::unique_ptr<Reactor> create(Driver driver, const ReactorOptions& options,
                                         std::string* why);
  virtual ~Reactor();
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  virtual Driver driver() const = 0;

  // The reactor owns the listening descriptor from here on and closes it after unlisten().
  virtual void listen(int fd, Acceptor& acceptor) = 0;
  virtual void unlisten(Acceptor& acceptor) = 0;

  // Starts receiving. The reactor closes the descriptor, in close().
  virtual void attach(Stream& stream) = 0;
  // Back-pressure. Costs nothing until bytes arrive: those that were on their way are kept (at most
  // what the receive buffers hold) and delivered first after resume_receive(), from a later turn.
  // The end of the stream is kept back likewise.
  virtual void pause_receive(Stream& stream) = 0;
  virtual void resume_receive(Stream& stream) = 0;
  // Sends all ranges in order. The array of ranges is copied, the bytes must stay until on_sent()
  // or, after close(), on_detached(). An empty send is refused (assert).
  virtual void send(Stream& stream, std::span<const iovec> ranges) = 0;
  void send(Stream& stream, const void* bytes, size_t count) {
    const iovec range = {const_cast<void*>(bytes), count};
    send(stream, std::span<const iovec>(&range, 1));
  }
  // Cancels what is in flight and closes the descriptor; on_detached() follows from a turn. What a
  // send in flight has not given to the kernel is lost: wait for on_sent() to say goodbye.
  virtual void close(Stream& stream) = 0;

  // One turn: submit what is queued, wait, run completions, then due timers. Waits at most
  // `max_wait_us` (0: not at all, negative: until something happens), less when a timer is due,
  // when work is left over, or when the WorkSource has some. True if any callback was run or a
  // wake-up was consumed.
  virtual bool turn(int64_t max_wait_us) = 0;

  // Gives memory of receive buffers back to the system and shrinks their circulation to what the
  // time since the last call needed. For a housekeeping timer, every few seconds.
  virtual void trim() {}

  void set_work_source(WorkSource* source) { work_source_ = source; }

  void arm_timer(Timer& timer, int64_t deadline_us) { timers_.arm(timer, deadline_us); }
  void arm_timer_after(Timer& timer, int64_t delay_us) {
    timers_.arm(timer, clock_us() + delay_us);
  }
  void cancel_timer(Timer& timer) { timers_.cancel(timer); }

  // The monotonic clock as read when this turn's wait ended.
  int64_t now_us() const { return now_us_; }
  // The monotonic clock now.
  static int64_t clock_us();

  // Any thread. The next (or current) wait of turn() ends at once, whatever it waits for. Repeated
  // calls before the target noticed cost one load. `from` is the caller's own reactor when it runs
  // one: between two io_uring reactors the wake-up is then a MSG_RING that leaves with the caller's
  // next turn, else it is a write to an eventfd. True if the target slept and was woken by this.
  // A loop that ends with such wake-ups queued makes a last turn(0).
  bool wake(Reactor* from = nullptr);
  // Any thread, after queueing something that the target's WorkSource sees: wakes a sleeping target
  // only, an awake one will look before it sleeps. Cheaper than wake(); same result.
  bool wake_if_sleeping(Reactor* from = nullptr);

  const ReactorStats& stats() const { return stats_; }

 protected:
  explicit Reactor(const ReactorOptions& options);

  // On this thread: queues a MSG_RING to `target`; false if either side has no ring.
  virtual bool wake_by_ring(Reactor& target);
  // True if a wait would return at once. Called in a loop by the busy poller.
  virtual bool poll_driver() = 0;
  void wake_by_event_fd();

  struct Wait {
    int64_t limit_us = 0;  // 0: do not sleep; negative: no limit
    bool announced = false;
  };
  // How long this turn may sleep; where it may, the sleep is announced. Pair with end_wait(), which
  // reads the clock and returns true if a wake-up was consumed.
  Wait begin_wait(int64_t max_wait_us, bool work_left);
  bool end_wait(const Wait& wait);

  void queue_ready(Stream& stream);  // turn() will visit it without sleeping before
  void hold_input(Stream& stream, std::span<const char> bytes);
  void receive_end(Stream& stream, int error);  // delivers the end, or holds it
  bool deliver_held(Stream& stream);            // true if a callback ran
  void forget_input(Stream& stream);
  // accept() failed for want of descriptors or memory: listen_again() is called a little later.
  void back_off(Acceptor& acceptor, int error);
  void stop_backing_off(Acceptor& acceptor);
  virtual void listen_again(Acceptor& acceptor) = 0;
  void begin_send(Stream& stream, std::span<const iovec> ranges);
  bool advance_send(Stream& stream, size_t count);  // true when all is sent
  void end_send(Stream& stream);

  ReactorOptions options_;
  ReactorStats stats_;
  TimerHeap timers_;
  SleepGate gate_;
  int event_fd_ = -1;
  int64_t now_us_ = 0;
  WorkSource* work_source_ = nullptr;
  std::vector<Stream*> ready_;  // streams that have something to do without the kernel
  std::vector<Stream*> visiting_;

 private:
  friend class UringReactor;
  static constexpr int kPollsPerClockRead = 16;

  static constexpr int64_t kAcceptPauseUs = 100'000;

  struct AcceptTimer final : Timer {
    Reactor* reactor = nullptr;
    void on_timer(int64_t now_us) override;
  };

  void send_wake(Reactor* from);
  bool has_outside_work() const;
  bool busy_poll(int64_t start_us, int64_t limit_us);

  std::vector<SendBatch*> batch_pool_;
  AcceptTimer accept_timer_;
  std::vector<Acceptor*> backing_off_;
};

}  // namespace moon::io
