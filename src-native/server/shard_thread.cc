#include "server/shard_thread.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "base/clock.h"
#include "io/cpu.h"

namespace moon::server {

namespace {

constexpr int64_t kTickUs = 1'000'000;
constexpr int64_t kUpkeepBudgetUs = 300;      // of one turn, for all owned slices together, for
                                              // each step of active-expire-effort
constexpr int64_t kExpiryStepUs = 1'000;      // a due deadline is looked at so soon at the earliest
constexpr int64_t kDrainLookUs = 10'000;      // while stopping gracefully

std::string json_number(const char* name, int64_t value) {
  return "\"" + std::string(name) + "\":" + std::to_string(value);
}

}  // namespace

ShardThread::ShardThread(dispatch::Engine& engine, uint32_t index,
                         const shard::ShardOptions& options)
    : engine_(engine), shard_(index, options, *engine.keyspace, engine.settings) {
  tick_.thread = this;
}

ShardThread::~ShardThread() { MOON_ASSERT(!thread_.joinable()); }

bool ShardThread::start(io::Driver driver, const io::ReactorOptions& options,
                        std::vector<ListenSocket> listeners, int cpu, std::string* why) {
  std::mutex mutex;
  std::condition_variable changed;
  int outcome = -1;  // -1 waiting, 0 failed, 1 running
  thread_ = std::thread([&, driver, options, cpu, sockets = std::move(listeners)] {
    if (cpu >= 0) io::pin_thread_to_cpu(cpu);
    const bool ready = set_up(driver, options, sockets, why);
    {
      std::lock_guard guard(mutex);
      outcome = ready ? 1 : 0;
      changed.notify_one();
    }
    if (!ready) return;
    loop();
    tear_down();
  });
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return outcome >= 0; });
  lock.unlock();
  if (outcome == 0) thread_.join();
  return outcome == 1;
}

bool ShardThread::set_up(io::Driver driver, const io::ReactorOptions& options,
                         const std::vector<ListenSocket>& listeners, std::string* why) {
  reactor_ = io::Reactor::create(driver, options, why);
  if (reactor_ == nullptr) return false;
  driver_ = reactor_->driver();
  reactor_->set_work_source(this);
  shard_.reactor = reactor_.get();
  network_ = std::make_unique<net::Network>(engine_, shard_, *reactor_);
  for (const ListenSocket& socket : listeners) network_->listen(socket.fd, socket.unix_socket);
  reactor_->arm_timer_after(tick_, kTickUs);
  return true;
}

void ShardThread::loop() {
  int64_t wait_us = 0;
  while (!stop_now_.load(std::memory_order_acquire)) {
    reactor_->turn(wait_us);
    shard_.poll();
    wait_us = upkeep();
    network_->flush();
    watch_for_stall();
    network_->end_turn();
    publish_reactor_stats();
    const uint64_t deadline = stop_deadline_ms_.load(std::memory_order_acquire);
    if (deadline == 0) continue;
    if (accepting_) network_->stop_listening();
    accepting_ = false;
    if (mono_ms() >= deadline || network_->drained()) break;
    wait_us = wait_us < 0 ? kDrainLookUs : std::min(wait_us, kDrainLookUs);
  }
}

// Tasks of this thread may wait at other threads and theirs here, so all threads go on serving
// the mesh until the last has nothing parked: Server joins them together.
void ShardThread::tear_down() {
  if (accepting_) network_->stop_listening();
  network_->close_all();
  closed_.store(true, std::memory_order_release);
  closed_.notify_all();
  bool last = false;
  do {
    last = may_end_.load(std::memory_order_acquire);  // calls posted before it are still served
    reactor_->turn(last ? 0 : kDrainLookUs);
    shard_.poll();
    network_->end_turn();
  } while (!last || !network_->gone());
  reactor_->cancel_timer(tick_);
}

void ShardThread::stop_gracefully(uint64_t deadline_ms) {
  stop_deadline_ms_.store(std::max<uint64_t>(deadline_ms, 1), std::memory_order_release);
  if (reactor_ != nullptr) reactor_->wake();
}

void ShardThread::stop_now() {
  stop_now_.store(true, std::memory_order_release);
  if (reactor_ != nullptr) reactor_->wake();
}

void ShardThread::wait_closed() {
  if (thread_.joinable()) closed_.wait(false, std::memory_order_acquire);
}

void ShardThread::allow_end() {
  may_end_.store(true, std::memory_order_release);
  if (reactor_ != nullptr) reactor_->wake();
}

void ShardThread::join() {
  if (thread_.joinable()) thread_.join();
}

// --- upkeep -----------------------------------------------------------------------------------

// Expiry, freeing of detached tables, for the slices this thread owns. Returns how long the
// reactor may sleep as far as upkeep is concerned.
int64_t ShardThread::upkeep() {
  store::Keyspace& keyspace = shard_.keyspace();
  int64_t wait_us = -1;
  auto look_again_in = [&](int64_t us) { wait_us = wait_us < 0 ? us : std::min(wait_us, us); };
  const Settings& settings = engine_.settings;
  int64_t budget_us = kUpkeepBudgetUs * settings.get(Setting::kActiveExpireEffort);
  // Other threads may have set nearer deadlines since.
  const int64_t look_us = 1'000'000 / settings.get(Setting::kHz);
  const bool expire = engine_.active_expire.load(std::memory_order_relaxed);
  for (uint32_t i = shard_.index; i < keyspace.slice_count(); i += shard_.shard_count()) {
    store::Slice& slice = keyspace.slice(i);
    const int64_t deadline = expire ? slice.next_deadline_ms() : store::Slice::kNoDeadline;
    if (!slice.upkeep_pending()) {
      if (deadline == store::Slice::kNoDeadline) continue;
      const int64_t due_in_ms = deadline - network_->now_ms();
      if (due_in_ms > 0) {
        look_again_in(std::min(due_in_ms * 1000, look_us));
        continue;
      }
    }
    if (budget_us <= 0) {
      look_again_in(0);
      continue;
    }
    if (!shard_.acquire(i)) {  // its holder may be long about it: no spinning
      look_again_in(kExpiryStepUs);
      continue;
    }
    const int64_t before = io::Reactor::clock_us();
    shard_.access.now_ms = network_->now_ms();
    shard_.access.origin = nullptr;
    if (slice.upkeep(shard_.access, static_cast<uint64_t>(budget_us), expire)) look_again_in(0);
    shard_.release(i);
    budget_us -= io::Reactor::clock_us() - before;
    look_again_in(kExpiryStepUs);
  }
  return wait_us;
}

void ShardThread::Tick::on_timer(int64_t now_us) {
  thread->network_->tick();
  thread->reactor_->trim();
  if (thread->shard_.index == 0) thread->engine_.sample(now_us / 1000);
  thread->reactor_->arm_timer_after(*this, kTickUs);
}

void ShardThread::watch_for_stall() {
  const int64_t now_us = io::Reactor::clock_us();
  last_turn_ms_.store(static_cast<uint64_t>(now_us / 1000), std::memory_order_relaxed);
  const int64_t busy_us = now_us - reactor_->now_us();
  shard_.counters.add(Counter::kLoopBusyNs, static_cast<uint64_t>(busy_us) * 1000);
  const int64_t busy_ms = busy_us / 1000;
  const int64_t threshold_ms = engine_.settings.get(Setting::kStallThresholdMs);
  if (threshold_ms == 0 || busy_ms < threshold_ms) return;
  shard_.counters.add(Counter::kStalls);
  engine_.control->event("stall", "{" + json_number("shard", shard_.index) + "," +
                                      json_number("ms", busy_ms) + "}");
}

void ShardThread::publish_reactor_stats() {
  const io::ReactorStats& now = reactor_->stats();
  shard_.counters.add(Counter::kLoopTurns, now.turns - published_.turns);
  shard_.counters.add(Counter::kSystemCalls, now.system_calls - published_.system_calls);
  published_ = now;
}

}  // namespace moon::server
