#include "commands/string_value.h"

#include <algorithm>

#include "base/numbers.h"

namespace moon::commands {

void reply_text(Context& ctx, const store::Entry& entry) {
  if (entry.is_integer()) return ctx.reply.bulk_integer(entry.integer());
  if (SharedBytes* block = entry.shared(); block != nullptr) return ctx.reply.bulk_shared(block);
  store::DigitBuffer unused;
  ctx.reply.bulk(entry.text(unused));
}

bool is_too_long(Context& ctx, size_t offset, size_t size) {
  const auto max = static_cast<uint64_t>(ctx.engine.settings.get(Setting::kProtoMaxBulkLen));
  if (offset <= max && size <= max - offset) return false;
  ctx.reply.error(resp::Err::kStringTooLong);
  return true;
}

void count_lookup(Context& ctx, bool hit) {
  ctx.access.counters->add(hit ? Counter::kKeyspaceHits : Counter::kKeyspaceMisses);
}

bool take_integer(Context& ctx, std::string_view text, int64_t* value) {
  if (parse_int64(text, value)) return true;
  ctx.reply.error(resp::Err::kNotInteger);
  return false;
}

bool resolve_range(int64_t start, int64_t end, size_t size, size_t* first, size_t* last) {
  const auto total = static_cast<int64_t>(size);
  if (start < 0) start = std::max<int64_t>(start + total, 0);
  if (end < 0) end = std::max<int64_t>(end + total, 0);
  end = std::min(end, total - 1);
  if (start > end) return false;
  *first = static_cast<size_t>(start);
  *last = static_cast<size_t>(end);
  return true;
}

}  // namespace moon::commands
