// MEMORY: what keys and the server take.
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/numbers.h"
#include "commands/common.h"
#include "commands/families.h"
#include "dispatch/arg_parser.h"
#include "dispatch/context.h"

namespace moon::commands {
namespace {

using store::Table;

// --- USAGE ------------------------------------------------------------------------------------

uint64_t table_bytes(const Table& table) {
  constexpr uint64_t kSlotBytes = sizeof(store::Bucket) / store::Bucket::kSlots;
  constexpr uint64_t kSegmentBytes = sizeof(store::Segment);
  return table.slot_count() * kSlotBytes + table.segment_count() * kSegmentBytes;
}

// The key, its value, and its share of the table it lies in. SAMPLES is accepted and not needed:
// what a value takes is known, not estimated.
void memory_usage(Context& ctx) {
  ArgParser parser(ctx, 3);
  while (parser.has_next()) {
    if (!parser.take_option("SAMPLES", 1)) return parser.syntax_error();
    const int64_t samples = parser.take_integer();
    if (!parser.failed_quietly() && samples < 0) parser.fail(resp::Err::kSyntax);
    if (parser.failed()) return;
  }
  const store::Entry* entry = ctx.peek(ctx.keys[0]);
  if (entry == nullptr) return ctx.reply.null();
  store::Slice& slice = ctx.keyspace().slice(ctx.keys[0].slice);
  const Table& table = *slice.table(ctx.db());
  ctx.reply.integer(
      static_cast<int64_t>(slice.memory_of(*entry) + table_bytes(table) / table.size()));
}

// --- STATS and DOCTOR -------------------------------------------------------------------------

uint64_t resident_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  unsigned long long total = 0;
  unsigned long long resident = 0;
  const int fields = std::fscanf(file, "%llu %llu", &total, &resident);
  std::fclose(file);
  return fields == 2 ? resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

struct Figures {
  uint64_t used;
  uint64_t startup;  // used before the first client
  uint64_t peak;
  uint64_t clients;
  uint64_t tables;
  uint64_t keys;
  uint64_t slabs;     // entries and tables: not malloc's
  uint64_t resident;  // of the whole process: the host program's memory is in it

  uint64_t overhead() const { return std::min(clients + tables, used); }
  uint64_t dataset() const { return used - overhead(); }
  uint64_t since_startup() const { return used > startup ? used - startup : 0; }
};

double ratio(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

Figures collect(Context& ctx) {
  Figures figures{};
  figures.used = ctx.engine.used_memory();
  figures.startup = ctx.engine.startup_memory;
  figures.peak = std::max(figures.used, ctx.engine.peak_memory.load(std::memory_order_relaxed));
  figures.clients = ctx.engine.counters.total(Counter::kClientMemory);
  store::Keyspace& keyspace = ctx.keyspace();
  for (uint32_t i = 0; i < keyspace.slice_count(); ++i) {
    const store::Ledger& ledger = keyspace.slice(i).ledger();
    figures.tables += ledger.tables;
    figures.slabs += ledger.tables + ledger.entries;
  }
  for (uint32_t db = 0; db < keyspace.database_count(); ++db) {
    figures.keys += keyspace.key_count(db);
  }
  figures.resident = resident_bytes();
  return figures;
}

void pair(resp::Reply& reply, std::string_view name, uint64_t value) {
  reply.bulk(name);
  reply.integer(static_cast<int64_t>(value));
}

void pair(resp::Reply& reply, std::string_view name, double value) {
  reply.bulk(name);
  reply.real(value);
}

// One database: its share of the tables by its share of the keys, because a slice's ledger does
// not tell databases apart.
void database_pairs(Context& ctx, const Figures& figures, uint32_t db) {
  const uint64_t keys = ctx.keyspace().key_count(db);
  ctx.reply.bulk("db." + std::to_string(db));
  ctx.reply.map(3);
  pair(ctx.reply, "overhead.hashtable.main",
       static_cast<uint64_t>(static_cast<double>(figures.tables) * ratio(keys, figures.keys)));
  pair(ctx.reply, "overhead.hashtable.expires", uint64_t{0});  // deadlines lie in the entries
  pair(ctx.reply, "overhead.hashtable.slot-to-keys", uint64_t{0});
}

void overhead_pairs(resp::Reply& reply, const Figures& figures) {
  pair(reply, "overhead.total", figures.overhead());
  pair(reply, "keys.count", figures.keys);
  pair(reply, "keys.bytes-per-key",
       figures.keys == 0 ? 0 : figures.since_startup() / figures.keys);
  pair(reply, "dataset.bytes", figures.dataset());
  pair(reply, "dataset.percentage",
       100 * ratio(std::min(figures.dataset(), figures.since_startup()), figures.since_startup()));
  pair(reply, "peak.percentage", 100 * ratio(figures.used, figures.peak));
}

void allocator_pairs(resp::Reply& reply, const Figures& figures) {
  const struct mallinfo2 heap = mallinfo2();
  const uint64_t allocated = heap.uordblks + heap.hblkhd + figures.slabs;
  const uint64_t active = heap.arena + heap.hblkhd + figures.slabs;
  const uint64_t resident = std::min(active, figures.resident);
  const auto difference = [](uint64_t a, uint64_t b) { return a > b ? a - b : 0; };
  pair(reply, "allocator.allocated", allocated);
  pair(reply, "allocator.active", active);
  pair(reply, "allocator.resident", resident);
  pair(reply, "allocator-fragmentation.ratio", ratio(active, allocated));
  pair(reply, "allocator-fragmentation.bytes", difference(active, allocated));
  pair(reply, "allocator-rss.ratio", ratio(resident, active));
  pair(reply, "allocator-rss.bytes", difference(resident, active));
  pair(reply, "rss-overhead.ratio", ratio(figures.resident, resident));
  pair(reply, "rss-overhead.bytes", difference(figures.resident, resident));
  pair(reply, "fragmentation", ratio(figures.resident, figures.used));
  pair(reply, "fragmentation.bytes", difference(figures.resident, figures.used));
}

void memory_stats(Context& ctx) {
  constexpr size_t kPairs = 27;  // without the databases
  const Figures figures = collect(ctx);
  resp::Reply& reply = ctx.reply;
  size_t databases = 0;
  for (uint32_t db = 0; db < ctx.keyspace().database_count(); ++db) {
    databases += ctx.keyspace().key_count(db) != 0;
  }
  reply.map(kPairs + databases);
  pair(reply, "peak.allocated", figures.peak);
  pair(reply, "total.allocated", figures.used);
  pair(reply, "startup.allocated", figures.startup);
  pair(reply, "replication.backlog", uint64_t{0});
  pair(reply, "clients.slaves", uint64_t{0});
  pair(reply, "clients.normal", figures.clients);
  pair(reply, "cluster.links", uint64_t{0});
  pair(reply, "aof.buffer", uint64_t{0});
  pair(reply, "lua.caches", uint64_t{0});
  pair(reply, "functions.caches", uint64_t{0});
  for (uint32_t db = 0; db < ctx.keyspace().database_count(); ++db) {
    if (ctx.keyspace().key_count(db) != 0) database_pairs(ctx, figures, db);
  }
  overhead_pairs(reply, figures);
  allocator_pairs(reply, figures);
}

void memory_doctor(Context& ctx) {
  constexpr uint64_t kTooLittle = 5 << 20;
  constexpr uint64_t kLargeClient = 200 << 10;
  const Figures figures = collect(ctx);
  const uint64_t limit = static_cast<uint64_t>(ctx.engine.settings.get(Setting::kMaxmemory));
  if (figures.used < kTooLittle) {
    return ctx.reply.verbatim("txt", "Less than 5 MB are in use: too little to judge by.\n");
  }
  std::string report;
  if (ratio(figures.peak, figures.used) > 1.5) {
    report += " * Peak: far more was in use once than is now. The pages of that time may still "
              "belong to the process; MEMORY PURGE gives back what can be given back.\n";
  }
  if (ratio(figures.resident, figures.used) > 1.4 &&
      figures.resident - figures.used > 10 * kTooLittle) {
    report += " * Resident memory: the process takes much more than the data. Look at what the "
              "program around the server keeps, or at fragmentation after large deletions.\n";
  }
  if (figures.clients / std::max<uint64_t>(1, ctx.engine.clients->size()) > kLargeClient) {
    report += " * Client buffers: clients hold large buffers. Look for slow readers in CLIENT LIST "
              "(omem, qbuf).\n";
  }
  if (limit != 0 && ratio(figures.used, limit) > 0.95) {
    report += " * Limit: more than 95 % of maxmemory is in use. Keys are evicted, or writes "
              "refused, as maxmemory-policy says.\n";
  }
  if (report.empty()) {
    return ctx.reply.verbatim("txt", "Nothing stands out in how memory is used.\n");
  }
  ctx.reply.verbatim("txt", "What stands out in how memory is used:\n\n" + report);
}

// --- allocator --------------------------------------------------------------------------------

void memory_malloc_stats(Context& ctx) { ctx.reply.verbatim("txt", allocator_report()); }

void memory_purge(Context& ctx) {
  malloc_trim(0);
  ctx.reply.ok();
}

}  // namespace

std::string allocator_report() {
  char* text = nullptr;
  size_t size = 0;
  std::FILE* stream = open_memstream(&text, &size);
  if (stream == nullptr) return {};
  malloc_info(0, stream);
  std::fclose(stream);
  std::string report(text, size);
  std::free(text);
  return report;
}

void register_memory(HandlerRegistry& registry) {
  registry.add("memory_doctor", memory_doctor);
  registry.add("memory_help", reply_help);
  registry.add("memory_malloc_stats", memory_malloc_stats);
  registry.add("memory_purge", memory_purge);
  registry.add("memory_stats", memory_stats);
  registry.add("memory_usage", memory_usage);
}

}  // namespace moon::commands
