#include "commands/families.h"

namespace moon::commands {

void register_all(HandlerRegistry& registry) {
  register_bitfield(registry);
  register_bitmaps(registry);
  register_client(registry);
  register_command(registry);
  register_config(registry);
  register_connection(registry);
  register_counters(registry);
  register_database(registry);
  register_debug(registry);
  register_expire(registry);
  register_keys(registry);
  register_lcs(registry);
  register_memory(registry);
  register_object(registry);
  register_scan(registry);
  register_server(registry);
  register_strings(registry);
  register_transactions(registry);
}

}  // namespace moon::commands
