#include "io/reactor.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "io/epoll_reactor.h"
#include "io/probe.h"
#include "io/stream_state.h"
#include "io/uring_reactor.h"

namespace moon::io {

namespace {
void relax_cpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}
}  // namespace

const char* driver_name(Driver driver) {
  switch (driver) {
    case Driver::kAuto:
      return "auto";
    case Driver::kUring:
      return "io_uring";
    case Driver::kEpoll:
      return "epoll";
  }
  return "";
}

std::unique_ptr<Reactor> Reactor::create(Driver driver, const ReactorOptions& options,
                                         std::string* why) {
  why->clear();
  MOON_ASSERT(options.buffers_max <= 32768);
  MOON_ASSERT((options.buffers_max & (options.buffers_max - 1)) == 0);
  if (driver != Driver::kEpoll) {
    int error = 0;
    std::unique_ptr<Reactor> reactor = UringReactor::create_ring(options, &error);
    if (reactor != nullptr) return reactor;
    *why = explain_uring_error(error);
    if (driver == Driver::kUring) return nullptr;
    *why += "; using epoll";
  }
  int error = 0;
  std::unique_ptr<Reactor> reactor = EpollReactor::create_epoll(options, &error);
  if (reactor != nullptr) return reactor;
  *why = std::string("epoll cannot be set up: ") + strerror(error) +
         (error == EMFILE ? "; raise the limit of open files (ulimit -n)" : "");
  return nullptr;
}

Reactor::Reactor(const ReactorOptions& options)
    : options_(options), event_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), now_us_(clock_us()) {
  accept_timer_.reactor = this;
}

Reactor::~Reactor() {
  timers_.cancel(accept_timer_);
  for (SendBatch* batch : batch_pool_) delete batch;
  if (event_fd_ >= 0) ::close(event_fd_);
}

int64_t Reactor::clock_us() { return static_cast<int64_t>(mono_us()); }

// ---- Wake-ups

bool Reactor::wake(Reactor* from) {
  if (!gate_.claim()) return false;
  send_wake(from);
  return true;
}

bool Reactor::wake_if_sleeping(Reactor* from) {
  if (!gate_.claim_if_sleeping()) return false;
  send_wake(from);
  return true;
}

void Reactor::send_wake(Reactor* from) {
  if (from != nullptr && from != this && from->wake_by_ring(*this)) {
    ++from->stats_.wakes_ring;
    return;
  }
  wake_by_event_fd();
}

void Reactor::wake_by_event_fd() {
  // The counter is never read: the sleeper is told of each write. It cannot come near its limit.
  const uint64_t one = 1;
  ssize_t written;
  do {
    written = write(event_fd_, &one, sizeof one);
  } while (written < 0 && errno == EINTR);
  MOON_ASSERT(written == static_cast<ssize_t>(sizeof one));
}

bool Reactor::wake_by_ring(Reactor&) { return false; }

bool Reactor::has_outside_work() const {
  return gate_.is_called() || (work_source_ != nullptr && work_source_->has_work());
}

// ---- Waiting

Reactor::Wait Reactor::begin_wait(int64_t max_wait_us, bool work_left) {
  ++stats_.turns;
  Wait wait;
  const int64_t before_us = clock_us();
  stats_.busy_us_longest =
      std::max(stats_.busy_us_longest, static_cast<uint64_t>(before_us - now_us_));
  if (max_wait_us == 0 || work_left) return wait;
  int64_t limit_us = max_wait_us;
  const int64_t deadline_us = timers_.next_deadline_us();
  if (deadline_us != TimerHeap::kNever) {
    const int64_t until_us = std::max<int64_t>(deadline_us - before_us, 0);
    limit_us = limit_us < 0 ? until_us : std::min(limit_us, until_us);
  }
  if (limit_us == 0) return wait;
  if (options_.busy_poll_us > 0 && busy_poll(before_us, limit_us)) return wait;
  if (!gate_.announce()) return wait;
  wait.announced = true;
  if (work_source_ != nullptr && work_source_->has_work()) return wait;
  wait.limit_us = limit_us;
  ++stats_.sleeps;
  return wait;
}

bool Reactor::busy_poll(int64_t start_us, int64_t limit_us) {
  const int64_t stop_us =
      start_us + (limit_us < 0 ? options_.busy_poll_us
                               : std::min<int64_t>(limit_us, options_.busy_poll_us));
  do {
    for (int i = 0; i < kPollsPerClockRead; ++i) {
      if (has_outside_work() || poll_driver()) return true;
      relax_cpu();
    }
  } while (clock_us() < stop_us);
  return false;
}

bool Reactor::end_wait(const Wait& wait) {
  const bool called = wait.announced ? gate_.end() : gate_.end_if_called();
  now_us_ = clock_us();
  return called;
}

// ---- Listening

void Reactor::back_off(Acceptor& acceptor, int error) {
  backing_off_.push_back(&acceptor);
  arm_timer_after(accept_timer_, kAcceptPauseUs);
  acceptor.on_accept_error(error);
}

void Reactor::stop_backing_off(Acceptor& acceptor) { std::erase(backing_off_, &acceptor); }

void Reactor::AcceptTimer::on_timer(int64_t) {
  for (Acceptor* acceptor : std::exchange(reactor->backing_off_, {})) {
    reactor->listen_again(*acceptor);
  }
}

// ---- Streams: what both drivers do alike

void Reactor::queue_ready(Stream& stream) {
  if ((stream.flags_ & Stream::kQueued) != 0) return;
  stream.flags_ |= Stream::kQueued;
  ready_.push_back(&stream);
}

void Reactor::hold_input(Stream& stream, std::span<const char> bytes) {
  if (stream.held_ == nullptr) stream.held_ = new HeldInput;
  stream.held_->bytes.insert(stream.held_->bytes.end(), bytes.begin(), bytes.end());
}

void Reactor::receive_end(Stream& stream, int error) {
  stream.flags_ |= Stream::kEnded;
  if (stream.is_closing()) return;
  if (stream.is_paused() || stream.held_ != nullptr) {
    stream.flags_ |= Stream::kEndHeld;
    stream.end_error_ = error;
    return;
  }
  stream.on_end(error);
}

bool Reactor::deliver_held(Stream& stream) {
  bool delivered = false;
  if (stream.held_ != nullptr && !stream.is_paused() && !stream.is_closing()) {
    // Taken off the stream first: the callback may pause and more bytes may have to be held.
    std::unique_ptr<HeldInput> held(std::exchange(stream.held_, nullptr));
    stream.on_receive(std::span<char>(held->bytes.data(), held->bytes.size()));
    delivered = true;
  }
  if ((stream.flags_ & Stream::kEndHeld) != 0 && !stream.is_paused() && !stream.is_closing()) {
    stream.flags_ &= ~Stream::kEndHeld;
    stream.on_end(stream.end_error_);
    delivered = true;
  }
  return delivered;
}

void Reactor::forget_input(Stream& stream) {
  delete std::exchange(stream.held_, nullptr);
  stream.flags_ &= ~Stream::kEndHeld;
}

void Reactor::begin_send(Stream& stream, std::span<const iovec> ranges) {
  MOON_ASSERT((stream.flags_ & (Stream::kAttached | Stream::kSending | Stream::kClosing)) ==
              Stream::kAttached);
  size_t total = 0;
  for (const iovec& range : ranges) total += range.iov_len;
  MOON_ASSERT(total > 0);
  stream.flags_ |= Stream::kSending;
  stream.send_bytes_total_ = total;
  stream.send_bytes_left_ = total;
  ++stats_.sends;
  if (ranges.size() == 1) {
    stream.send_base_ = static_cast<const char*>(ranges[0].iov_base);
    return;
  }
  SendBatch* batch;
  if (batch_pool_.empty()) {
    batch = new SendBatch;
  } else {
    batch = batch_pool_.back();
    batch_pool_.pop_back();
  }
  batch->ranges.assign(ranges.begin(), ranges.end());
  batch->first = 0;
  stream.batch_ = batch;
}

bool Reactor::advance_send(Stream& stream, size_t count) {
  MOON_ASSERT(count <= stream.send_bytes_left_);
  stream.send_bytes_left_ -= count;
  if (stream.batch_ == nullptr) {
    stream.send_base_ += count;
  } else {
    stream.batch_->advance(count);
  }
  return stream.send_bytes_left_ == 0;
}

void Reactor::end_send(Stream& stream) {
  stats_.sent_bytes += stream.send_bytes_total_ - stream.send_bytes_left_;
  stream.flags_ &= ~Stream::kSending;
  stream.send_base_ = nullptr;
  if (stream.batch_ == nullptr) return;
  SendBatch* batch = std::exchange(stream.batch_, nullptr);
  if (batch_pool_.size() < kBatchPoolMax && batch->ranges.capacity() <= kBatchRangesKept) {
    batch_pool_.push_back(batch);
  } else {
    delete batch;
  }
}

}  // namespace moon::io
