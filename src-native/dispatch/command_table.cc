#include "dispatch/command_table.h"

#include <algorithm>
#include <bit>

#include "base/assert.h"
#include "base/decoder.h"

namespace moon {
namespace {

constexpr uint16_t kNoParent = 0xffff;

void decode_key_spec(Decoder& in, KeySpec* spec) {
  spec->flags = in.u32();
  spec->begin = static_cast<KeySpec::Begin>(in.u8());
  if (spec->begin == KeySpec::Begin::kIndex) spec->index = in.i16();
  if (spec->begin == KeySpec::Begin::kKeyword) {
    spec->index = in.i16();
    spec->keyword = in.text();
  }
  spec->find = static_cast<KeySpec::Find>(in.u8());
  if (spec->find == KeySpec::Find::kRange) {
    spec->last = in.i16();
    spec->step = in.i16();
    spec->limit = in.i16();
  }
  if (spec->find == KeySpec::Find::kKeyNum) {
    spec->key_num = in.i16();
    spec->first_key = in.i16();
    spec->step = in.i16();
  }
}

bool spec_is_sound(const KeySpec& spec) {
  return spec.begin <= KeySpec::Begin::kKeyword && spec.find <= KeySpec::Find::kKeyNum &&
         spec.step > 0 && spec.limit >= 0;
}

// The one key of every call, or 0.
int16_t single_key_index(std::span<const KeySpec> specs) {
  if (specs.size() != 1) return 0;
  const KeySpec& spec = specs[0];
  const bool single = spec.begin == KeySpec::Begin::kIndex &&
                      spec.find == KeySpec::Find::kRange && spec.last == 0 &&
                      (spec.flags & KeyFlag::kNotKey) == 0;
  return single ? spec.index : int16_t{0};
}

void append_line(std::string* text, std::string_view what, std::string_view name) {
  if (!text->empty()) *text += ", ";
  *text += what;
  *text += " '";
  *text += name;
  *text += '\'';
}

bool needs_handler(const CommandRow& row) {
  return !row.is_container() && row.route != Route::kControl;
}

}  // namespace

bool CommandTable::decode(std::string_view section, const HandlerRegistry& handlers,
                          std::string* error) {
  std::vector<Loose> loose;
  if (!decode_rows(section, &loose)) {
    *error = "the table of commands is damaged";
    return false;
  }
  link_rows(loose);
  if (!bind_handlers(loose, handlers, error)) return false;
  build_index();
  return true;
}

bool CommandTable::decode_rows(std::string_view section, std::vector<Loose>* loose) {
  Decoder in(section);
  const std::string_view pool = in.text();
  command_count_ = in.u16();
  const size_t count = in.u16();
  if (!in.ok() || count != kCommandCount || command_count_ > count) return false;
  rows_.assign(count, {});
  bool sound = true;
  const auto reply = [&]() -> std::string_view {
    const uint32_t offset = in.u32();
    const uint32_t size = in.u32();
    if (offset > pool.size() || size > pool.size() - offset) {
      sound = false;
      return {};
    }
    return pool.substr(offset, size);
  };
  for (size_t i = 0; i < count && in.ok() && sound; ++i) {
    CommandRow& row = rows_[i];
    Loose each;
    row.id = static_cast<CommandId>(i);
    row.name = in.text();
    row.group = in.text();
    each.symbol = in.text();
    each.parent = in.u16();
    row.route = static_cast<Route>(in.u8());
    row.arity = in.i16();
    row.flags = in.u32();
    row.acl_categories = in.u32();
    row.first_key = in.i16();
    row.last_key = in.i16();
    row.key_step = in.i16();
    each.first_spec = key_specs_.size();
    each.spec_count = in.u16();
    for (size_t spec = 0; spec < each.spec_count && in.ok(); ++spec) {
      decode_key_spec(in, &key_specs_.emplace_back());
      sound = sound && spec_is_sound(key_specs_.back());
    }
    row.info_resp2 = reply();
    row.info_resp3 = reply();
    row.docs_resp2 = reply();
    row.docs_resp3 = reply();
    row.help_reply = reply();
    const bool top = i < command_count_;
    sound = sound && row.route < Route::kCount && !row.name.empty() && row.arity != 0 &&
            top == (each.parent == kNoParent) && (top || each.parent < command_count_);
    loose->push_back(each);
  }
  return sound && in.ok() && in.remaining() == 0;
}

void CommandTable::link_rows(const std::vector<Loose>& loose) {
  for (size_t i = 0; i < rows_.size(); ++i) {
    CommandRow& row = rows_[i];
    row.key_specs = {key_specs_.data() + loose[i].first_spec, loose[i].spec_count};
    row.single_key_index = single_key_index(row.key_specs);
    row.short_name = row.name;
    if (i < command_count_) continue;
    CommandRow& parent = rows_[loose[i].parent];
    row.parent = &parent;
    row.short_name = row.name.substr(std::min(parent.name.size() + 1, row.name.size()));
    if (parent.subcommand_count == 0) parent.subcommands = &row;
    MOON_ASSERT(parent.subcommands + parent.subcommand_count == &row);
    ++parent.subcommand_count;
  }
}

bool CommandTable::bind_handlers(const std::vector<Loose>& loose, const HandlerRegistry& handlers,
                                 std::string* error) {
  const std::span<const HandlerRegistry::Entry> entries = handlers.entries();
  std::vector<bool> used(entries.size(), false);
  std::string wrong;
  for (size_t i = 0; i < rows_.size(); ++i) {
    CommandRow& row = rows_[i];
    const std::string_view symbol = loose[i].symbol;
    if (symbol.empty()) {
      if (needs_handler(row)) append_line(&wrong, "row names no handler:", row.name);
      continue;
    }
    for (size_t j = 0; j < entries.size(); ++j) {
      if (entries[j].symbol != symbol) continue;
      if (row.handler != nullptr) append_line(&wrong, "handler registered twice:", symbol);
      row.handler = entries[j].handler;
      used[j] = true;
    }
    if (row.handler == nullptr) append_line(&wrong, "row without handler:", row.name);
  }
  for (size_t j = 0; j < entries.size(); ++j) {
    if (!used[j]) append_line(&wrong, "handler without row:", entries[j].symbol);
  }
  if (wrong.empty()) return true;
  *error = "commands and their handlers do not agree: " + wrong;
  return false;
}

// --- lookup -----------------------------------------------------------------------------------

void CommandTable::build_index() {
  constexpr size_t kSlotsPerName = 8;
  constexpr int kTrials = 200;
  const size_t slots = std::bit_ceil(command_count_ * kSlotsPerName);
  mask_ = slots - 1;
  shift_ = static_cast<unsigned>(64 - std::countr_zero(slots));
  uint64_t best = 0;
  size_t best_displaced = SIZE_MAX;
  uint64_t candidate = 0x9e3779b97f4a7c15ULL;
  for (int trial = 0; trial < kTrials && best_displaced != 0; ++trial) {
    candidate = candidate * 6364136223846793005ULL + 1442695040888963407ULL;
    multiplier_ = candidate | 1;
    const size_t displaced = fill_slots();
    if (displaced >= best_displaced) continue;
    best = multiplier_;
    best_displaced = displaced;
  }
  multiplier_ = best;
  fill_slots();
}

size_t CommandTable::fill_slots() {
  slots_.assign(mask_ + 1, {});
  size_t displaced = 0;
  for (const CommandRow& row : commands()) {
    const Key key = make_key(row.name);
    size_t at = home(key);
    if (slots_[at].row != nullptr) ++displaced;
    while (slots_[at].row != nullptr) at = (at + 1) & mask_;
    slots_[at] = {key, &row};
  }
  return displaced;
}

const CommandRow* CommandTable::lookup_subcommand(const CommandRow& container,
                                                  std::string_view name) const {
  for (size_t i = 0; i < container.subcommand_count; ++i) {
    const CommandRow& row = container.subcommands[i];
    if (equals_ignore_case(row.short_name, name)) return &row;
  }
  return nullptr;
}

const CommandRow* CommandTable::lookup_full(std::string_view full_name) const {
  const size_t bar = full_name.find('|');
  if (bar == std::string_view::npos) return lookup(full_name);
  const CommandRow* container = lookup(full_name.substr(0, bar));
  if (container == nullptr) return nullptr;
  return lookup_subcommand(*container, full_name.substr(bar + 1));
}

uint32_t CommandTable::acl_category(std::string_view name) {
  struct Named {
    std::string_view name;
    uint32_t bit;
  };
  static constexpr Named kCategories[] = {
#define MOON_COMMAND_FLAG(id, bit)
#define MOON_ACL_CATEGORY(id, bit) {#id, uint32_t{1} << bit},
#define MOON_KEY_FLAG(id, bit)
#include "base/generated/command_bits.inc"
#undef MOON_COMMAND_FLAG
#undef MOON_ACL_CATEGORY
#undef MOON_KEY_FLAG
  };
  for (const Named& each : kCategories) {
    if (equals_ignore_case(each.name.substr(1), name)) return each.bit;  // without the k
  }
  return 0;
}

}  // namespace moon
