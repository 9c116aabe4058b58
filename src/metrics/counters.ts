// What the server counts. One row is one slot per shard thread (src-native/base/counters.h); INFO
// (src/admin/info-template.ts) and Prometheus refer to the rows by name.
import type { CounterRow } from './types.ts';

const counter = (name: string, prometheus: string, help: string): CounterRow => ({
  name,
  kind: 'counter',
  prometheus,
  help,
});

const level = (name: string, prometheus: string, help: string): CounterRow => ({
  name,
  kind: 'level',
  prometheus,
  help,
});

/** Clients and their bytes. */
const clients = [
  level('connected_clients', 'redis_connected_clients', 'Clients connected now.'),
  level('client_memory', 'moon_client_memory_bytes', 'Bytes of buffers held for clients.'),
  counter(
    'total_connections_received',
    'redis_connections_received_total',
    'Connections accepted.',
  ),
  counter(
    'rejected_connections',
    'redis_rejected_connections_total',
    'Connections closed at once because maxclients was reached.',
  ),
  counter('total_net_input_bytes', 'redis_net_input_bytes_total', 'Bytes received from clients.'),
  counter('total_net_output_bytes', 'redis_net_output_bytes_total', 'Bytes sent to clients.'),
  counter('total_reads_processed', 'redis_total_reads_processed', 'Receives that brought bytes.'),
  counter('total_writes_processed', 'redis_total_writes_processed', 'Sends to clients.'),
  counter(
    'client_query_buffer_limit_disconnections',
    'moon_query_buffer_limit_disconnections_total',
    'Clients closed because their unfinished request passed client-query-buffer-limit.',
  ),
  counter(
    'client_output_buffer_limit_disconnections',
    'moon_output_buffer_limit_disconnections_total',
    'Clients closed because their unread replies passed client-output-buffer-limit.',
  ),
  counter('evicted_clients', 'redis_evicted_clients_total', 'Clients closed by maxmemory-clients.'),
];

const commands = [
  counter('total_commands_processed', 'redis_commands_processed_total', 'Commands executed.'),
  counter('total_error_replies', 'redis_total_error_replies', 'Error replies sent.'),
  counter(
    'acl_access_denied_auth',
    'redis_acl_access_denied_auth_total',
    'AUTH and HELLO AUTH refused.',
  ),
];

const keyspace = [
  counter('keyspace_hits', 'redis_keyspace_hits_total', 'Lookups of reads that found the key.'),
  counter('keyspace_misses', 'redis_keyspace_misses_total', 'Lookups of reads that did not.'),
  counter('expired_keys', 'redis_expired_keys_total', 'Keys deleted because their time was up.'),
  counter(
    'expired_time_cap_reached_count',
    'redis_expired_time_cap_reached_total',
    'Expiry ticks that ended by their budget with work left.',
  ),
  counter('expire_cycle_ns', 'moon_expire_cycle_nanoseconds_total', 'Nanoseconds of expiry ticks.'),
  counter('evicted_keys', 'redis_evicted_keys_total', 'Keys deleted for maxmemory.'),
  counter('lazyfreed_objects', 'redis_lazyfreed_objects', 'Values freed in the background.'),
  level(
    'lazyfree_pending_objects',
    'redis_lazyfree_pending_objects',
    'Values waiting to be freed in the background.',
  ),
  counter('key_compares_hit', 'moon_key_compares_hit_total', 'Key comparisons of found lookups.'),
  counter('key_compares_miss', 'moon_key_compares_miss_total', 'Key comparisons of other lookups.'),
  counter('lookups_hit', 'moon_lookups_hit_total', 'Table lookups that found the key.'),
  counter('lookups_miss', 'moon_lookups_miss_total', 'Table lookups that did not.'),
];

/** How commands met the shards (DESIGN §2). */
const dispatch = [
  counter(
    'total_dispatch_local',
    'moon_dispatch_local_total',
    'Commands executed on slices of the thread that parsed them.',
  ),
  counter(
    'total_dispatch_cross_read_fast',
    'moon_dispatch_cross_read_fast_total',
    'Reads executed in place on slices of other threads.',
  ),
  counter(
    'total_dispatch_cross_write_fast',
    'moon_dispatch_cross_write_fast_total',
    'Writes executed in place on slices of other threads.',
  ),
  counter(
    'total_dispatch_cross_spsc',
    'moon_dispatch_cross_spsc_total',
    'Commands posted to another thread through the mesh.',
  ),
  counter(
    'total_remote_awaits_parked',
    'moon_remote_awaits_parked_total',
    'Times a connection waited for another thread.',
  ),
  counter('spsc_notify_wakes', 'moon_spsc_notify_wakes_total', 'Wake-ups sent to other threads.'),
  counter('token_contended', 'moon_token_contended_total', 'Tokens not free at the first try.'),
];

const loop = [
  counter('loop_turns', 'moon_loop_turns_total', 'Turns of the event loops.'),
  counter('loop_busy_ns', 'moon_loop_busy_nanoseconds_total', 'Nanoseconds of turns, not asleep.'),
  counter('system_calls', 'moon_system_calls_total', 'System calls of the event loops.'),
  counter('stalls', 'moon_stalls_total', 'Turns longer than stall-threshold-ms.'),
];

export const counters: readonly CounterRow[] = [
  ...clients,
  ...commands,
  ...keyspace,
  ...dispatch,
  ...loop,
];
