#include "io/uring_reactor.h"

#include <errno.h>
#include <signal.h>
#include <sched.h>
#include <string.h>
#include <sys/poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/assert.h"
#include "io/stream_state.h"

namespace moon::io {

namespace {

template <typename T>
T load_acquire(T* word) {
  return std::atomic_ref<T>(*word).load(std::memory_order_acquire);
}
template <typename T>
void store_release(T* word, T value) {
  std::atomic_ref<T>(*word).store(value, std::memory_order_release);
}

constexpr int64_t kEpochUs = 2000;
constexpr int64_t kCallQuietUs = 1000;
constexpr uint32_t kGatherShare = 4;
constexpr uint32_t kGatherMax = 64;

bool is_transient_accept_error(int error) {
  return error == ECONNABORTED || error == EINTR || error == EAGAIN || error == EPROTO ||
         error == ECANCELED;
}

}  // namespace

// ---- Submitting and waiting

unsigned UringReactor::unsubmitted() const {
  return ring_.sq.sqe_tail - load_acquire(ring_.sq.khead);
}

bool UringReactor::completions_waiting() const {
  return load_acquire(ring_.cq.ktail) != *ring_.cq.khead;
}

// True if only the kernel can bring the completions that are due.
bool UringReactor::needs_enter() const {
  return (load_acquire(ring_.sq.kflags) & (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW)) != 0;
}

bool UringReactor::poll_driver() { return completions_waiting() || needs_enter(); }

void UringReactor::enter(unsigned wait_for, int64_t limit_us) {
  store_release(ring_.sq.ktail, ring_.sq.sqe_tail);
  __kernel_timespec limit = {};
  io_uring_getevents_arg argument = {};
  unsigned flags = enter_flags_ | IORING_ENTER_GETEVENTS;
  void* extra = nullptr;
  size_t extra_bytes = _NSIG / 8;
  if (wait_for > 0 && limit_us > 0) {
    limit.tv_sec = limit_us / 1'000'000;
    limit.tv_nsec = limit_us % 1'000'000 * 1000;
    argument.ts = reinterpret_cast<uint64_t>(&limit);
    flags |= IORING_ENTER_EXT_ARG;
    extra = &argument;
    extra_bytes = sizeof argument;
  }
  ++stats_.system_calls;
  const int outcome = io_uring_enter2(static_cast<unsigned>(enter_fd_), unsubmitted(), wait_for,
                                      flags, static_cast<sigset_t*>(extra), extra_bytes);
  // Out of memory or interrupted: what was not taken stays in the queue for the next turn.
  MOON_ASSERT(outcome >= 0 || outcome == -ETIME || outcome == -EINTR || outcome == -EAGAIN ||
              outcome == -EBUSY || outcome == -ENOMEM);
}

io_uring_sqe* UringReactor::next_entry() {
  while (unsubmitted() >= ring_.sq.ring_entries) {
    // Full: submit now. Completions that this makes are looked at in the next turn only, in order
    // with the inline sends.
    const unsigned before = unsubmitted();
    store_release(ring_.sq.ktail, ring_.sq.sqe_tail);
    ++stats_.system_calls;
    io_uring_enter2(static_cast<unsigned>(enter_fd_), before, 0, enter_flags_, nullptr, _NSIG / 8);
    if (unsubmitted() == before) sched_yield();  // the kernel is short of memory
  }
  return &ring_.sq.sqes[ring_.sq.sqe_tail++ & ring_.sq.ring_mask];
}

bool UringReactor::turn(int64_t max_wait_us) {
  if (options_.busy_poll_us > 0 && max_wait_us != 0 && unsubmitted() > 0) enter(0, 0);
  const bool work_left = !ready_.empty() || completions_waiting();
  const Wait wait = begin_wait(max_wait_us, work_left);
  if (wait.limit_us != 0) {
    wait_for_requests(wait.limit_us);
  } else if (unsubmitted() > 0 || needs_enter()) {
    enter(0, 0);
  }
  bool worked = end_wait(wait);
  if (worked) last_called_us_ = now_us_;
  worked |= reap();
  worked |= visit_ready();
  const size_t fired = timers_.run_due(now_us_);
  stats_.timers_fired += fired;
  return worked || fired > 0;
}

// Sleeps. With many clients at work the first of several requests that are on their way is not
// worth waking up for: then until some have come, or a moment has passed.
void UringReactor::wait_for_requests(int64_t limit_us) {
  const unsigned several = gather_target();
  if (several <= 1 || (limit_us > 0 && limit_us <= options_.gather_us)) {
    enter(1, limit_us);
    return;
  }
  enter(several, options_.gather_us);
  gather_failed_ = !completions_waiting();
}

// How many completions to wait for: a quarter of the clients that were at work lately. The other
// three quarters keep the clients' side busy meanwhile, so in a closed loop nobody waits for us.
unsigned UringReactor::gather_target() {
  if (options_.gather_us == 0) return 1;
  if (now_us_ >= epoch_end_us_) {
    active_before_ = now_us_ < epoch_end_us_ + kEpochUs ? active_now_ : 0;
    active_now_ = 0;
    ++epoch_;
    epoch_end_us_ = now_us_ + kEpochUs;
  }
  // A call from another thread would have to wait as well: not while they are frequent. And after a
  // moment in which nothing came, sleep until something does.
  if (gather_failed_ || now_us_ < last_called_us_ + kCallQuietUs) return 1;
  return std::min(std::max(active_before_, active_now_) / kGatherShare, kGatherMax);
}

// ---- Completions

// Looks at one turn's completions: those that were there when the wait ended. What is submitted
// from here on because the submission queue is full completes behind them.
bool UringReactor::reap() {
  const unsigned end = load_acquire(ring_.cq.ktail);
  bool worked = settle_inline_sends(end);
  buffers_used_ = 0;
  buffers_missed_ = 0;
  for (unsigned head = *ring_.cq.khead; head != end; ++head) {
    const io_uring_cqe cqe = ring_.cq.cqes[head & ring_.cq.ring_mask];
    store_release(ring_.cq.khead, head + 1);
    worked |= completed(cqe);
  }
  if (buffers_missed_ > 0) {
    stats_.buffers_exhausted += buffers_missed_;
    buffers_.grow(buffers_missed_);
  }
  buffers_.note_use(buffers_used_ + buffers_missed_);
  return worked;
}

// Sends that were submitted and left no completion up to `end` are done. One that failed or was cut
// short has left a completion: the kernel writes it before the submitting call returns, unless the
// completion ring overflowed; then nothing is known yet and the next turn decides.
bool UringReactor::settle_inline_sends(unsigned end) {
  if (inline_sends_.empty()) return false;
  for (unsigned at = *ring_.cq.khead; at != end; ++at) {
    const uint64_t data = ring_.cq.cqes[at & ring_.cq.ring_mask].user_data;
    if ((data & kTagMask) == kSend) pointee<Stream>(data).flags_ &= ~Stream::kInlineSend;
  }
  const bool certain = (load_acquire(ring_.sq.kflags) & IORING_SQ_CQ_OVERFLOW) == 0;
  const unsigned taken = load_acquire(ring_.sq.khead);
  settling_.clear();
  std::swap(settling_, inline_sends_);
  bool worked = false;
  for (const InlineSend& send : settling_) {
    Stream& stream = *send.stream;
    const bool submitted = static_cast<int>(taken - send.position) > 0;
    if ((stream.flags_ & Stream::kInlineSend) == 0) continue;
    if (!submitted || !certain) {
      // Sends queued by the callbacks below came later and stand behind.
      inline_sends_.push_back(send);
      continue;
    }
    stream.flags_ &= ~Stream::kInlineSend;
    --stream.in_flight_;
    stream.send_bytes_left_ = 0;
    finish_send(stream, static_cast<ssize_t>(stream.send_bytes_total_));
    worked = true;
  }
  return worked;
}

bool UringReactor::completed(const io_uring_cqe& cqe) {
  switch (static_cast<Tag>(cqe.user_data & kTagMask)) {
    case kReceive:
      received(pointee<Stream>(cqe.user_data), cqe.res, cqe.flags);
      return true;
    case kSend:
      sent(pointee<Stream>(cqe.user_data), cqe.res);
      return true;
    case kCloseStream:
      --pointee<Stream>(cqe.user_data).in_flight_;
      detach_if_idle(pointee<Stream>(cqe.user_data));
      return true;
    case kAccept:
      accepted(pointee<Acceptor>(cqe.user_data), cqe.res, cqe.flags);
      return true;
    case kCloseAcceptor:
      --pointee<Acceptor>(cqe.user_data).in_flight_;
      detach_if_idle(pointee<Acceptor>(cqe.user_data));
      return true;
    case kRingWake:
      // The target's ring took no message: its memory is short. Its eventfd always works.
      pointee<Reactor>(cqe.user_data).wake_by_event_fd();
      return false;
    case kEventFd:
      if ((cqe.flags & IORING_CQE_F_MORE) == 0) arm_event_fd();
      return false;
    default:
      return false;
  }
}

bool UringReactor::visit_ready() {
  if (ready_.empty()) return false;
  visiting_.clear();
  std::swap(visiting_, ready_);
  bool worked = false;
  for (Stream* stream : visiting_) {
    stream->flags_ &= ~Stream::kQueued;
    if (stream->is_closing()) {
      detach_if_idle(*stream);
      continue;
    }
    worked |= deliver_held(*stream);
    arm_receive_if_wanted(*stream);
  }
  visiting_.clear();
  return worked;
}

// ---- Listening

void UringReactor::listen(int fd, Acceptor& acceptor) {
  MOON_ASSERT((acceptor.flags_ & Acceptor::kListening) == 0);
  acceptor.fd_ = fd;
  acceptor.flags_ = Acceptor::kListening;
  listen_again(acceptor);
}

void UringReactor::listen_again(Acceptor& acceptor) {
  io_uring_sqe* entry = next_entry();
  io_uring_prep_multishot_accept(entry, acceptor.fd_, nullptr, nullptr, SOCK_CLOEXEC);
  entry->user_data = user_data(&acceptor, kAccept);
  ++acceptor.in_flight_;
}

void UringReactor::unlisten(Acceptor& acceptor) {
  MOON_ASSERT(acceptor.flags_ == Acceptor::kListening);
  acceptor.flags_ |= Acceptor::kClosing;
  stop_backing_off(acceptor);
  cancel(user_data(&acceptor, kAccept));
  queue_close(acceptor.fd_, user_data(&acceptor, kCloseAcceptor));
  ++acceptor.in_flight_;
}

void UringReactor::accepted(Acceptor& acceptor, int result, unsigned flags) {
  const bool armed = (flags & IORING_CQE_F_MORE) != 0;
  if (!armed) --acceptor.in_flight_;
  if ((acceptor.flags_ & Acceptor::kClosing) != 0) {
    if (result >= 0) ::close(result);
    detach_if_idle(acceptor);
    return;
  }
  const bool exhausted = result < 0 && !is_transient_accept_error(-result);
  if (!armed && !exhausted) listen_again(acceptor);
  if (result >= 0) {
    ++stats_.accepts;
    acceptor.on_accept(result);
  } else if (exhausted && armed) {
    acceptor.on_accept_error(-result);
  } else if (exhausted) {
    back_off(acceptor, -result);
  }
}

void UringReactor::detach_if_idle(Acceptor& acceptor) {
  if (acceptor.in_flight_ > 0 || (acceptor.flags_ & Acceptor::kClosing) == 0) return;
  acceptor.fd_ = -1;
  acceptor.flags_ = 0;
  acceptor.on_unlistened();
}

// ---- Receiving

void UringReactor::attach(Stream& stream) {
  MOON_ASSERT(stream.flags_ == 0);
  stream.flags_ = Stream::kAttached;
  arm_receive_if_wanted(stream);
}

void UringReactor::arm_receive_if_wanted(Stream& stream) {
  constexpr uint32_t kUnwanted =
      Stream::kReceiveArmed | Stream::kPaused | Stream::kClosing | Stream::kEnded;
  if ((stream.flags_ & kUnwanted) != 0) return;
  io_uring_sqe* entry = next_entry();
  io_uring_prep_recv_multishot(entry, stream.fd_, nullptr, 0, 0);
  entry->flags |= IOSQE_BUFFER_SELECT;
  entry->buf_group = UringBuffers::kGroup;
  entry->user_data = user_data(&stream, kReceive);
  stream.flags_ |= Stream::kReceiveArmed;
  ++stream.in_flight_;
}

void UringReactor::pause_receive(Stream& stream) { stream.flags_ |= Stream::kPaused; }

void UringReactor::resume_receive(Stream& stream) {
  if (!stream.is_paused()) return;
  stream.flags_ &= ~Stream::kPaused;
  if (stream.is_closing()) return;
  const bool held = stream.held_ != nullptr || (stream.flags_ & Stream::kEndHeld) != 0;
  if (held) {
    queue_ready(stream);
  } else {
    arm_receive_if_wanted(stream);
  }
}

void UringReactor::received(Stream& stream, int result, unsigned flags) {
  if ((flags & IORING_CQE_F_MORE) == 0) {
    stream.flags_ &= ~(Stream::kReceiveArmed | Stream::kCancelSent);
    --stream.in_flight_;
  }
  if ((flags & IORING_CQE_F_BUFFER) != 0) {
    const uint32_t id = flags >> IORING_CQE_BUFFER_SHIFT;
    ++buffers_used_;
    if (result > 0) deliver(stream, std::span<char>(buffers_.at(id), static_cast<size_t>(result)));
    buffers_.recycle(id);
  }
  if (result == -ENOBUFS) {
    ++buffers_missed_;
  } else if (result <= 0 && result != -ECANCELED && result != -EINTR && result != -EAGAIN) {
    receive_end(stream, -result);
  }
  if (stream.is_closing()) {
    detach_if_idle(stream);
    return;
  }
  if ((stream.flags_ & Stream::kReceiveArmed) == 0) {
    ++stats_.receives_rearmed;
    arm_receive_if_wanted(stream);
  }
}

void UringReactor::deliver(Stream& stream, std::span<char> bytes) {
  if (stream.is_closing()) return;
  ++stats_.receives;
  stats_.received_bytes += bytes.size();
  if (stream.active_epoch_ != epoch_) {
    stream.active_epoch_ = epoch_;
    ++active_now_;
  }
  gather_failed_ = false;
  if (!stream.is_paused() && stream.held_ == nullptr) {
    stream.on_receive(bytes);
    return;
  }
  hold_input(stream, bytes);
  if (stream.is_paused()) cancel_receive(stream);
}

// A paused stream stops receiving only when something does arrive: most pauses are over by then.
void UringReactor::cancel_receive(Stream& stream) {
  if ((stream.flags_ & (Stream::kReceiveArmed | Stream::kCancelSent)) != Stream::kReceiveArmed) {
    return;
  }
  stream.flags_ |= Stream::kCancelSent;
  cancel(user_data(&stream, kReceive));
}

void UringReactor::cancel(uint64_t target) {
  io_uring_sqe* entry = next_entry();
  io_uring_prep_cancel64(entry, target, 0);
  entry->flags |= IOSQE_CQE_SKIP_SUCCESS;
  entry->user_data = kNothing;
}

// ---- Sending

void UringReactor::send(Stream& stream, std::span<const iovec> ranges) {
  begin_send(stream, ranges);
  if (ranges.size() > kSendRangesMax || stream.send_bytes_total_ > kSendBytesMax) {
    prepare_send(stream, 0);  // more than one call's worth: "no completion" would not mean "all"
    return;
  }
  io_uring_sqe* entry = prepare_send(stream, MSG_DONTWAIT);
  entry->flags |= IOSQE_CQE_SKIP_SUCCESS;
  stream.flags_ |= Stream::kInlineSend;
  inline_sends_.push_back({&stream, ring_.sq.sqe_tail - 1});
}

io_uring_sqe* UringReactor::prepare_send(Stream& stream, int flags) {
  io_uring_sqe* entry = next_entry();
  flags |= MSG_NOSIGNAL | MSG_WAITALL;
  if (stream.batch_ == nullptr) {
    io_uring_prep_send(entry, stream.fd_, stream.send_base_,
                       std::min(stream.send_bytes_left_, kSendBytesMax), flags);
  } else {
    io_uring_prep_sendmsg(entry, stream.fd_, stream.batch_->next_message(),
                          static_cast<unsigned>(flags));
  }
  entry->user_data = user_data(&stream, kSend);
  ++stream.in_flight_;
  return entry;
}

void UringReactor::sent(Stream& stream, int result) {
  MOON_DASSERT((stream.flags_ & Stream::kInlineSend) == 0);
  --stream.in_flight_;
  if (result > 0 && advance_send(stream, static_cast<size_t>(result))) {
    finish_send(stream, static_cast<ssize_t>(stream.send_bytes_total_));
    return;
  }
  const bool goes_on = result > 0 || result == -EAGAIN || result == -EINTR;
  if (goes_on && !stream.is_closing()) {
    prepare_send(stream, 0);
    return;
  }
  finish_send(stream, result > 0 ? -ECANCELED : result);
}

void UringReactor::finish_send(Stream& stream, ssize_t result) {
  end_send(stream);
  if (stream.is_closing()) {
    detach_if_idle(stream);
  } else {
    stream.on_sent(result == 0 ? -EPIPE : result);
  }
}

// ---- Closing

void UringReactor::queue_close(int fd, uint64_t data) {
  io_uring_sqe* entry = next_entry();
  io_uring_prep_close(entry, fd);
  entry->user_data = data;
}

void UringReactor::close(Stream& stream) {
  MOON_ASSERT((stream.flags_ & (Stream::kAttached | Stream::kClosing)) == Stream::kAttached);
  stream.flags_ |= Stream::kClosing;
  forget_input(stream);
  if (stream.in_flight_ > 0) {
    // Entries are taken in order: a send that was queued still goes out, the receive and a send
    // that waits for the peer are cancelled, then the descriptor goes.
    io_uring_sqe* entry = next_entry();
    io_uring_prep_cancel_fd(entry, stream.fd_, IORING_ASYNC_CANCEL_ALL);
    entry->flags |= IOSQE_CQE_SKIP_SUCCESS;
    entry->user_data = kNothing;
  }
  queue_close(stream.fd_, user_data(&stream, kCloseStream));
  ++stream.in_flight_;
}

void UringReactor::detach_if_idle(Stream& stream) {
  if (stream.in_flight_ > 0 || !stream.is_closing()) return;
  if ((stream.flags_ & Stream::kQueued) != 0) return;  // visit_ready() comes back to it
  stream.flags_ = 0;
  stream.fd_ = -1;
  stream.on_detached();
}

// ---- Wake-ups and upkeep

bool UringReactor::wake_by_ring(Reactor& target) {
  if (target.driver() != Driver::kUring) return false;
  io_uring_sqe* entry = next_entry();
  io_uring_prep_msg_ring(entry, static_cast<UringReactor&>(target).ring_.ring_fd, 0, kNothing, 0);
  entry->flags |= IOSQE_CQE_SKIP_SUCCESS;
  entry->user_data = user_data(&target, kRingWake);
  return true;
}

// Every write to the eventfd gives one completion; nobody reads it.
void UringReactor::arm_event_fd() {
  io_uring_sqe* entry = next_entry();
  io_uring_prep_poll_multishot(entry, event_fd_, POLLIN);
  entry->user_data = kEventFd;
}

void UringReactor::trim() {
  // Without deferred completions a receive may land in a buffer while this runs.
  if (deferred_ && !completions_waiting() && !needs_enter()) buffers_.trim();
}

}  // namespace moon::io
