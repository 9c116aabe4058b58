// The command families: one file each, one function each, which adds the family's handlers to the
// registry under the symbols that the rows of src/commands/*.ts name ("get", "config_get").
//
// Called once, on the thread that builds the server; a handler itself is stateless and runs on
// any shard thread.
#pragma once

#include "dispatch/command_table.h"

namespace moon::commands {

void register_bitfield(HandlerRegistry& registry);
void register_bitmaps(HandlerRegistry& registry);
void register_client(HandlerRegistry& registry);
void register_command(HandlerRegistry& registry);
void register_config(HandlerRegistry& registry);
void register_connection(HandlerRegistry& registry);
void register_counters(HandlerRegistry& registry);
void register_database(HandlerRegistry& registry);
void register_debug(HandlerRegistry& registry);
void register_expire(HandlerRegistry& registry);
void register_keys(HandlerRegistry& registry);
void register_lcs(HandlerRegistry& registry);
void register_memory(HandlerRegistry& registry);
void register_object(HandlerRegistry& registry);
void register_scan(HandlerRegistry& registry);
void register_server(HandlerRegistry& registry);
void register_strings(HandlerRegistry& registry);
void register_transactions(HandlerRegistry& registry);

// All of the above.
void register_all(HandlerRegistry& registry);

}  // namespace moon::commands
