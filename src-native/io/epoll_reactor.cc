#include "io/epoll_reactor.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "io/stream_state.h"

namespace moon::io {

namespace {
constexpr uint32_t kStreamEvents = EPOLLIN | EPOLLRDHUP | EPOLLET;
}

// ---- Set-up

std::unique_ptr<EpollReactor> EpollReactor::create_epoll(const ReactorOptions& options,
                                                         int* error) {
  std::unique_ptr<EpollReactor> reactor(new EpollReactor(options));
  *error = reactor->set_up();
  if (*error != 0) return nullptr;
  return reactor;
}

int EpollReactor::set_up() {
  if (event_fd_ < 0) return errno;
  epoll_fd_ = epoll_create1(EPOLL_CLOEXEC);
  if (epoll_fd_ < 0) return errno;
  void* memory = mmap(nullptr, options_.epoll_receive_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return ENOMEM;
  buffer_ = static_cast<char*>(memory);
  events_.resize(kEventsPerTurn);
  // Edge-triggered: every write to it is told once, nobody reads it.
  watch(EPOLL_CTL_ADD, event_fd_, EPOLLIN | EPOLLET, nullptr, kEventFd);
  return 0;
}

EpollReactor::~EpollReactor() {
  if (buffer_ != nullptr) munmap(buffer_, options_.epoll_receive_bytes);
  if (epoll_fd_ >= 0) ::close(epoll_fd_);
}

void EpollReactor::watch(int operation, int fd, uint32_t events, const void* pointer, Tag tag) {
  epoll_event event = {};
  event.events = events;
  event.data.u64 = reinterpret_cast<uint64_t>(pointer) | tag;
  ++stats_.system_calls;
  const int outcome = epoll_ctl(epoll_fd_, operation, fd, &event);
  // A descriptor that cannot be watched (no memory, /proc/sys/fs/epoll/max_user_watches) would hang
  // its client for ever; there is no state to go on from.
  MOON_ASSERT(outcome == 0);
}

void EpollReactor::trim() {
  if (std::exchange(touched_, false)) return;
  madvise(buffer_, options_.epoll_receive_bytes, MADV_DONTNEED);
}

// ---- The turn

bool EpollReactor::turn(int64_t max_wait_us) {
  if (run_finished()) {
    ++stats_.turns;
    return true;
  }
  const bool work_left = !ready_.empty() || event_next_ < event_count_;
  const Wait limit = begin_wait(max_wait_us, work_left);
  if (event_next_ == event_count_) {
    event_next_ = 0;
    event_count_ = wait(limit.limit_us);
  }
  bool worked = end_wait(limit);
  while (event_next_ < event_count_) {
    // By value, and counted first: a callback may close a stream and so edit what is left.
    const epoll_event event = events_[static_cast<size_t>(event_next_++)];
    worked |= happened(event);
  }
  worked |= visit_ready();
  const size_t fired = timers_.run_due(now_us_);
  stats_.timers_fired += fired;
  return worked || fired > 0;
}

bool EpollReactor::poll_driver() {
  if (event_next_ == event_count_) {
    event_next_ = 0;
    event_count_ = wait(0);
  }
  return event_count_ > 0;
}

int EpollReactor::wait(int64_t limit_us) {
  ++stats_.system_calls;
  int count = -1;
  if (has_pwait2_ && limit_us > 0) {
    timespec limit = {limit_us / 1'000'000, limit_us % 1'000'000 * 1000};
    // Not glibc's wrapper, which is newer than the oldest glibc that this must load with.
    count = static_cast<int>(syscall(SYS_epoll_pwait2, epoll_fd_, events_.data(), kEventsPerTurn,
                                     &limit, nullptr, size_t{0}));
    // Kernels before 5.11 lack it, and some seccomp profiles answer with EPERM.
    if (count < 0 && (errno == ENOSYS || errno == EPERM)) has_pwait2_ = false;
    else return std::max(count, 0);
  }
  const int64_t limit_ms = limit_us < 0 ? -1 : std::min<int64_t>((limit_us + 999) / 1000, INT_MAX);
  count = epoll_wait(epoll_fd_, events_.data(), kEventsPerTurn, static_cast<int>(limit_ms));
  MOON_ASSERT(count >= 0 || errno == EINTR);
  return std::max(count, 0);
}

bool EpollReactor::happened(const epoll_event& event) {
  const uint64_t data = event.data.u64;
  void* pointer = reinterpret_cast<void*>(data & ~static_cast<uint64_t>(kTagMask));
  switch (static_cast<Tag>(data & kTagMask)) {
    case kStream: {
      if (pointer == nullptr) return false;  // closed by a callback of this turn
      Stream& stream = *static_cast<Stream*>(pointer);
      if ((event.events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) {
        stream.flags_ |= Stream::kReadable;
        if ((event.events & ~(EPOLLIN | EPOLLOUT)) != 0) stream.flags_ |= Stream::kHangup;
        receive_some(stream);
      }
      if ((stream.flags_ & Stream::kWritePending) != 0 && !stream.is_closing()) try_send(stream);
      return true;
    }
    case kAcceptor:
      accept_some(*static_cast<Acceptor*>(pointer));
      return true;
    default:
      return false;
  }
}

// Delivers what ended since the last turn: sends, closed streams, listeners. True if there was any.
bool EpollReactor::run_finished() {
  if (finished_.empty() && closed_.empty() && unlistened_.empty()) return false;
  finishing_.clear();
  std::swap(finishing_, finished_);
  for (const FinishedSend& done : finishing_) {
    Stream& stream = *done.stream;
    end_send(stream);
    if (!stream.is_closing()) stream.on_sent(done.result);
  }
  detaching_.clear();
  std::swap(detaching_, closed_);
  for (Stream* stream : detaching_) {
    // A send that failed or finished while the callbacks above ran is still in finished_.
    std::erase_if(finished_, [&](const FinishedSend& done) { return done.stream == stream; });
    if ((stream->flags_ & Stream::kQueued) != 0) std::erase(ready_, stream);
    if (stream->is_sending()) end_send(*stream);
    stream->flags_ = 0;
    stream->fd_ = -1;
    stream->on_detached();
  }
  for (Acceptor* acceptor : std::exchange(unlistened_, {})) {
    acceptor->fd_ = -1;
    acceptor->flags_ = 0;
    acceptor->on_unlistened();
  }
  return true;
}

bool EpollReactor::visit_ready() {
  if (ready_.empty()) return false;
  visiting_.clear();
  std::swap(visiting_, ready_);
  for (Stream* stream : visiting_) {
    stream->flags_ &= ~Stream::kQueued;
    receive_some(*stream);
  }
  visiting_.clear();
  return true;
}

// ---- Listening

void EpollReactor::listen(int fd, Acceptor& acceptor) {
  MOON_ASSERT((acceptor.flags_ & Acceptor::kListening) == 0);
  acceptor.fd_ = fd;
  acceptor.flags_ = Acceptor::kListening;
  // Another reactor may have taken the connection that made it readable.
  MOON_ASSERT(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) == 0);
  watch(EPOLL_CTL_ADD, fd, EPOLLIN, &acceptor, kAcceptor);
}

void EpollReactor::listen_again(Acceptor& acceptor) {
  watch(EPOLL_CTL_MOD, acceptor.fd_, EPOLLIN, &acceptor, kAcceptor);
}

void EpollReactor::unlisten(Acceptor& acceptor) {
  MOON_ASSERT(acceptor.flags_ == Acceptor::kListening);
  acceptor.flags_ |= Acceptor::kClosing;
  stop_backing_off(acceptor);
  watch(EPOLL_CTL_DEL, acceptor.fd_, 0, nullptr, kAcceptor);
  ::close(acceptor.fd_);
  unlistened_.push_back(&acceptor);
}

void EpollReactor::accept_some(Acceptor& acceptor) {
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    if ((acceptor.flags_ & Acceptor::kClosing) != 0) return;
    ++stats_.system_calls;
    const int fd = accept4(acceptor.fd_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd >= 0) {
      ++stats_.accepts;
      acceptor.on_accept(fd);
      continue;
    }
    if (errno == EAGAIN) return;
    if (errno == EINTR || errno == ECONNABORTED || errno == EPROTO) continue;
    // Level-triggered, it would be reported again and again meanwhile.
    const int error = errno;
    watch(EPOLL_CTL_MOD, acceptor.fd_, 0, &acceptor, kAcceptor);
    back_off(acceptor, error);
    return;
  }
}

// ---- Receiving

void EpollReactor::attach(Stream& stream) {
  MOON_ASSERT(stream.flags_ == 0);
  stream.flags_ = Stream::kAttached;
  watch(EPOLL_CTL_ADD, stream.fd_, kStreamEvents, &stream, kStream);
}

void EpollReactor::pause_receive(Stream& stream) { stream.flags_ |= Stream::kPaused; }

void EpollReactor::resume_receive(Stream& stream) {
  if (!stream.is_paused()) return;
  stream.flags_ &= ~Stream::kPaused;
  if ((stream.flags_ & Stream::kReadable) != 0 && !stream.is_closing()) queue_ready(stream);
}

void EpollReactor::receive_some(Stream& stream) {
  for (int i = 0; i < kReceivesPerTurn; ++i) {
    constexpr uint32_t kStop = Stream::kPaused | Stream::kClosing | Stream::kEnded;
    if ((stream.flags_ & kStop) != 0 || (stream.flags_ & Stream::kReadable) == 0) return;
    if (!receive_once(stream)) stream.flags_ &= ~Stream::kReadable;
  }
  if ((stream.flags_ & Stream::kReadable) != 0) queue_ready(stream);
}

bool EpollReactor::receive_once(Stream& stream) {
  ++stats_.system_calls;
  const ssize_t count =
      recv(stream.fd_, buffer_, options_.epoll_receive_bytes, MSG_DONTWAIT);
  if (count > 0) {
    touched_ = true;
    ++stats_.receives;
    stats_.received_bytes += static_cast<uint64_t>(count);
    // Less than asked for: the socket is drained, what comes later is announced. Decided before the
    // callback, which may detach anything.
    const bool more = count == static_cast<ssize_t>(options_.epoll_receive_bytes) ||
                      (stream.flags_ & Stream::kHangup) != 0;
    stream.on_receive(std::span<char>(buffer_, static_cast<size_t>(count)));
    return more;
  }
  if (count < 0 && errno == EAGAIN) {
    return false;
  }
  if (count < 0 && errno == EINTR) return true;
  receive_end(stream, count == 0 ? 0 : errno);
  return false;
}

// ---- Sending

void EpollReactor::send(Stream& stream, std::span<const iovec> ranges) {
  begin_send(stream, ranges);
  try_send(stream);
}

ssize_t EpollReactor::send_once(Stream& stream) {
  ++stats_.system_calls;
  const int flags = MSG_DONTWAIT | MSG_NOSIGNAL;
  if (stream.batch_ != nullptr) return sendmsg(stream.fd_, stream.batch_->next_message(), flags);
  return ::send(stream.fd_, stream.send_base_, std::min(stream.send_bytes_left_, kSendBytesMax),
                flags);
}

void EpollReactor::try_send(Stream& stream) {
  ssize_t result = 0;
  for (;;) {
    const ssize_t count = send_once(stream);
    if (count >= 0) {
      if (!advance_send(stream, static_cast<size_t>(count))) continue;
      result = static_cast<ssize_t>(stream.send_bytes_total_);
      break;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) {
      result = -errno;
      break;
    }
    if ((stream.flags_ & Stream::kWritePending) != 0) return;
    stream.flags_ |= Stream::kWritePending;
    watch(EPOLL_CTL_MOD, stream.fd_, kStreamEvents | EPOLLOUT, &stream, kStream);
    return;
  }
  if ((stream.flags_ & Stream::kWritePending) != 0) {
    stream.flags_ &= ~Stream::kWritePending;
    watch(EPOLL_CTL_MOD, stream.fd_, kStreamEvents, &stream, kStream);
  }
  finished_.push_back({&stream, result});
}

// ---- Closing

void EpollReactor::close(Stream& stream) {
  MOON_ASSERT((stream.flags_ & (Stream::kAttached | Stream::kClosing)) == Stream::kAttached);
  stream.flags_ |= Stream::kClosing;
  // Closing removes it from the epoll set only if no duplicate of the descriptor is open.
  watch(EPOLL_CTL_DEL, stream.fd_, 0, nullptr, kStream);
  drop_events_of(reinterpret_cast<uint64_t>(&stream));
  ::close(stream.fd_);
  closed_.push_back(&stream);
}

// Events that were fetched but not looked at; a stream has at most one.
void EpollReactor::drop_events_of(uint64_t data) {
  for (int i = event_next_; i < event_count_; ++i) {
    epoll_event& event = events_[static_cast<size_t>(i)];
    if (event.data.u64 == data) event.data.u64 = 0;
  }
}

}  // namespace moon::io
