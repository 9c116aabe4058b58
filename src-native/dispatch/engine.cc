#include "dispatch/engine.h"

namespace moon::dispatch {

uint64_t Engine::used_memory() const {
  return keyspace->used_memory() + counters.total(Counter::kClientMemory);
}

void Engine::count_error(uint32_t shard, std::string_view code) {
  ErrorStats& errors = stats[shard]->errors;
  std::lock_guard guard(errors.mutex);
  auto found = errors.counts.find(code);
  if (found != errors.counts.end()) {
    ++found->second;
  } else if (errors.counts.size() < ErrorStats::kCodesMax) {
    errors.counts.emplace(code, 1);
  }
}

void Engine::sample(int64_t mono_ms) {
  const uint64_t used = used_memory();
  if (used > peak_memory.load(std::memory_order_relaxed)) {
    peak_memory.store(used, std::memory_order_relaxed);
  }
  Sample now{mono_ms, counters.total(Counter::kTotalCommandsProcessed),
             counters.total(Counter::kTotalNetInputBytes),
             counters.total(Counter::kTotalNetOutputBytes),
             counters.total(Counter::kLoopTurns),
             counters.total(Counter::kLoopBusyNs)};
  const int64_t elapsed = mono_ms - last_sample_.mono_ms;
  auto per_second = [&](uint64_t current, uint64_t before) {
    // CONFIG RESETSTAT sets the totals back.
    if (elapsed <= 0 || current < before) return uint64_t{0};
    return (current - before) * 1000 / static_cast<uint64_t>(elapsed);
  };
  if (last_sample_.mono_ms != 0) {
    rates.commands = per_second(now.commands, last_sample_.commands);
    rates.input_bytes = per_second(now.input_bytes, last_sample_.input_bytes);
    rates.output_bytes = per_second(now.output_bytes, last_sample_.output_bytes);
    rates.loop_turns = per_second(now.loop_turns, last_sample_.loop_turns);
    rates.loop_busy_ns = per_second(now.loop_busy_ns, last_sample_.loop_busy_ns);
  }
  last_sample_ = now;
}

// The threads go on counting meanwhile: a command that ends just now may be lost to either side.
void Engine::reset_stats() {
  counters.reset();
  for (const auto& shard : stats) {
    for (size_t i = 0; i < kCommandCount; ++i) {
      CommandStat& stat = shard->commands[i];
      stat.calls = 0;
      stat.ticks = 0;
      stat.rejected = 0;
      stat.failed = 0;
      auto* latency = stat.latency.load(std::memory_order_acquire);
      if (latency == nullptr) continue;
      for (auto& bucket : *latency) bucket = 0;
    }
    std::lock_guard guard(shard->errors.mutex);
    shard->errors.counts.clear();
  }
}

}  // namespace moon::dispatch
