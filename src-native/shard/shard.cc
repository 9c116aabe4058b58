#include "shard/shard.h"

#include <algorithm>
#include <bit>

#include "base/assert.h"
#include "io/reactor.h"

namespace moon::shard {

namespace {

void pause_cpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Depth of a ring between two threads: the mesh is quadratic in threads, so each ring shrinks as
// they grow in number.
uint32_t ring_depth(uint32_t shards) {
  uint32_t depth = 2048 / shards;
  depth = std::clamp(depth, 32u, 256u);
  return std::bit_floor(depth);
}

uint64_t split_mix(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

Shard::Shard(uint32_t shard_index, const ShardOptions& options, store::Keyspace& keyspace,
             const Settings& settings)
    : index(shard_index),
      shard_count_(options.shard_count),
      path_(options.path),
      spins_(options.spins) {
  MOON_ASSERT(shard_count_ >= 1 && shard_count_ <= kMaxShards);
  access.keyspace = &keyspace;
  access.settings = &settings;
  access.counters = &counters;
  access.now_ms = 0;
  access.origin = nullptr;
  uint64_t seed = options.seed + index;
  random_state_[0] = split_mix(&seed);
  random_state_[1] = split_mix(&seed) | 1;
}

Shard::~Shard() {
  for (auto& ring : inbound_) delete ring.load(std::memory_order_relaxed);
  for (auto* queue : overflow_) delete queue;
}

// xoroshiro128+ (Blackman, Vigna: "Scrambled linear pseudorandom number generators", 2018).
uint64_t Shard::random() {
  uint64_t a = random_state_[0];
  uint64_t b = random_state_[1];
  uint64_t result = a + b;
  b ^= a;
  random_state_[0] = std::rotl(a, 24) ^ b ^ (b << 16);
  random_state_[1] = std::rotl(b, 37);
  return result;
}

// --- tokens -----------------------------------------------------------------------------------

bool Shard::acquire_contended(uint32_t slice) {
  store::Token& token = keyspace().slice(slice).token;
  counters.add(Counter::kTokenContended);
  for (int spin = 0; spin < spins_; ++spin) {
    pause_cpu();
    if (token.try_acquire()) return true;
  }
  return false;
}

bool Shard::acquire(const SliceSet& slices, uint32_t* busy_slice) {
  for (uint32_t slice = slices.first(); slice != SliceSet::kEnd; slice = slices.next(slice + 1)) {
    if (acquire(slice)) continue;
    *busy_slice = slice;
    for (uint32_t held = slices.first(); held != slice; held = slices.next(held + 1)) {
      release(held);
    }
    return false;
  }
  return true;
}

void Shard::release(const SliceSet& slices) {
  for (uint32_t slice = slices.first(); slice != SliceSet::kEnd; slice = slices.next(slice + 1)) {
    release(slice);
  }
}

// The waiter's task holds the token from here on; its executor only has to hear of it.
void Shard::grant(store::TokenWaiter* waiter) {
  auto* task = static_cast<Task*>(waiter);
  task->next_slice += 1;
  post(*task->executor, {&Shard::deliver_start, task});
}

void Shard::submit(Task& task, uint32_t at_slice) {
  task.home = this;
  task.executor = (*peers)[owner_of(at_slice)];
  task.next_slice = task.slices.first();
  counters.add(Counter::kTotalDispatchCrossSpsc);
  counters.add(Counter::kTotalRemoteAwaitsParked);
  post(*task.executor, {&Shard::deliver_start, &task});
}

void Shard::start(Task& task) {
  while (true) {
    uint32_t slice = task.slices.next(task.next_slice);
    if (slice == SliceSet::kEnd) break;
    task.next_slice = slice;
    // Once queued, another thread may grant and move the task on: do not touch it any more.
    if (!keyspace().slice(slice).token.acquire_or_enqueue(&task)) return;
    task.next_slice = slice + 1;
  }
  task.run(task, *this);
  release(task.slices);
  post(*task.home, {&Shard::deliver_finish, &task});
}

void Shard::deliver_start(Shard& receiver, void* task) {
  receiver.start(*static_cast<Task*>(task));
}

void Shard::deliver_finish(Shard& receiver, void* task) {
  auto* finished = static_cast<Task*>(task);
  finished->finish(*finished, receiver);
}

// --- mesh -------------------------------------------------------------------------------------

void Shard::post(Shard& receiver, Message message) {
  if (&receiver == this) {
    local_.push_back(message);
    return;
  }
  std::deque<Message>*& overflow = overflow_[receiver.index];
  if ((overflow != nullptr && !overflow->empty()) || !push(receiver, message)) {
    if (overflow == nullptr) overflow = new std::deque<Message>;
    if (overflow->empty()) ++overflow_receivers_;
    overflow->push_back(message);
  }
  notify(receiver);
}

bool Shard::push(Shard& receiver, Message message) {
  std::atomic<MessageRing*>& slot = receiver.inbound_[index];
  MessageRing* ring = slot.load(std::memory_order_relaxed);
  if (ring == nullptr) {
    ring = new MessageRing(ring_depth(shard_count_));
    slot.store(ring, std::memory_order_release);
  }
  if (!ring->push(message)) return false;
  receiver.inbound_pending_[index / 64].fetch_or(uint64_t{1} << (index % 64),
                                                 std::memory_order_release);
  return true;
}

void Shard::notify(Shard& receiver) {
  if (receiver.reactor->wake_if_sleeping(reactor)) counters.add(Counter::kSpscNotifyWakes);
}

void Shard::post_external(Message message) {
  {
    std::lock_guard guard(external_mutex_);
    external_.push_back(message);
    external_pending_.store(true, std::memory_order_release);
  }
  reactor->wake_if_sleeping(nullptr);
}

bool Shard::has_messages() const {
  if (!local_.empty() || overflow_receivers_ != 0) return true;
  if (external_pending_.load(std::memory_order_acquire)) return true;
  for (const auto& word : inbound_pending_) {
    if (word.load(std::memory_order_acquire) != 0) return true;
  }
  return false;
}

uint32_t Shard::poll() {
  uint32_t count = overflow_receivers_ != 0 ? flush_overflow() : 0;
  for (size_t i = 0; i < inbound_pending_.size(); ++i) {
    if (inbound_pending_[i].load(std::memory_order_relaxed) == 0) continue;
    uint64_t senders = inbound_pending_[i].exchange(0, std::memory_order_acquire);
    while (senders != 0) {
      uint32_t sender = static_cast<uint32_t>(i * 64 + std::countr_zero(senders));
      senders &= senders - 1;
      count += drain_ring(sender);
    }
  }
  if (external_pending_.load(std::memory_order_relaxed)) count += drain_external();
  // What a local message posts to this thread runs in the next poll: one pass stays bounded.
  for (size_t left = local_.size(); left > 0; --left, ++count) {
    Message message = local_.front();
    local_.pop_front();
    message.deliver(*this, message.argument);
  }
  return count;
}

uint32_t Shard::drain_ring(uint32_t sender) {
  MessageRing* ring = inbound_[sender].load(std::memory_order_acquire);
  uint32_t count = 0;
  Message message;
  while (ring->pop(&message)) {
    message.deliver(*this, message.argument);
    ++count;
  }
  return count;
}

uint32_t Shard::drain_external() {
  std::vector<Message> messages;
  {
    std::lock_guard guard(external_mutex_);
    messages.swap(external_);
    external_pending_.store(false, std::memory_order_relaxed);
  }
  for (const Message& message : messages) message.deliver(*this, message.argument);
  return static_cast<uint32_t>(messages.size());
}

uint32_t Shard::flush_overflow() {
  uint32_t count = 0;
  for (uint32_t receiver = 0; receiver < shard_count_; ++receiver) {
    std::deque<Message>* queue = overflow_[receiver];
    if (queue == nullptr || queue->empty()) continue;
    Shard& target = *(*peers)[receiver];
    while (!queue->empty() && push(target, queue->front())) {
      queue->pop_front();
      ++count;
    }
    if (queue->empty()) --overflow_receivers_;
    if (count > 0) notify(target);
  }
  return count;
}

}  // namespace moon::shard
