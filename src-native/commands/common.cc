#include "commands/common.h"

#include <algorithm>
#include <limits>

#include "base/numbers.h"

namespace moon::commands {

bool take_int32(Context& ctx, std::string_view text, int32_t* value) {
  int64_t wide = 0;
  if (!parse_int64(text, &wide)) {
    ctx.reply.error(resp::Err::kNotInteger);
    return false;
  }
  if (wide < std::numeric_limits<int32_t>::min() || wide > std::numeric_limits<int32_t>::max()) {
    ctx.reply.error_format("ERR value is out of range, value must between %d and %d",
                           std::numeric_limits<int32_t>::min(),
                           std::numeric_limits<int32_t>::max());
    return false;
  }
  *value = static_cast<int32_t>(wide);
  return true;
}

bool take_database(Context& ctx, std::string_view text, uint32_t* db) {
  int32_t index = 0;
  if (!take_int32(ctx, text, &index)) return false;
  if (index < 0 || static_cast<uint32_t>(index) >= ctx.keyspace().database_count()) {
    ctx.reply.error(resp::Err::kDbIndexRange);
    return false;
  }
  *db = static_cast<uint32_t>(index);
  return true;
}

const store::Entry* read_untouched(Context& ctx, const store::KeyRef& key) {
  const bool before = ctx.access.no_touch;
  ctx.access.no_touch = true;
  const store::Entry* entry = ctx.read(key);
  ctx.access.no_touch = before;
  return entry;
}

bool is_plain_name(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) { return c >= '!' && c <= '~'; });
}

bool is_local(const dispatch::Client& client) {
  if (client.has_flag(dispatch::kClientUnixSocket | dispatch::kClientInProcess)) return true;
  const std::string_view address = client.address;
  return address.starts_with("127.0.0.1:") || address.starts_with("::1:") ||
         address.starts_with("[::1]:");
}

void reply_help(Context& ctx) { ctx.reply.raw(ctx.row.help_reply); }

}  // namespace moon::commands
