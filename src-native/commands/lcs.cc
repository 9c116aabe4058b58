// LCS: the longest common subsequence of two string values.
#include <cstdint>
#include <cstring>
#include <limits>

#include "base/lower.h"
#include "commands/families.h"
#include "commands/option_word.h"
#include "commands/string_value.h"
#include "dispatch/context.h"
#include "types/lcs.h"

namespace moon::commands {
namespace {

using store::Entry;
using types::Lcs;
using types::LcsRun;

struct LcsOptions {
  bool length_only = false;
  bool runs = false;
  bool with_run_length = false;
  int64_t run_length_min = 0;
};

// False after the error reply was written.
bool take_options(Context& ctx, LcsOptions* options) {
  for (size_t at = 3; at < ctx.argc(); ++at) {
    const std::string_view word = ctx.arg(at);
    if (option_word(word) == option_word("idx")) {
      options->runs = true;
    } else if (option_word(word) == option_word("len")) {
      options->length_only = true;
    } else if (equals_ignore_case(word, "WITHMATCHLEN")) {
      options->with_run_length = true;
    } else if (equals_ignore_case(word, "MINMATCHLEN") && at + 1 < ctx.argc()) {
      if (!take_integer(ctx, ctx.arg(++at), &options->run_length_min)) return false;
    } else {
      ctx.reply.error(resp::Err::kSyntax);
      return false;
    }
  }
  if (!options->runs || !options->length_only) return true;
  ctx.reply.error(resp::Err::kLcsLenAndIdx);
  return false;
}

// Redis's limits, so that what is refused there is refused here: it keeps a table of 32-bit
// numbers, one for each pair of positions. Ours is smaller; the time it takes is bounded so, too.
bool is_too_large(Context& ctx, std::string_view a, std::string_view b) {
  constexpr size_t kSizeMax = std::numeric_limits<uint32_t>::max() - 1;
  if (a.size() >= kSizeMax || b.size() >= kSizeMax) {
    ctx.reply.error(resp::Err::kLcsTooLong);
    return true;
  }
  const uint64_t cells = (a.size() + 1) * (b.size() + 1);
  const auto bytes_max = static_cast<uint64_t>(ctx.engine.settings.get(Setting::kProtoMaxBulkLen));
  if (cells <= bytes_max / sizeof(uint32_t)) return false;
  ctx.reply.error(resp::Err::kLcsMemoryLimit);
  return true;
}

void reply_bounds(Context& ctx, size_t first, size_t last) {
  ctx.reply.array(2);
  ctx.reply.integer(static_cast<int64_t>(first));
  ctx.reply.integer(static_cast<int64_t>(last));
}

void reply_runs(Context& ctx, Lcs& table, const LcsOptions& options) {
  ctx.reply.map(2);
  ctx.reply.bulk("matches");
  const auto mark = ctx.reply.begin_deferred();
  size_t count = 0;
  LcsRun run{};
  while (table.next_run(&run)) {
    if (static_cast<int64_t>(run.size()) < options.run_length_min) continue;
    ctx.reply.array(options.with_run_length ? 3 : 2);
    reply_bounds(ctx, run.a_first, run.a_last);
    reply_bounds(ctx, run.b_first, run.b_last);
    if (options.with_run_length) ctx.reply.integer(static_cast<int64_t>(run.size()));
    ++count;
  }
  ctx.reply.end_deferred_array(mark, count);
  ctx.reply.bulk("len");
  ctx.reply.integer(static_cast<int64_t>(table.length()));
}

// The text is put together from its end, as the runs come.
void reply_subsequence(Context& ctx, Lcs& table, std::string_view a) {
  SharedBytes* text = SharedBytes::allocate(table.length(), table.length());
  if (text == nullptr) return ctx.reply.error(resp::Err::kLcsMemory);
  size_t at = table.length();
  LcsRun run{};
  while (table.next_run(&run)) {
    at -= run.size();
    std::memcpy(text->data() + at, a.data() + run.a_first, run.size());
  }
  ctx.reply.bulk_shared(text);
  text->release();
}

bool is_string(const Entry* entry) {
  return entry == nullptr || entry->type() == store::Type::kString;
}

void lcs(Context& ctx) {
  const Entry* first = ctx.read(ctx.keys[0]);
  const Entry* second = ctx.read(ctx.keys[1]);
  if (!is_string(first) || !is_string(second)) return ctx.reply.error(resp::Err::kLcsTypes);
  LcsOptions options;
  if (!take_options(ctx, &options)) return;
  store::DigitBuffer digits[2];
  const std::string_view a = first == nullptr ? std::string_view{} : first->text(digits[0]);
  const std::string_view b = second == nullptr ? std::string_view{} : second->text(digits[1]);
  if (is_too_large(ctx, a, b)) return;
  Lcs table(a, b);
  if (!table.compute(!options.length_only)) return ctx.reply.error(resp::Err::kLcsMemory);
  if (options.length_only) return ctx.reply.integer(static_cast<int64_t>(table.length()));
  if (options.runs) return reply_runs(ctx, table, options);
  reply_subsequence(ctx, table, a);
}

}  // namespace

void register_lcs(HandlerRegistry& registry) { registry.add("lcs", lcs); }

}  // namespace moon::commands
