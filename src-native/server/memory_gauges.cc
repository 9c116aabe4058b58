// INFO memory. used_memory is what the ledger charges for the keyspace plus clients' buffers; the
// process around it (the host program's JavaScript included) shows in used_memory_rss only.
#include <malloc.h>
#include <unistd.h>

#include <cstdio>

#include "dispatch/engine.h"
#include "server/gauges.h"

namespace moon::server {

namespace {

using dispatch::Engine;

Engine& engine_of(void* server) { return *static_cast<Engine*>(server); }

void append(std::string& out, uint64_t value) { out += std::to_string(value); }

void append_signed(std::string& out, int64_t value) { out += std::to_string(value); }

void append_ratio(std::string& out, uint64_t part, uint64_t whole) {
  char text[40];
  const double ratio =
      whole == 0 ? 1.0 : static_cast<double>(part) / static_cast<double>(whole);
  std::snprintf(text, sizeof text, "%.2f", ratio);
  out += text;
}

void append_percent(std::string& out, uint64_t part, uint64_t whole) {
  char text[40];
  const double percent =
      whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  std::snprintf(text, sizeof text, "%.2f%%", percent);
  out += text;
}

uint64_t resident_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  unsigned long pages_total = 0;
  unsigned long pages_resident = 0;
  const int read = std::fscanf(file, "%lu %lu", &pages_total, &pages_resident);
  std::fclose(file);
  return read == 2 ? pages_resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

uint64_t peak(Engine& engine) {
  return std::max(engine.used_memory(), engine.peak_memory.load(std::memory_order_relaxed));
}

// What is not keys and values: tables, and buffers of clients.
uint64_t overhead(Engine& engine) {
  uint64_t tables = 0;
  for (uint32_t i = 0; i < engine.keyspace->slice_count(); ++i) {
    tables += engine.keyspace->slice(i).ledger().tables;
  }
  return tables + engine.counters.total(Counter::kClientMemory);
}

uint64_t dataset(Engine& engine) {
  const uint64_t used = engine.used_memory();
  const uint64_t rest = overhead(engine);
  return used > rest ? used - rest : 0;
}

// What the process holds of the system's memory for data: the heap of malloc and the slabs.
struct Heap {
  uint64_t allocated;
  uint64_t active;
};

Heap heap_of(Engine& engine) {
  const struct mallinfo2 info = mallinfo2();
  uint64_t slabs = 0;  // entries and tables; large strings are malloc's already
  for (uint32_t i = 0; i < engine.keyspace->slice_count(); ++i) {
    const store::Ledger& ledger = engine.keyspace->slice(i).ledger();
    slabs += ledger.entries + ledger.tables;
  }
  return {info.uordblks + info.hblkhd + slabs, info.arena + info.hblkhd + slabs};
}

void add_used(GaugeRegistry& registry) {
  registry.add("used_memory",
               [](void* s, std::string& out) { append(out, engine_of(s).used_memory()); });
  registry.add("used_memory_rss",
               [](void*, std::string& out) { append(out, resident_bytes()); });
  registry.add("used_memory_peak",
               [](void* s, std::string& out) { append(out, peak(engine_of(s))); });
  registry.add("used_memory_peak_perc", [](void* s, std::string& out) {
    append_percent(out, engine_of(s).used_memory(), peak(engine_of(s)));
  });
  registry.add("used_memory_overhead",
               [](void* s, std::string& out) { append(out, overhead(engine_of(s))); });
  registry.add("used_memory_startup",
               [](void* s, std::string& out) { append(out, engine_of(s).startup_memory); });
  registry.add("used_memory_dataset",
               [](void* s, std::string& out) { append(out, dataset(engine_of(s))); });
  registry.add("used_memory_dataset_perc", [](void* s, std::string& out) {
    Engine& engine = engine_of(s);
    const uint64_t used = engine.used_memory();
    const uint64_t net = used > engine.startup_memory ? used - engine.startup_memory : 0;
    append_percent(out, std::min(dataset(engine), net), net);
  });
  registry.add("total_system_memory",
               [](void* s, std::string& out) { append(out, engine_of(s).facts.memory_limit); });
}

void add_allocator(GaugeRegistry& registry) {
  registry.add("mem_allocator", [](void*, std::string& out) { out += "slab+libc"; });
  registry.add("allocator_allocated",
               [](void* s, std::string& out) { append(out, heap_of(engine_of(s)).allocated); });
  registry.add("allocator_active",
               [](void* s, std::string& out) { append(out, heap_of(engine_of(s)).active); });
  registry.add("allocator_resident",
               [](void* s, std::string& out) { append(out, heap_of(engine_of(s)).active); });
  registry.add("allocator_frag_ratio", [](void* s, std::string& out) {
    const Heap heap = heap_of(engine_of(s));
    append_ratio(out, heap.active, heap.allocated);
  });
  registry.add("allocator_frag_bytes", [](void* s, std::string& out) {
    const Heap heap = heap_of(engine_of(s));
    append_signed(out, static_cast<int64_t>(heap.active - heap.allocated));
  });
  registry.add("allocator_rss_ratio", [](void*, std::string& out) { out += "1.00"; });
  registry.add("allocator_rss_bytes", [](void*, std::string& out) { out += "0"; });
  registry.add("rss_overhead_ratio", [](void* s, std::string& out) {
    append_ratio(out, resident_bytes(), heap_of(engine_of(s)).active);
  });
  registry.add("rss_overhead_bytes", [](void* s, std::string& out) {
    append_signed(out, static_cast<int64_t>(resident_bytes() - heap_of(engine_of(s)).active));
  });
  registry.add("mem_fragmentation_ratio", [](void* s, std::string& out) {
    append_ratio(out, resident_bytes(), engine_of(s).used_memory());
  });
  registry.add("mem_fragmentation_bytes", [](void* s, std::string& out) {
    append_signed(out, static_cast<int64_t>(resident_bytes() - engine_of(s).used_memory()));
  });
}

}  // namespace

void register_memory_gauges(GaugeRegistry& registry) {
  add_used(registry);
  add_allocator(registry);
}

}  // namespace moon::server
