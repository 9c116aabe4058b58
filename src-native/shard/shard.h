// A shard thread: its reactor, its counters, its way to tokens and to the other threads.
//
// The token protocol (DESIGN §2): a command's thread tries the tokens of the slices it needs,
// spins briefly, and executes in place; when one stays busy, the command becomes a Task that is
// posted to the owner of the busy slice, and the thread goes on with other clients.
//
// Invariants:
// (1) everything except post(), post_external() and the counters is for the shard's own thread;
// (2) a thread holds tokens only while it executes commands: never while it sleeps or does I/O;
// (3) messages between two threads arrive in order, none is lost when a ring is full (the rest
//     waits in the sender's overflow queue).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "base/counters.h"
#include "base/ring.h"
#include "shard/slice_set.h"
#include "shard/task.h"
#include "store/access.h"
#include "store/keyspace.h"

namespace moon::io {
class Reactor;
}

namespace moon::shard {

inline constexpr uint32_t kMaxShards = 128;

// A message runs `deliver` on the receiving thread.
struct Message {
  void (*deliver)(Shard& receiver, void* argument);
  void* argument;
};

// How commands on foreign slices travel (cross-shard-fast-path, resolved).
enum class CrossShardPath : uint8_t { kInPlace, kMesh };

struct ShardOptions {
  uint32_t shard_count = 1;
  CrossShardPath path = CrossShardPath::kInPlace;
  int spins = 48;        // tries on a busy token before the command becomes a task
  uint64_t seed = 1;     // of random()
};

class Shard {
 public:
  Shard(uint32_t index, const ShardOptions& options, store::Keyspace& keyspace,
        const Settings& settings);
  ~Shard();
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  const uint32_t index;
  Counters counters;
  store::Access access;
  io::Reactor* reactor = nullptr;              // set by server/ before the thread runs
  const std::vector<Shard*>* peers = nullptr;  // all shards of the server, this one included
  void* thread_owner = nullptr;                // what a higher room hangs on this thread (net/)

  uint32_t shard_count() const { return shard_count_; }
  uint32_t owner_of(uint32_t slice) const { return slice % shard_count_; }
  bool owns(uint32_t slice) const { return owner_of(slice) == index; }
  CrossShardPath path() const { return path_; }
  store::Keyspace& keyspace() { return *access.keyspace; }

  // --- tokens ---------------------------------------------------------------------------------
  // Try, spin briefly. On false nothing is held.
  bool acquire(uint32_t slice) {
    return keyspace().slice(slice).token.try_acquire() || acquire_contended(slice);
  }
  bool acquire(const SliceSet& slices, uint32_t* busy_slice);
  void release(uint32_t slice) {
    store::TokenWaiter* waiter = keyspace().slice(slice).token.release();
    if (waiter != nullptr) grant(waiter);
  }
  void release(const SliceSet& slices);
  // Sends a task to the owner of `at_slice` (another thread or this one). Neither run() nor
  // finish() is called before submit() has returned.
  void submit(Task& task, uint32_t at_slice);

  // --- mesh -----------------------------------------------------------------------------------
  void post(Shard& receiver, Message message);  // from this shard's thread
  void post_external(Message message);          // from any other thread; wakes the shard
  uint32_t poll();                              // delivers what arrived; count of messages
  bool has_messages() const;                    // for the last look before sleeping

  uint64_t random();                            // per-thread generator, not for secrets

 private:
  using MessageRing = SpscRing<Message>;

  bool acquire_contended(uint32_t slice);
  void start(Task& task);                  // on the executor: take the next tokens, then run
  void grant(store::TokenWaiter* waiter);  // tells a task's executor that it got the token
  bool push(Shard& receiver, Message message);
  void notify(Shard& receiver);
  uint32_t flush_overflow();
  uint32_t drain_ring(uint32_t sender);
  uint32_t drain_external();

  static void deliver_start(Shard& receiver, void* task);
  static void deliver_finish(Shard& receiver, void* task);

  const uint32_t shard_count_;
  const CrossShardPath path_;
  const int spins_;
  uint64_t random_state_[2];

  std::deque<Message> local_;                            // to this thread itself
  std::array<std::deque<Message>*, kMaxShards> overflow_{};  // per receiver, null when unused
  uint32_t overflow_receivers_ = 0;                      // queues that are not empty

  // Rings from each sender to this shard, allocated by the sender at first use; a bit per sender
  // says that its ring has something.
  std::array<std::atomic<MessageRing*>, kMaxShards> inbound_{};
  alignas(64) std::array<std::atomic<uint64_t>, kMaxShards / 64> inbound_pending_{};

  alignas(64) std::mutex external_mutex_;
  std::vector<Message> external_;  // guarded by external_mutex_
  std::atomic<bool> external_pending_{false};
};

}  // namespace moon::shard
