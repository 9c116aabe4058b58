// What several command families share: arguments that Redis reads the same way everywhere.
// Called by handlers, on the thread that executes the command.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dispatch/context.h"

namespace moon::commands {

// A 32-bit integer with Redis's two error texts (no number; outside of an int). False after the
// error reply was written.
bool take_int32(Context& ctx, std::string_view text, int32_t* value);

// The number of an existing database. False after the error reply was written.
bool take_database(Context& ctx, std::string_view text, uint32_t* db);

// As Context::read, but the key's LRU/LFU bits stay as they are: for commands that ask about a
// key without using its value (EXISTS, TYPE, TTL, OBJECT).
const store::Entry* read_untouched(Context& ctx, const store::KeyRef& key);

// True for names that CLIENT SETNAME and SETINFO accept: printable ASCII without blanks.
bool is_plain_name(std::string_view name);

// The client is on this machine: a unix socket, a loopback address, or the host program.
bool is_local(const dispatch::Client& client);

// What the C library tells about its heaps, in its XML.
std::string allocator_report();

// The reply of a HELP subcommand, encoded by the control plane.
void reply_help(Context& ctx);

}  // namespace moon::commands
