// Setting up a ring: which flags this kernel takes, and whether it can do what the reactor needs.
#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "base/assert.h"
#include "io/uring_reactor.h"

namespace moon::io {

namespace {

// Younger than the liburing headers that we build with.
constexpr unsigned kFeatureNoIowait = 1u << 17;  // IORING_FEAT_NO_IOWAIT, Linux 6.15
constexpr unsigned kEnterNoIowait = 1u << 7;     // IORING_ENTER_NO_IOWAIT

constexpr uint32_t kCompletionEntriesMin = 256;
constexpr int64_t kCheckLimitUs = 1'000'000;

pid_t thread_id() { return static_cast<pid_t>(syscall(SYS_gettid)); }

}  // namespace

std::unique_ptr<UringReactor> UringReactor::create_ring(const ReactorOptions& options,
                                                        int* error) {
  std::unique_ptr<UringReactor> reactor(new UringReactor(options));
  const int outcome = reactor->set_up();
  if (outcome == 0) return reactor;
  *error = -outcome;
  return nullptr;
}

UringReactor::~UringReactor() {
  if (!ring_exists_) return;
  // The kernel drops the index with the thread; another thread would drop one of its own.
  if (enter_fd_ != ring_.ring_fd && registered_by_ == thread_id()) {
    io_uring_rsrc_update update = {};
    update.offset = static_cast<unsigned>(enter_fd_);
    io_uring_register(static_cast<unsigned>(ring_.ring_fd), IORING_UNREGISTER_RING_FDS, &update, 1);
  }
  io_uring_queue_exit(&ring_);
}

int UringReactor::set_up() {
  if (event_fd_ < 0) return -errno;
  constexpr unsigned kAlways =
      IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP | IORING_SETUP_SUBMIT_ALL |
      IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_TASKRUN_FLAG;
  int outcome = -EINVAL;
  if (options_.defer_task_work) outcome = create_queues(kAlways | IORING_SETUP_DEFER_TASKRUN);
  deferred_ = outcome == 0;
  if (outcome == -EINVAL) outcome = create_queues(kAlways | IORING_SETUP_COOP_TASKRUN);
  if (outcome == -EINVAL) return -EOPNOTSUPP;  // the flags are as old as what we need
  if (outcome < 0) return outcome;
  ring_exists_ = true;
  constexpr unsigned kNeeded = IORING_FEAT_NODROP | IORING_FEAT_SUBMIT_STABLE |
                               IORING_FEAT_EXT_ARG | IORING_FEAT_CQE_SKIP | IORING_FEAT_FAST_POLL;
  if ((ring_.features & kNeeded) != kNeeded) return -EOPNOTSUPP;

  // Entries are submitted in the order in which they stand.
  for (unsigned i = 0; i < ring_.sq.ring_entries; ++i) ring_.sq.array[i] = i;
  register_ring();
  if ((ring_.features & kFeatureNoIowait) != 0) enter_flags_ |= kEnterNoIowait;
  outcome = buffers_.set_up(&ring_, options_.buffer_bytes, options_.buffers_initial,
                            options_.buffers_max);
  if (outcome < 0) return outcome;
  outcome = check_multishot_receive();
  if (outcome < 0) return outcome;
  arm_event_fd();
  return 0;
}

// Rings of users without privileges count against RLIMIT_MEMLOCK on older kernels.
int UringReactor::create_queues(unsigned flags) {
  uint32_t completions = std::max(options_.completion_entries, kCompletionEntriesMin);
  for (;;) {
    io_uring_params parameters = {};
    parameters.flags = flags;
    parameters.cq_entries = completions;
    const uint32_t submissions = std::min(options_.submission_entries, completions);
    const int outcome = io_uring_queue_init_params(submissions, &ring_, &parameters);
    if (outcome != -ENOMEM || completions <= kCompletionEntriesMin) return outcome;
    completions = std::max(completions / 2, kCompletionEntriesMin);
  }
}

// Saves the lookup of the descriptor in every call. Done by hand: liburing would undo it on
// whichever thread destroys the ring, to that thread's table.
void UringReactor::register_ring() {
  enter_fd_ = ring_.ring_fd;
  io_uring_rsrc_update update = {};
  update.offset = UINT32_MAX;
  update.data = static_cast<uint64_t>(ring_.ring_fd);
  const int count = io_uring_register(static_cast<unsigned>(ring_.ring_fd),
                                      IORING_REGISTER_RING_FDS, &update, 1);
  if (count != 1) return;
  enter_fd_ = static_cast<int>(update.offset);
  enter_flags_ |= IORING_ENTER_REGISTERED_RING;
  registered_by_ = thread_id();
}

// One byte through a socket pair: kernels before 6.0 and emulators refuse it here, not later.
int UringReactor::check_multishot_receive() {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) return -errno;
  io_uring_sqe* entry = next_entry();
  io_uring_prep_recv_multishot(entry, pair[0], nullptr, 0, 0);
  entry->flags |= IOSQE_BUFFER_SELECT;
  entry->buf_group = UringBuffers::kGroup;
  entry->user_data = kNothing;
  const char byte = 'm';
  int outcome = write(pair[1], &byte, 1) == 1 ? 0 : -errno;
  io_uring_cqe cqe = {};
  if (outcome == 0) outcome = wait_for_check(&cqe);
  ::close(pair[1]);
  if (outcome == 0) {
    constexpr unsigned kExpected = IORING_CQE_F_BUFFER | IORING_CQE_F_MORE;
    const bool works = cqe.res == 1 && (cqe.flags & kExpected) == kExpected;
    if (works) {
      buffers_.recycle(cqe.flags >> IORING_CQE_BUFFER_SHIFT);
      outcome = wait_for_check(&cqe);  // the end of the stream
    } else {
      outcome = -EOPNOTSUPP;
    }
  }
  ::close(pair[0]);
  return outcome;
}

int UringReactor::wait_for_check(io_uring_cqe* cqe) {
  if (!completions_waiting()) enter(1, kCheckLimitUs);
  if (!completions_waiting()) return -EOPNOTSUPP;
  const unsigned head = *ring_.cq.khead;
  *cqe = ring_.cq.cqes[head & ring_.cq.ring_mask];
  std::atomic_ref<unsigned>(*ring_.cq.khead).store(head + 1, std::memory_order_release);
  return 0;
}

}  // namespace moon::io
