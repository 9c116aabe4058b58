// BITFIELD and BITFIELD_RO: integers of any width at any bit of a string.
//
// All arguments are checked before the first operation runs, in one pass that also tells how far
// the writes reach; the second pass reads them again and executes, so nothing is stored between.
#include <algorithm>
#include <cstdint>

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
using store::Type;
using store::WriteScope;
using types::FieldType;
using types::Overflow;

enum class FieldVerb : uint8_t { kGet, kSet, kIncrby };

struct FieldOperation {
  FieldVerb verb{};
  FieldType type;
  Overflow overflow = Overflow::kWrap;
  uint64_t offset = 0;
  int64_t operand = 0;  // of kSet and kIncrby

  uint64_t last_bit() const { return offset + type.bits - 1; }
};

// i1 .. i64, u1 .. u63; the letter in lower case.
bool parse_field_type(std::string_view text, FieldType* type) {
  if (text.empty() || (text[0] != 'i' && text[0] != 'u')) return false;
  type->is_signed = text[0] == 'i';
  int64_t bits = 0;
  if (!parse_int64(text.substr(1), &bits)) return false;
  if (bits < 1 || bits > (type->is_signed ? 64 : 63)) return false;
  type->bits = static_cast<uint8_t>(bits);
  return true;
}

class OperationReader {
 public:
  explicit OperationReader(Context& ctx) : ctx_(ctx) {}

  // The next operation. False at the end, or after the error reply was written (failed()).
  bool next(FieldOperation* operation) {
    while (at_ < ctx_.argc()) {
      const size_t operands = ctx_.argc() - at_ - 1;
      const uint64_t word = option_word(ctx_.arg(at_));
      if (word == option_word("overflow") && operands >= 1) {
        if (!take_overflow(ctx_.arg(at_ + 1))) return false;
        at_ += 2;
      } else if (word == option_word("get") && operands >= 2) {
        return take(FieldVerb::kGet, operation);
      } else if (word == option_word("set") && operands >= 3) {
        return take(FieldVerb::kSet, operation);
      } else if (word == option_word("incrby") && operands >= 3) {
        return take(FieldVerb::kIncrby, operation);
      } else {
        return fail(resp::Err::kSyntax);
      }
    }
    return false;
  }
  bool failed() const { return failed_; }

 private:
  bool fail(resp::Err error) {
    ctx_.reply.error(error);
    failed_ = true;
    return false;
  }

  bool take_overflow(std::string_view text) {
    switch (option_word(text)) {
      case option_word("wrap"):
        overflow_ = Overflow::kWrap;
        return true;
      case option_word("sat"):
        overflow_ = Overflow::kSaturate;
        return true;
      case option_word("fail"):
        overflow_ = Overflow::kFail;
        return true;
      default:
        return fail(resp::Err::kBitfieldOverflow);
    }
  }

  bool take(FieldVerb verb, FieldOperation* operation) {
    operation->verb = verb;
    operation->overflow = overflow_;
    if (!parse_field_type(ctx_.arg(at_ + 1), &operation->type)) {
      return fail(resp::Err::kBitfieldType);
    }
    failed_ = !take_field_offset(ctx_, ctx_.arg(at_ + 2), operation->type.bits, &operation->offset);
    at_ += 3;
    if (failed_ || verb == FieldVerb::kGet) return !failed_;
    failed_ = !take_integer(ctx_, ctx_.arg(at_), &operation->operand);
    ++at_;
    return !failed_;
  }

  Context& ctx_;
  size_t at_ = 2;
  Overflow overflow_ = Overflow::kWrap;  // OVERFLOW holds for the operations behind it
  bool failed_ = false;
};

struct FieldPlan {
  size_t operations = 0;
  bool writes = false;
  uint64_t last_written = 0;  // bit
};

// False after the error reply was written.
bool check_operations(Context& ctx, FieldPlan* plan) {
  OperationReader reader(ctx);
  FieldOperation operation;
  while (reader.next(&operation)) {
    ++plan->operations;
    if (operation.verb == FieldVerb::kGet) continue;
    plan->writes = true;
    plan->last_written = std::max(plan->last_written, operation.last_bit());
  }
  return !reader.failed();
}

void run_reads(Context& ctx, const FieldPlan& plan) {
  bool wrong = false;
  const Entry* entry = ctx.read_typed(ctx.keys[0], Type::kString, &wrong);
  if (wrong) return;
  store::DigitBuffer digits;
  const std::string_view text = entry == nullptr ? std::string_view{} : entry->text(digits);
  ctx.reply.array(plan.operations);
  OperationReader reader(ctx);
  FieldOperation operation;
  while (reader.next(&operation)) {
    const uint64_t raw = types::get_field(text, operation.offset, operation.type.bits);
    ctx.reply.integer(types::field_value(operation.type, raw));
  }
}

// The string that operations write to. It is made writable by the first one that changes it:
// otherwise it stays as it is, and no write has happened.
class FieldString {
 public:
  FieldString(WriteScope& scope, size_t size) : scope_(scope), size_(size) {
    if (scope.exists()) view_ = scope.entry()->text(digits_);
  }
  std::string_view view() const { return view_; }
  bool changed() const { return bytes_ != nullptr; }
  // False: memory is refused.
  bool make_writable() {
    if (bytes_ != nullptr) return true;
    bytes_ = scope_.mutable_text(size_);
    if (bytes_ != nullptr) view_ = {bytes_, size_};
    return bytes_ != nullptr;
  }
  bool write(const FieldOperation& operation, uint64_t raw) {
    if (!make_writable()) return false;
    types::set_field(bytes_, size_, operation.offset, operation.type.bits, raw);
    return true;
  }

 private:
  WriteScope& scope_;
  size_t size_;
  char* bytes_ = nullptr;
  std::string_view view_;
  store::DigitBuffer digits_;
};

// Executes one operation and answers it.
void run_operation(Context& ctx, const FieldOperation& operation, FieldString& string) {
  const FieldType type = operation.type;
  const uint64_t old = types::get_field(string.view(), operation.offset, type.bits);
  if (operation.verb == FieldVerb::kGet) {
    return ctx.reply.integer(types::field_value(type, old));
  }
  const bool sets = operation.verb == FieldVerb::kSet;
  uint64_t fresh = 0;
  const bool fits =
      sets ? types::fit_field(type, operation.operand, operation.overflow, &fresh)
           : types::add_to_field(type, old, operation.operand, operation.overflow, &fresh);
  if (!fits) return ctx.reply.null();
  if (fresh != old && !string.write(operation, fresh)) {
    return ctx.reply.error(resp::Err::kOutOfMemory);
  }
  ctx.reply.integer(types::field_value(type, sets ? old : fresh));
}

void run_writes(Context& ctx, const FieldPlan& plan) {
  WriteScope scope(ctx.access, ctx.db(), ctx.keys[0]);
  if (is_wrong_type(ctx, scope.entry())) return;
  const size_t old_size = scope.exists() ? scope.entry()->text_size() : 0;
  const size_t size = std::max<size_t>(old_size, plan.last_written / 8 + 1);
  FieldString string(scope, size);
  // It grows even when each operation then fails.
  if (size != old_size && !string.make_writable()) {
    return ctx.reply.error(resp::Err::kOutOfMemory);
  }
  ctx.reply.array(plan.operations);
  OperationReader reader(ctx);
  FieldOperation operation;
  while (reader.next(&operation)) run_operation(ctx, operation, string);
  if (string.changed()) {
    scope.event(EventClass::kString, "setbit");
  } else {
    scope.make_raw();
  }
}

void run_bitfield(Context& ctx, bool may_write) {
  FieldPlan plan;
  if (!check_operations(ctx, &plan)) return;
  if (!plan.writes) return run_reads(ctx, plan);
  if (!may_write) return ctx.reply.error(resp::Err::kBitfieldReadOnly);
  run_writes(ctx, plan);
}

void bitfield(Context& ctx) { run_bitfield(ctx, true); }
void bitfield_ro(Context& ctx) { run_bitfield(ctx, false); }

}  // namespace

void register_bitfield(HandlerRegistry& registry) {
  registry.add("bitfield", bitfield);
  registry.add("bitfield_ro", bitfield_ro);
}

}  // namespace moon::commands
