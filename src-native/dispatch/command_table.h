// CommandTable: name -> row, decoded from the blob and joined with the handlers.
//
// Built once on the starting thread, then read by all threads. It owns no text: the blob must
// outlive it.
//
// lookup() is on the path of each command: a fingerprint of the lower-cased name (first and last
// eight bytes and the length) hashes into a sparse table whose multiplier was chosen at start so
// that (nearly) every name sits in its home slot; one slot compare, no allocation.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/copy.h"
#include "base/lower.h"
#include "dispatch/command_row.h"

namespace moon {

// Handlers by the symbol that the rows name ("get", "config_get"). Filled by commands/register.cc.
// Symbols must be string literals (views are kept until decode).
class HandlerRegistry {
 public:
  struct Entry {
    std::string_view symbol;
    Handler handler;
  };

  void add(std::string_view symbol, Handler handler) { entries_.push_back({symbol, handler}); }
  std::span<const Entry> entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

class CommandTable {
 public:
  CommandTable() = default;
  CommandTable(const CommandTable&) = delete;
  CommandTable& operator=(const CommandTable&) = delete;

  // False with *error when the section is damaged, or when rows and handlers do not agree: the
  // text then names every row without handler, handler without row and symbol registered twice.
  bool decode(std::string_view section, const HandlerRegistry& handlers, std::string* error);

  // Top-level command by name, any case; nullptr when unknown. REQUIRES: decode() succeeded.
  const CommandRow* lookup(std::string_view name) const {
    const Key key = make_key(name);
    for (size_t i = home(key);; i = (i + 1) & mask_) {
      const Slot& slot = slots_[i];
      if (slot.row == nullptr) return nullptr;
      if (slot.key.size == key.size && slot.key.low == lower_word(key.low) &&
          slot.key.high == lower_word(key.high) &&
          (key.size <= 16 || equals_ignore_case(name, slot.row->name))) {
        return slot.row;
      }
    }
  }

  // "GET" of the row of CONFIG, any case.
  const CommandRow* lookup_subcommand(const CommandRow& container, std::string_view name) const;

  // "config|get" or "get", any case, as COMMAND INFO takes it.
  const CommandRow* lookup_full(std::string_view full_name) const;

  // Top-level rows, in the order of COMMAND; then rows() adds all subcommands.
  std::span<const CommandRow> commands() const { return {rows_.data(), command_count_}; }
  std::span<const CommandRow> rows() const { return rows_; }
  const CommandRow& row(CommandId id) const { return rows_[static_cast<size_t>(id)]; }

  // Names to bits for COMMAND LIST FILTERBY ACLCAT; 0 when unknown. Any case.
  static uint32_t acl_category(std::string_view name);

 private:
  struct Key {
    uint64_t low = 0;
    uint64_t high = 0;
    uint64_t size = 0;
  };
  struct Slot {
    Key key;
    const CommandRow* row = nullptr;
  };
  static_assert(sizeof(Slot) == 32, "two slots a cache line");
  // What decode() must remember of a row until the handlers are bound.
  struct Loose {
    std::string_view symbol;
    uint16_t parent = 0;
    size_t first_spec = 0;
    size_t spec_count = 0;
  };

  // The bytes of the name in two words; texts of up to sixteen bytes have different keys.
  static Key make_key(std::string_view name) {
    const size_t size = name.size();
    Key key;
    key.size = size;
    if (size >= 8) {
      key.low = load_word<uint64_t>(name.data());
      key.high = load_word<uint64_t>(name.data() + size - 8);
    } else if (size >= 4) {
      key.low = load_word<uint32_t>(name.data());
      key.high = load_word<uint32_t>(name.data() + size - 4);
    } else if (size >= 2) {
      key.low = load_word<uint16_t>(name.data());
      key.high = load_word<uint16_t>(name.data() + size - 2);
    } else if (size == 1) {
      key.low = static_cast<unsigned char>(name[0]);
    }
    return key;
  }
  // Setting the case bit of all bytes maps letters of both cases alike; that it maps some other
  // bytes alike too does not matter to a hash.
  size_t home(const Key& key) const {
    constexpr uint64_t kCaseBits = 0x2020202020202020ULL;
    const uint64_t low = key.low | kCaseBits;
    const uint64_t high = key.high | kCaseBits;
    return ((low ^ (high << 29 | high >> 35) ^ key.size) * multiplier_) >> shift_;
  }

  bool decode_rows(std::string_view section, std::vector<Loose>* loose);
  void link_rows(const std::vector<Loose>& loose);
  bool bind_handlers(const std::vector<Loose>& loose, const HandlerRegistry& handlers,
                     std::string* error);
  void build_index();
  // Names that are not in their home slot after filling the slots with the present multiplier.
  size_t fill_slots();

  std::vector<CommandRow> rows_;
  std::vector<KeySpec> key_specs_;
  size_t command_count_ = 0;
  std::vector<Slot> slots_;
  size_t mask_ = 0;
  unsigned shift_ = 63;
  uint64_t multiplier_ = 1;
};

}  // namespace moon
