// CommandRow: what the server knows of one command or subcommand. The source is
// src/commands/*.ts; dispatch/command_table.h decodes it once at start.
//
// Rows are immutable after start and are read by every thread without synchronization.
//
// Invariants
// (1) `id` is the row's index in the table, equal to its CommandId, dense from 0: per-command
//     statistics are arrays indexed by it.
// (2) All views point into the blob that the server keeps for its lifetime.
// (3) Every row has a handler, except a container (COMMAND has both: it answers without a
//     subcommand too) and a row of Route::kControl, which TypeScript answers. A container's
//     subcommands are contiguous: subcommands[0, subcommand_count).
// (4) single_key_index > 0 exactly when every call has one key and it stands at that argument
//     index: the hot path needs no key-spec walk then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace moon {

class Context;  // dispatch/context.h
using Handler = void (*)(Context&);

enum class CommandId : uint16_t {
#define MOON_COMMAND(id) id,
#include "base/generated/commands.inc"
#undef MOON_COMMAND
  kCount
};

inline constexpr size_t kCommandCount = static_cast<size_t>(CommandId::kCount);

// CommandFlag::kWrite, ... one bit each, in COMMAND INFO's order.
struct CommandFlag {
#define MOON_COMMAND_FLAG(id, bit) static constexpr uint64_t id = uint64_t{1} << bit;
#define MOON_ACL_CATEGORY(id, bit)
#define MOON_KEY_FLAG(id, bit)
#include "base/generated/command_bits.inc"
#undef MOON_COMMAND_FLAG
#undef MOON_ACL_CATEGORY
#undef MOON_KEY_FLAG
};

// AclCategory::kString, ... one bit each.
struct AclCategory {
#define MOON_COMMAND_FLAG(id, bit)
#define MOON_ACL_CATEGORY(id, bit) static constexpr uint32_t id = uint32_t{1} << bit;
#define MOON_KEY_FLAG(id, bit)
#include "base/generated/command_bits.inc"
#undef MOON_COMMAND_FLAG
#undef MOON_ACL_CATEGORY
#undef MOON_KEY_FLAG
};

// KeyFlag::kReadOnly, kReadWrite, kOverwrite, kRemove, kAccess, kUpdate, kInsert, kDelete, ...
struct KeyFlag {
#define MOON_COMMAND_FLAG(id, bit)
#define MOON_ACL_CATEGORY(id, bit)
#define MOON_KEY_FLAG(id, bit) static constexpr uint32_t id = uint32_t{1} << bit;
#include "base/generated/command_bits.inc"
#undef MOON_COMMAND_FLAG
#undef MOON_ACL_CATEGORY
#undef MOON_KEY_FLAG
};

// How a command meets the shards (DESIGN §4). Order as in src/commands/types.ts.
enum class Route : uint8_t {
  kByKey,       // one key: its slice's token
  kByKeys,      // several keys: all their tokens, one atomic step
  kAllShards,   // every slice's token
  kAnyShard,    // touches no key, needs no token
  kConnection,  // state of this connection only
  kControl,     // answered by the control plane
  kCount
};

// Where the keys of one spec begin and how many there are. Indexes count from the command's own
// word (a subcommand's key of `OBJECT ENCODING key` stands at 2).
struct KeySpec {
  enum class Begin : uint8_t { kUnknown, kIndex, kKeyword };
  enum class Find : uint8_t { kUnknown, kRange, kKeyNum };

  uint32_t flags = 0;  // KeyFlag
  Begin begin = Begin::kUnknown;
  Find find = Find::kUnknown;
  int16_t index = 0;         // kIndex: position; kKeyword: where the search starts, negative = from
                             // the end backwards
  std::string_view keyword;  // kKeyword
  int16_t last = 0;          // kRange: last key relative to the first, negative from the end
  int16_t step = 1;          // kRange, kKeyNum
  int16_t limit = 0;         // kRange with last -1: keys are the first 1/limit of the rest
  int16_t key_num = 0;       // kKeyNum: position of the count relative to begin
  int16_t first_key = 0;     // kKeyNum: position of the first key relative to begin
};

struct CommandRow {
  // Lower case. A subcommand's is "config|get"; `short_name` is "get" then.
  std::string_view name;
  std::string_view short_name;
  Handler handler = nullptr;
  uint64_t flags = 0;           // CommandFlag
  uint32_t acl_categories = 0;  // AclCategory
  int16_t arity = 0;            // negative: at least that many words
  CommandId id{};
  Route route{};
  int16_t single_key_index = 0;  // > 0: the one key; 0: walk key_specs
  int16_t first_key = 0;         // Redis's old triple, as COMMAND INFO prints it
  int16_t last_key = 0;
  int16_t key_step = 0;
  std::span<const KeySpec> key_specs;
  const CommandRow* parent = nullptr;
  const CommandRow* subcommands = nullptr;
  size_t subcommand_count = 0;
  std::string_view group;  // "string", "generic", ...
  // Encoded replies: one element of COMMAND / COMMAND INFO; one name + map pair of COMMAND DOCS;
  // on a |help row the whole reply of HELP (the same for both protocols).
  std::string_view info_resp2;
  std::string_view info_resp3;
  std::string_view docs_resp2;
  std::string_view docs_resp3;
  std::string_view help_reply;

  bool has(uint64_t flag) const { return (flags & flag) != 0; }
  bool arity_ok(size_t argc) const {
    return arity >= 0 ? argc == static_cast<size_t>(arity) : argc >= static_cast<size_t>(-arity);
  }
  bool is_container() const { return subcommand_count != 0; }
};

}  // namespace moon
