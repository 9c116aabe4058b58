// maxmemory-clients: when the buffers of all clients together take more than the limit, the
// clients that take most are closed until the rest fits. CLIENT NO-EVICT spares a client.
//
// Any shard thread may call it; one does, once a second, so the limit may be passed for as long.
// While it is kept, a call costs one sum over the shards' counters.
#pragma once

#include "base/counters.h"
#include "dispatch/engine.h"

namespace moon::dispatch {

// `counters` are those of the calling thread. The clients are asked to go: their own threads close
// them.
void evict_clients(Engine& engine, Counters& counters);

}  // namespace moon::dispatch
