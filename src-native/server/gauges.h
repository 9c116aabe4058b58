// The live values of INFO that are neither counters nor settings: one function each, registered
// under the name that src/admin/info-template.ts uses. Rendered by any shard thread, so a gauge
// reads only what any thread may read. The `server` argument is the dispatch::Engine.
#pragma once

#include "dispatch/info_template.h"

namespace moon::server {

void register_gauges(GaugeRegistry& registry);         // everything below
void register_server_gauges(GaugeRegistry& registry);  // facts, time, processor
void register_memory_gauges(GaugeRegistry& registry);
void register_stats_blocks(GaugeRegistry& registry);   // commandstats, keyspace, shards, ...

}  // namespace moon::server
