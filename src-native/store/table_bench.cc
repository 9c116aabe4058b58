// Micro-benchmark of the store: nanoseconds of lookups and writes, resident bytes per key, growth.
//
// Time is processor time of the thread.
//
//   table_bench [keys] [memory|time|steps]     default: 1000000 keys, all
//
// Each memory figure comes from a child process of its own, by /proc/self/status.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "store/keyspace.h"
#include "store/write_scope.h"

namespace moon::store {
namespace {

constexpr uint64_t kSeed = 42;
constexpr size_t kKeySize = 16;
constexpr size_t kBatch = 64;

// Of this thread: other work on the machine does not count.
uint64_t cpu_ns() { return detail::clock_ns(CLOCK_THREAD_CPUTIME_ID); }

struct World {
  explicit World(uint32_t slices) : keyspace(slices, 16, kSeed, settings) {
    for (uint32_t i = 0; i < slices; ++i) {
      if (!keyspace.slice(i).token.try_acquire()) std::abort();
    }
  }
  Settings settings;
  Counters counters;
  Keyspace keyspace;
  Access access{&keyspace, &settings, &counters, wall_ms(), nullptr};
};

void write_key(char* to, uint64_t number) {
  std::memcpy(to, "key:000000000000", kKeySize);
  for (char* at = to + kKeySize - 1; number != 0; number /= 10) *at-- = char('0' + number % 10);
}

uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

void set(World& world, std::string_view key, std::string_view value) {
  WriteScope scope(world.access, 0, world.keyspace.key_ref(key, 1));
  scope.set_text(value);
  scope.clear_deadline();
  scope.event(EventClass::kString, "set");
}

void fill(World& world, uint64_t keys, std::string_view value, bool with_deadline = false) {
  char key[kKeySize];
  for (uint64_t i = 0; i < keys; ++i) {
    write_key(key, i);
    WriteScope scope(world.access, 0, world.keyspace.key_ref({key, kKeySize}, 1));
    scope.set_text(value);
    if (with_deadline) scope.set_deadline(world.access.now_ms + 1000000 + int64_t(i));
    scope.event(EventClass::kString, "set");
  }
}

// ---- time --------------------------------------------------------------------------------------

struct Request {
  char key[kKeySize];
};

std::vector<Request> requests(uint64_t keys, size_t count, uint64_t offset) {
  std::vector<Request> made(count);
  for (size_t i = 0; i < count; ++i) {
    write_key(made[i].key, offset + mix(i + 1) % keys);
  }
  return made;
}

// The best of many short rounds: what the code costs when the machine leaves it alone.
template <typename Round>
double best_round(const std::vector<Request>& all, Round&& round) {
  constexpr size_t kRound = 16384;
  double best = 1e9;
  for (size_t first = 0; first + kRound <= all.size(); first += kRound) {
    uint64_t begin = cpu_ns();
    round(all.data() + first, kRound);
    best = std::min(best, double(cpu_ns() - begin) / double(kRound));
  }
  return best;
}

// As dispatch does it: hash and prefetch a batch, then execute it.
template <typename Execute>
double batched(World& world, const std::vector<Request>& all, Execute&& execute) {
  return best_round(all, [&](const Request* round, size_t count) {
    KeyRef refs[kBatch];
    for (size_t first = 0; first < count; first += kBatch) {
      for (size_t i = 0; i < kBatch; ++i) {
        refs[i] = world.keyspace.key_ref({round[first + i].key, kKeySize}, 1);
        world.keyspace.prefetch(0, refs[i]);
      }
      for (const KeyRef& ref : refs) world.keyspace.slice(ref.slice).prefetch_entry(0, ref.hash);
      for (const KeyRef& ref : refs) execute(ref);
    }
  });
}

template <typename Execute>
double single(World& world, const std::vector<Request>& all, Execute&& execute) {
  return best_round(all, [&](const Request* round, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      execute(world.keyspace.key_ref({round[i].key, kKeySize}, 1));
    }
  });
}

void time_all(uint64_t keys, uint32_t slices) {
  World world(slices);
  std::string value(32, 'v');
  uint64_t begin = cpu_ns();
  fill(world, keys, value);
  double insert = double(cpu_ns() - begin) / double(keys);

  const size_t count = 2000000;
  std::vector<Request> hits = requests(keys, count, 0);
  std::vector<Request> absent = requests(keys, count, 100000000000);
  uint64_t sum = 0;
  auto get = [&](const KeyRef& ref) {
    const Entry* entry = find_read(world.access, 0, ref);
    DigitBuffer digits;
    if (entry != nullptr) sum += static_cast<uint8_t>(entry->text(digits)[0]);
  };
  auto overwrite = [&](const KeyRef& ref) {
    WriteScope scope(world.access, 0, ref);
    scope.set_text(value);
    scope.clear_deadline();
    scope.event(EventClass::kString, "set");
  };
  auto expire = [&](const KeyRef& ref) {
    WriteScope scope(world.access, 0, ref);
    scope.set_deadline(world.access.now_ms + 1000000 + int64_t(ref.hash & 0xffff));
    scope.event(EventClass::kGeneric, "expire");
  };
  auto replace = [&](const KeyRef& ref) {
    {
      WriteScope scope(world.access, 0, ref);
      scope.remove();
      scope.event(EventClass::kGeneric, "del");
    }
    overwrite(ref);
  };
  std::printf("%8" PRIu64 " keys, %u slices: insert %.0f ns\n", keys, slices, insert);
  auto row = [&](const char* name, const std::vector<Request>& all, auto&& execute) {
    double one = single(world, all, execute);
    std::printf("  %-12s %6.1f ns, batched %6.1f ns\n", name, one, batched(world, all, execute));
  };
  row("GET", hits, get);
  double compares = double(world.counters.get(Counter::kKeyComparesHit)) /
                    double(world.counters.get(Counter::kLookupsHit));
  uint64_t misses_before = world.counters.get(Counter::kLookupsMiss);
  uint64_t compares_before = world.counters.get(Counter::kKeyComparesMiss);
  row("GET miss", absent, get);
  std::printf("  compares: %.4f a hit, %.4f a miss\n", compares,
              double(world.counters.get(Counter::kKeyComparesMiss) - compares_before) /
                  double(world.counters.get(Counter::kLookupsMiss) - misses_before));
  row("SET over", hits, overwrite);
  row("DEL+SET", hits, replace);
  row("EXPIRE", hits, expire);
  if (sum == 0) std::abort();
}

// ---- memory ------------------------------------------------------------------------------------

uint64_t status_kb(const char* field) {
  FILE* file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) std::abort();
  char line[256];
  uint64_t value = 0;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    if (std::strncmp(line, field, std::strlen(field)) != 0) continue;
    value = std::strtoull(line + std::strlen(field) + 1, nullptr, 10);
  }
  std::fclose(file);
  return value;
}

template <typename Body>
void in_child(Body&& body) {
  std::fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    body();
    std::fflush(stdout);
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
}

void memory_of(uint64_t keys, uint32_t slices, size_t value_size, bool with_deadline) {
  in_child([&] {
    uint64_t before = status_kb("VmRSS:");
    World world(slices);
    fill(world, keys, std::string(value_size, 'v'), with_deadline);
    uint64_t after = status_kb("VmRSS:");
    uint64_t peak = status_kb("VmHWM:");
    uint64_t tables = 0, slots = 0;
    for (uint32_t i = 0; i < slices; ++i) {
      tables += world.keyspace.slice(i).ledger().tables;
      slots += world.keyspace.slice(i).table(0)->slot_count();
    }
    double n = double(keys);
    std::printf("  value %4zu%s: %7.1f B/key resident, ledger %7.1f, table %.1f (load %.2f), "
                "peak/final %.3f\n",
                value_size, with_deadline ? "+TTL" : "    ", double(after - before) * 1024 / n,
                double(world.keyspace.used_memory()) / n, double(tables) / n, n / double(slots),
                double(peak - before) / double(after - before));
  });
}

void growth_of(uint64_t keys) {
  in_child([&] {
    World world(1);
    double least = 1, most = 0, sum = 0;
    uint64_t samples = 0;
    char key[kKeySize];
    for (uint64_t i = 0; i < keys; ++i) {
      write_key(key, i);
      set(world, {key, kKeySize}, "12345678");
      if (i < keys / 4 || i % 997 != 0) continue;
      double load = double(i) / double(world.keyspace.slice(0).table(0)->slot_count());
      least = std::min(least, load);
      most = std::max(most, load);
      sum += load;
      ++samples;
    }
    std::printf("  load from %" PRIu64 " to %" PRIu64 " keys: least %.3f, mean %.3f, most %.3f\n",
                keys / 4, keys, least, sum / double(samples), most);
  });
}

void idle_of(uint32_t slices) {
  in_child([&] {
    uint64_t before = status_kb("VmRSS:");
    auto world = std::make_unique<World>(slices);
    uint64_t after = status_kb("VmRSS:");
    std::printf("  idle: %" PRIu64 " bytes a slice (of %u), sizeof(Slice) %zu\n",
                (after - before) * 1024 / slices, slices, sizeof(Slice));
  });
}

// ---- steps -------------------------------------------------------------------------------------

void longest_steps(uint64_t keys) {
  World world(1);
  Slice& slice = world.keyspace.slice(0);
  char key[kKeySize];
  uint64_t longest = 0;
  for (uint64_t i = 0; i < keys; ++i) {
    write_key(key, i);
    uint64_t begin = cpu_ns();
    set(world, {key, kKeySize}, "12345678");
    longest = std::max(longest, cpu_ns() - begin);
  }
  std::printf("longest insert of %" PRIu64 ": %" PRIu64 " us\n", keys, longest / 1000);
  for (uint64_t i = 0; i < keys; i += 2) {
    write_key(key, i);
    WriteScope scope(world.access, 0, world.keyspace.key_ref({key, kKeySize}, 1));
    scope.set_deadline(world.access.now_ms + 1 + int64_t(i % 1000));
    scope.event(EventClass::kGeneric, "expire");
  }
  world.access.now_ms += 5000;
  uint64_t begin_all = cpu_ns(), steps = 0;
  longest = 0;
  for (bool more = true; more; ++steps) {
    uint64_t begin = cpu_ns();
    more = slice.upkeep(world.access, 200);
    longest = std::max(longest, cpu_ns() - begin);
  }
  std::printf("expiry of %" PRIu64 ": %.0f ns a key, %" PRIu64 " steps, longest %" PRIu64 " us\n",
              keys / 2, double(cpu_ns() - begin_all) / double(keys / 2), steps, longest / 1000);
  begin_all = cpu_ns();
  world.keyspace.flush_all(world.access);
  uint64_t detach = cpu_ns() - begin_all;
  longest = 0;
  while (slice.upkeep_pending()) {
    uint64_t begin = cpu_ns();
    slice.drain_step(world.access);
    longest = std::max(longest, cpu_ns() - begin);
  }
  std::printf("flush: detached in %" PRIu64 " us, drained in %" PRIu64 " ms, longest step %" PRIu64
              " us; ledger %" PRIu64 "\n",
              detach / 1000, (cpu_ns() - begin_all) / 1000000, longest / 1000,
              world.keyspace.used_memory());
}

int run(int argc, char** argv) {
  uint64_t keys = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000;
  std::string_view what = argc > 2 ? argv[2] : "all";
  if (what == "all" || what == "memory") {
    std::printf("memory, %" PRIu64 " keys of %zu bytes\n", keys, kKeySize);
    idle_of(64);
    for (size_t size : {8, 32, 64, 256, 1024}) memory_of(keys, 1, size, false);
    memory_of(keys, 1, 8, true);
    memory_of(keys, 8, 8, false);
    growth_of(keys);
  }
  if (what == "all" || what == "time") {
    time_all(100000, 1);
    time_all(keys, 1);
    time_all(keys, 8);
  }
  if (what == "all" || what == "steps") longest_steps(keys);
  return 0;
}

}  // namespace
}  // namespace moon::store

int main(int argc, char** argv) { return moon::store::run(argc, argv); }
