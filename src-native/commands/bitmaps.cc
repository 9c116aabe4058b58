// Strings as bit arrays: SETBIT, GETBIT, BITCOUNT, BITPOS, BITOP. BITFIELD is in bitfield.cc.
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/numbers.h"
#include "commands/bit_offset.h"
#include "commands/families.h"
#include "commands/option_word.h"
#include "commands/string_value.h"
#include "dispatch/context.h"
#include "types/bits.h"

namespace moon::commands {
namespace {

using store::Entry;
using store::EventClass;
using store::KeyRef;
using store::Type;
using store::WriteScope;
using types::BitOp;

bool reply_bit_offset_error(Context& ctx) {
  ctx.reply.error(resp::Err::kBitOffset);
  return false;
}

bool is_inside(Context& ctx, int64_t bit) {
  return bit >= 0 && bit / 8 < ctx.engine.settings.get(Setting::kProtoMaxBulkLen);
}

void setbit(Context& ctx) {
  uint64_t bit = 0;
  if (!take_bit_offset(ctx, ctx.arg(2), &bit)) return;
  int64_t value = 0;
  if (!parse_int64(ctx.arg(3), &value) || value < 0 || value > 1) {
    return ctx.reply.error(resp::Err::kBitValue);
  }
  const bool on = value == 1;
  WriteScope scope(ctx.access, ctx.db(), ctx.keys[0]);
  if (is_wrong_type(ctx, scope.entry())) return;
  store::DigitBuffer digits;
  const std::string_view text = scope.exists() ? scope.entry()->text(digits) : std::string_view{};
  const bool old = types::get_bit(text, bit);
  const size_t size = std::max<size_t>(text.size(), bit / 8 + 1);
  // A bit that stays, in a string that stays as long as it is, is no change.
  if (old != on || size != text.size()) {
    char* bytes = scope.mutable_text(size);
    if (bytes == nullptr) return ctx.reply.error(resp::Err::kOutOfMemory);
    types::set_bit(bytes, bit, on);
    scope.event(EventClass::kString, "setbit");
  } else {
    scope.make_raw();
  }
  ctx.reply.integer(old ? 1 : 0);
}

void getbit(Context& ctx) {
  uint64_t bit = 0;
  if (!take_bit_offset(ctx, ctx.arg(2), &bit)) return;
  bool wrong = false;
  const Entry* entry = ctx.read_typed(ctx.keys[0], Type::kString, &wrong);
  if (wrong) return;
  if (entry == nullptr) return ctx.reply.integer(0);
  store::DigitBuffer digits;
  ctx.reply.integer(types::get_bit(entry->text(digits), bit) ? 1 : 0);
}

// ---- ranges ------------------------------------------------------------------------------------

// BYTE or BIT: what start and end count. False after the error reply was written.
bool take_range_unit(Context& ctx, std::string_view word, bool* in_bits) {
  switch (option_word(word)) {
    case option_word("bit"):
      *in_bits = true;
      return true;
    case option_word("byte"):
      *in_bits = false;
      return true;
    default:
      ctx.reply.error(resp::Err::kSyntax);
      return false;
  }
}

struct BitRange {
  uint64_t first = 0;
  uint64_t last = 0;
  bool empty = true;
};

// The bits from `start` to `end` (bytes or bits, negative from the end) of a string of `size`
// bytes.
BitRange bits_between(int64_t start, int64_t end, bool in_bits, size_t size) {
  size_t first = 0;
  size_t last = 0;
  if (!resolve_range(start, end, in_bits ? size * 8 : size, &first, &last)) return {};
  if (in_bits) return {first, last, false};
  return {first * 8, last * 8 + 7, false};
}

void bitcount(Context& ctx) {
  bool wrong = false;
  const Entry* entry = ctx.read_typed(ctx.keys[0], Type::kString, &wrong);
  if (wrong) return;
  // Redis looks at the other arguments only when there is a string.
  if (entry == nullptr) return ctx.reply.integer(0);
  store::DigitBuffer digits;
  const std::string_view text = entry->text(digits);
  const size_t argc = ctx.argc();
  if (argc == 2) return ctx.reply.integer(static_cast<int64_t>(types::count_bits(text)));
  if (argc != 4 && argc != 5) return ctx.reply.error(resp::Err::kSyntax);
  int64_t start = 0;
  int64_t end = 0;
  if (!take_integer(ctx, ctx.arg(2), &start) || !take_integer(ctx, ctx.arg(3), &end)) return;
  // Found empty before the unit is read, again as Redis does.
  if (is_backwards(start, end)) return ctx.reply.integer(0);
  bool in_bits = false;
  if (argc == 5 && !take_range_unit(ctx, ctx.arg(4), &in_bits)) return;
  const BitRange range = bits_between(start, end, in_bits, text.size());
  if (range.empty) return ctx.reply.integer(0);
  ctx.reply.integer(static_cast<int64_t>(types::count_bits(text, range.first, range.last)));
}

// The optional arguments of BITPOS: start, then end, then the unit, which is read before the end.
// False after the error reply was written.
bool take_position_range(Context& ctx, size_t size, BitRange* range) {
  const size_t argc = ctx.argc();
  if (argc > 6) {
    ctx.reply.error(resp::Err::kSyntax);
    return false;
  }
  int64_t start = 0;
  int64_t end = -1;
  bool in_bits = false;
  if (argc > 3 && !take_integer(ctx, ctx.arg(3), &start)) return false;
  if (argc > 5 && !take_range_unit(ctx, ctx.arg(5), &in_bits)) return false;
  if (argc > 4 && !take_integer(ctx, ctx.arg(4), &end)) return false;
  *range = bits_between(start, end, in_bits, size);
  return true;
}

void bitpos(Context& ctx) {
  int64_t wanted = 0;
  if (!take_integer(ctx, ctx.arg(2), &wanted)) return;
  if (wanted != 0 && wanted != 1) return ctx.reply.error(resp::Err::kBitArgument);
  bool wrong = false;
  const Entry* entry = ctx.read_typed(ctx.keys[0], Type::kString, &wrong);
  if (wrong) return;
  // A key that is not there is an endless row of zeros.
  if (entry == nullptr) return ctx.reply.integer(wanted == 1 ? -1 : 0);
  store::DigitBuffer digits;
  const std::string_view text = entry->text(digits);
  BitRange range;
  if (!take_position_range(ctx, text.size(), &range)) return;
  if (range.empty) return ctx.reply.integer(-1);
  int64_t position = types::find_bit(text, range.first, range.last, wanted == 1);
  // Without an end the string goes on as zeros: the first one stands behind it.
  const bool end_given = ctx.argc() > 4;
  if (position == types::kNoBit && wanted == 0 && !end_given) {
    position = static_cast<int64_t>(range.last + 1);
  }
  ctx.reply.integer(position);
}

// ---- BITOP -------------------------------------------------------------------------------------

bool take_operation(Context& ctx, BitOp* op) {
  switch (option_word(ctx.arg(1))) {
    case option_word("and"):
      *op = BitOp::kAnd;
      return true;
    case option_word("or"):
      *op = BitOp::kOr;
      return true;
    case option_word("xor"):
      *op = BitOp::kXor;
      return true;
    case option_word("not"):
      *op = BitOp::kNot;
      break;
    default:
      ctx.reply.error(resp::Err::kSyntax);
      return false;
  }
  if (ctx.argc() == 4) return true;
  ctx.reply.error(resp::Err::kBitopNotSingle);
  return false;
}

// The values that BITOP combines; those of a usual command need no heap.
class Sources {
 public:
  explicit Sources(size_t count) : count_(count) {
    if (count <= kFew) return;
    many_texts_.resize(count);
    many_digits_.resize(count);
  }
  // False after WRONGTYPE was written.
  bool read(Context& ctx, std::span<const KeyRef> keys) {
    for (size_t i = 0; i < count_; ++i) {
      bool wrong = false;
      const Entry* entry = ctx.read_typed(keys[i], Type::kString, &wrong);
      if (wrong) return false;
      if (entry == nullptr) continue;
      texts()[i] = entry->text(digits(i));
      size_max_ = std::max(size_max_, texts()[i].size());
    }
    return true;
  }
  size_t size_max() const { return size_max_; }
  std::span<std::string_view> texts() {
    if (many_texts_.empty()) return {few_texts_.data(), count_};
    return many_texts_;
  }

 private:
  static constexpr size_t kFew = 16;

  store::DigitBuffer& digits(size_t i) {
    return many_digits_.empty() ? few_digits_[i] : many_digits_[i];
  }

  size_t count_;
  size_t size_max_ = 0;
  std::array<std::string_view, kFew> few_texts_;
  std::array<store::DigitBuffer, kFew> few_digits_;
  std::vector<std::string_view> many_texts_;
  std::vector<store::DigitBuffer> many_digits_;
};

void bitop(Context& ctx) {
  BitOp op{};
  if (!take_operation(ctx, &op)) return;
  Sources sources(ctx.keys.size() - 1);
  if (!sources.read(ctx, ctx.keys.subspan(1))) return;
  WriteScope scope(ctx.access, ctx.db(), ctx.keys[0]);
  if (sources.size_max() == 0) {
    if (scope.exists()) {
      scope.remove();
      scope.event(EventClass::kGeneric, "del");
    }
    return ctx.reply.integer(0);
  }
  // The result is made beside the destination, which may be one of the sources.
  const size_t size = sources.size_max();
  SharedBytes* result = SharedBytes::allocate(size, size);
  if (result == nullptr) return ctx.reply.error(resp::Err::kOutOfMemory);
  types::combine_bits(op, sources.texts(), result->data(), size);
  scope.adopt_text(result);
  drop_deadline(scope);
  scope.event(EventClass::kString, "set");
  ctx.reply.integer(static_cast<int64_t>(size));
}

}  // namespace

bool take_bit_offset(Context& ctx, std::string_view text, uint64_t* offset) {
  int64_t bit = 0;
  if (!parse_int64(text, &bit) || !is_inside(ctx, bit)) return reply_bit_offset_error(ctx);
  *offset = static_cast<uint64_t>(bit);
  return true;
}

bool take_field_offset(Context& ctx, std::string_view text, unsigned bits, uint64_t* offset) {
  if (!text.starts_with('#')) return take_bit_offset(ctx, text, offset);
  int64_t bit = 0;
  if (!parse_int64(text.substr(1), &bit) || __builtin_mul_overflow(bit, int64_t{bits}, &bit) ||
      !is_inside(ctx, bit)) {
    return reply_bit_offset_error(ctx);
  }
  *offset = static_cast<uint64_t>(bit);
  return true;
}

void register_bitmaps(HandlerRegistry& registry) {
  registry.add("bitcount", bitcount);
  registry.add("bitop", bitop);
  registry.add("bitpos", bitpos);
  registry.add("getbit", getbit);
  registry.add("setbit", setbit);
}

}  // namespace moon::commands
