// Commands that walk the keyspace: SCAN, KEYS, RANDOMKEY, DBSIZE. They hold all tokens.
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/glob.h"
#include "base/lower.h"
#include "base/numbers.h"
#include "commands/common.h"
#include "commands/families.h"
#include "dispatch/arg_parser.h"
#include "dispatch/context.h"

namespace moon::commands {
namespace {

using store::Entry;
using store::Slice;

// --- SCAN -------------------------------------------------------------------------------------

// A cursor names the place to go on at: position in the low slice's table, then the slice.
//
//   46 ................... 10 | 9 ....... 0
//   position, 37 bits         | slice          below 2^53: exact in every client's numbers
//
// 0 is the start and, as an answer, the end: nothing is left to come back to slice 0, position 0.
constexpr int kSliceBits = 10;
static_assert(shard::kMaxSlices <= 1 << kSliceBits);
static_assert(store::kPositionBits + kSliceBits <= 53);

struct Cursor {
  uint32_t slice = 0;
  uint64_t position = 0;

  static Cursor decode(uint64_t value) {
    return {static_cast<uint32_t>(value & ((1 << kSliceBits) - 1)), value >> kSliceBits};
  }
  uint64_t encode() const { return position << kSliceBits | slice; }
};

// As strtoul reads it: '+' and '-' are allowed, an empty text is 0.
bool parse_cursor(std::string_view text, uint64_t* value) {
  *value = 0;
  if (text.empty()) return true;
  const bool negative = text.front() == '-';
  if (negative || text.front() == '+') text.remove_prefix(1);
  if (text.empty()) return false;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    if (__builtin_mul_overflow(*value, uint64_t{10}, value)) return false;
    if (__builtin_add_overflow(*value, static_cast<uint64_t>(c - '0'), value)) return false;
  }
  if (negative) *value = 0 - *value;
  return true;
}

struct ScanOptions {
  int64_t count = 10;
  std::optional<std::string_view> pattern;
  std::optional<std::string_view> type;

  bool passes(const Entry& entry) const {
    if (pattern && !glob_match(*pattern, entry.key())) return false;
    return !type || equals_ignore_case(*type, store::type_name(entry.type()));
  }
};

// False after the error reply was written.
bool take_options(Context& ctx, ScanOptions* options) {
  ArgParser parser(ctx, 2);
  while (parser.has_next() && !parser.failed_quietly()) {
    if (parser.take_option("COUNT", 1)) {
      options->count = parser.take_integer();
      if (!parser.failed_quietly() && options->count < 1) parser.fail(resp::Err::kSyntax);
    } else if (parser.take_option("MATCH", 1)) {
      options->pattern = parser.take();
    } else if (parser.take_option("TYPE", 1)) {
      options->type = parser.take();
    } else {
      parser.fail(resp::Err::kSyntax);
    }
  }
  if (options->pattern == "*") options->pattern.reset();
  return !parser.failed();
}

// Deletes keys that were found expired, through the usual door.
void expire_found(Context& ctx, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) ctx.peek(ctx.keyspace().key_ref(key, 0));
}

void scan(Context& ctx) {
  uint64_t start = 0;
  if (!parse_cursor(ctx.arg(1), &start)) return ctx.reply.error(resp::Err::kInvalidCursor);
  ScanOptions options;
  if (!take_options(ctx, &options)) return;
  Cursor cursor = Cursor::decode(start);
  std::vector<std::string_view> found;
  std::vector<std::string> expired;
  int64_t seen = 0;
  const uint32_t slices = ctx.keyspace().slice_count();
  while (cursor.slice < slices && seen < options.count) {
    const Slice& slice = ctx.keyspace().slice(cursor.slice);
    // A position beyond the table comes from a cursor that nobody gave out: the slice is over.
    uint64_t next = Slice::kScanEnd;
    if (cursor.position >> store::kPositionBits == 0) {
      next = slice.scan(ctx.db(), cursor.position, [&](const Entry& entry) {
        ++seen;
        if (entry.expired(ctx.now_ms())) {
          expired.emplace_back(entry.key());
        } else if (options.passes(entry)) {
          found.push_back(entry.key());
        }
      });
    }
    cursor.position = next == Slice::kScanEnd ? 0 : next;
    if (next == Slice::kScanEnd) ++cursor.slice;
  }
  expire_found(ctx, expired);
  char digits[kIntegerMax];
  const uint64_t answer = cursor.slice < slices ? cursor.encode() : 0;
  ctx.reply.array(2);
  ctx.reply.bulk({digits, static_cast<size_t>(format_uint64(answer, digits) - digits)});
  ctx.reply.array(found.size());
  for (std::string_view key : found) ctx.reply.bulk(key);
}

// --- the others -------------------------------------------------------------------------------

template <typename Fn>
void for_each_entry(Context& ctx, Fn&& fn) {
  for (uint32_t i = 0; i < ctx.keyspace().slice_count(); ++i) {
    const Slice& slice = ctx.keyspace().slice(i);
    for (uint64_t at = 0; at != Slice::kScanEnd;) at = slice.scan(ctx.db(), at, fn);
  }
}

void keys(Context& ctx) {
  const std::string_view pattern = ctx.arg(1);
  const auto mark = ctx.reply.begin_deferred();
  size_t count = 0;
  if (glob_is_literal(pattern)) {
    // One key at most: no walk.
    if (ctx.peek(ctx.keyspace().key_ref(pattern, 1)) != nullptr) {
      ctx.reply.bulk(pattern);
      ++count;
    }
  } else {
    const bool all = pattern == "*";
    for_each_entry(ctx, [&](const Entry& entry) {
      if (entry.expired(ctx.now_ms()) || !(all || glob_match(pattern, entry.key()))) return;
      ctx.reply.bulk(entry.key());
      ++count;
    });
  }
  ctx.reply.end_deferred_array(mark, count);
}

// Each slice is as likely as it has keys. random_key() deletes the expired keys it meets and
// finds nothing only when all were: then the counts are lower and the choice is made again.
void randomkey(Context& ctx) {
  store::Keyspace& keyspace = ctx.keyspace();
  for (;;) {
    const uint64_t count = keyspace.key_count(ctx.db());
    if (count == 0) return ctx.reply.null();
    uint64_t chosen = ctx.shard.random() % count;
    uint32_t slice = 0;
    while (chosen >= keyspace.slice(slice).key_count(ctx.db())) {
      chosen -= keyspace.slice(slice++).key_count(ctx.db());
    }
    const Entry* entry = keyspace.slice(slice).random_key(ctx.access, ctx.db());
    if (entry != nullptr) return ctx.reply.bulk(entry->key());
  }
}

void dbsize(Context& ctx) {
  ctx.reply.integer(static_cast<int64_t>(ctx.keyspace().key_count(ctx.db())));
}

}  // namespace

void register_scan(HandlerRegistry& registry) {
  registry.add("dbsize", dbsize);
  registry.add("keys", keys);
  registry.add("randomkey", randomkey);
  registry.add("scan", scan);
}

}  // namespace moon::commands
