// INFO: sections and fields in Redis 7.2's order, ours between them. C++ renders it
// (src-native/dispatch/info_template.h) without asking JavaScript. A field's value is a text that
// never changes, a counter, a setting, or a gauge: a function of the server that C++ registers
// under the name given here (src-native/server/gauges.cc). A block writes whole lines.

/** How a number is shown; the order is InfoTemplate::Form's in C++. */
export const infoForms = ['plain', 'human'] as const;

export type InfoForm = (typeof infoForms)[number];

export type InfoPiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'counter'; readonly counter: string; readonly divisor: number }
  | { readonly kind: 'setting'; readonly setting: string; readonly form: InfoForm }
  | { readonly kind: 'gauge'; readonly gauge: string; readonly form: InfoForm }
  | { readonly kind: 'block'; readonly block: string };

export interface InfoSection {
  /** As shown in the heading. */
  readonly name: string;
  /** Shown by INFO without arguments. All sections are shown by `all` and `everything`. */
  readonly inDefault: boolean;
  readonly pieces: readonly InfoPiece[];
}

const field = (name: string, piece: InfoPiece): InfoPiece[] => [
  { kind: 'text', text: `${name}:` },
  piece,
  { kind: 'text', text: '\r\n' },
];

const fixed = (name: string, text: string): InfoPiece[] => field(name, { kind: 'text', text });

/** Fields that are 0 for a server that has not the thing they count. */
const zero = (...names: string[]): InfoPiece[] => names.flatMap((name) => fixed(name, '0'));

const counter = (name: string, from: string = name, divisor = 1): InfoPiece[] =>
  field(name, { kind: 'counter', counter: from, divisor });

const counters = (...names: string[]): InfoPiece[] => names.flatMap((name) => counter(name));

const setting = (name: string, from: string = name, form: InfoForm = 'plain'): InfoPiece[] =>
  field(name, { kind: 'setting', setting: from, form });

const gauges = (...names: string[]): InfoPiece[] =>
  names.flatMap((name) => field(name, { kind: 'gauge', gauge: name, form: 'plain' }));

/** Bytes, and once more for people. */
const bytes = (name: string): InfoPiece[] => [
  ...gauges(name),
  ...field(`${name}_human`, { kind: 'gauge', gauge: name, form: 'human' }),
];

const block = (name: string): InfoPiece => ({ kind: 'block', block: name });

const section = (
  name: string,
  pieces: readonly (InfoPiece | readonly InfoPiece[])[],
  inDefault = true,
): InfoSection => ({
  name,
  inDefault,
  pieces: [{ kind: 'text', text: `# ${name}\r\n` }, ...pieces.flat()],
});

const NANOSECONDS_A_MICROSECOND = 1_000;
const NANOSECONDS_A_MILLISECOND = 1_000_000;

const server = section('Server', [
  gauges('redis_version', 'moon_version'),
  fixed('redis_git_sha1', '00000000'),
  zero('redis_git_dirty'),
  gauges('redis_build_id'),
  fixed('redis_mode', 'standalone'),
  gauges('os'),
  fixed('arch_bits', '64'),
  fixed('monotonic_clock', 'POSIX clock_gettime'),
  field('multiplexing_api', { kind: 'gauge', gauge: 'io_driver', form: 'plain' }),
  fixed('atomicvar_api', 'c++20-atomic'),
  gauges('gcc_version', 'process_id'),
  fixed('process_supervised', 'no'),
  gauges('run_id', 'tcp_port', 'server_time_usec', 'uptime_in_seconds', 'uptime_in_days'),
  setting('hz'),
  setting('configured_hz', 'hz'),
  gauges('lru_clock', 'executable', 'config_file'),
  zero('io_threads_active'),
  block('listeners'),
]);

const clients = section('Clients', [
  counters('connected_clients'),
  zero('cluster_connections'),
  setting('maxclients'),
  gauges('client_recent_max_input_buffer', 'client_recent_max_output_buffer'),
  // There are no commands yet that block, and no tracking.
  zero('blocked_clients', 'tracking_clients'),
  zero('total_blocking_keys', 'total_blocking_keys_on_nokey'),
]);

const memory = section('Memory', [
  bytes('used_memory'),
  bytes('used_memory_rss'),
  bytes('used_memory_peak'),
  gauges('used_memory_peak_perc', 'used_memory_overhead', 'used_memory_startup'),
  gauges('used_memory_dataset', 'used_memory_dataset_perc'),
  gauges('allocator_allocated', 'allocator_active', 'allocator_resident'),
  bytes('total_system_memory'),
  zero('used_memory_lua', 'used_memory_vm_eval'),
  fixed('used_memory_lua_human', '0B'),
  zero('used_memory_scripts_eval', 'number_of_cached_scripts', 'number_of_functions'),
  zero('number_of_libraries', 'used_memory_vm_functions', 'used_memory_vm_total'),
  fixed('used_memory_vm_total_human', '0B'),
  zero('used_memory_functions', 'used_memory_scripts'),
  fixed('used_memory_scripts_human', '0B'),
  setting('maxmemory'),
  setting('maxmemory_human', 'maxmemory', 'human'),
  setting('maxmemory_policy', 'maxmemory-policy'),
  gauges('allocator_frag_ratio', 'allocator_frag_bytes'),
  gauges('allocator_rss_ratio', 'allocator_rss_bytes'),
  gauges('rss_overhead_ratio', 'rss_overhead_bytes'),
  gauges('mem_fragmentation_ratio', 'mem_fragmentation_bytes'),
  zero('mem_not_counted_for_evict', 'mem_replication_backlog', 'mem_total_replication_buffers'),
  zero('mem_clients_slaves'),
  counter('mem_clients_normal', 'client_memory'),
  zero('mem_cluster_links', 'mem_aof_buffer'),
  gauges('mem_allocator'),
  zero('active_defrag_running'),
  counters('lazyfree_pending_objects', 'lazyfreed_objects'),
]);

/** The truth for a server that keeps its data in memory only. */
const persistence = section('Persistence', [
  zero('loading', 'async_loading', 'current_cow_peak', 'current_cow_size'),
  zero('current_cow_size_age'),
  fixed('current_fork_perc', '0.00'),
  zero('current_save_keys_processed', 'current_save_keys_total'),
  gauges('rdb_changes_since_last_save'),
  zero('rdb_bgsave_in_progress'),
  gauges('rdb_last_save_time'),
  fixed('rdb_last_bgsave_status', 'ok'),
  fixed('rdb_last_bgsave_time_sec', '-1'),
  fixed('rdb_current_bgsave_time_sec', '-1'),
  zero('rdb_saves', 'rdb_last_cow_size', 'rdb_last_load_keys_expired'),
  zero('rdb_last_load_keys_loaded', 'aof_enabled', 'aof_rewrite_in_progress'),
  zero('aof_rewrite_scheduled'),
  fixed('aof_last_rewrite_time_sec', '-1'),
  fixed('aof_current_rewrite_time_sec', '-1'),
  fixed('aof_last_bgrewrite_status', 'ok'),
  zero('aof_rewrites', 'aof_rewrites_consecutive_failures'),
  fixed('aof_last_write_status', 'ok'),
  zero('aof_last_cow_size', 'module_fork_in_progress', 'module_fork_last_cow_size'),
]);

const stats = section('Stats', [
  counters('total_connections_received', 'total_commands_processed'),
  gauges('instantaneous_ops_per_sec'),
  counters('total_net_input_bytes', 'total_net_output_bytes'),
  zero('total_net_repl_input_bytes', 'total_net_repl_output_bytes'),
  gauges('instantaneous_input_kbps', 'instantaneous_output_kbps'),
  fixed('instantaneous_input_repl_kbps', '0.00'),
  fixed('instantaneous_output_repl_kbps', '0.00'),
  counters('rejected_connections'),
  zero('sync_full', 'sync_partial_ok', 'sync_partial_err'),
  counters('expired_keys', 'expired_time_cap_reached_count'),
  counter('expire_cycle_cpu_milliseconds', 'expire_cycle_ns', NANOSECONDS_A_MILLISECOND),
  counters('evicted_keys', 'evicted_clients', 'keyspace_hits', 'keyspace_misses'),
  zero('pubsub_channels', 'pubsub_patterns', 'pubsubshard_channels', 'latest_fork_usec'),
  zero('total_forks', 'migrate_cached_sockets', 'slave_expires_tracked_keys'),
  zero('active_defrag_hits', 'active_defrag_misses', 'active_defrag_key_hits'),
  zero('active_defrag_key_misses', 'total_active_defrag_time', 'current_active_defrag_time'),
  zero('tracking_total_keys', 'tracking_total_items', 'tracking_total_prefixes'),
  zero('unexpected_error_replies'),
  counters('total_error_replies'),
  zero('dump_payload_sanitizations'),
  counters('total_reads_processed', 'total_writes_processed'),
  zero('io_threaded_reads_processed', 'io_threaded_writes_processed'),
  counters('client_query_buffer_limit_disconnections'),
  counters('client_output_buffer_limit_disconnections'),
  counter('eventloop_cycles', 'loop_turns'),
  counter('eventloop_duration_sum', 'loop_busy_ns', NANOSECONDS_A_MICROSECOND),
  gauges('eventloop_duration_cmd_sum', 'instantaneous_eventloop_cycles_per_sec'),
  gauges('instantaneous_eventloop_duration_usec'),
  counters('acl_access_denied_auth'),
  zero('acl_access_denied_cmd', 'acl_access_denied_key', 'acl_access_denied_channel'),
]);

const replication = section('Replication', [
  fixed('role', 'master'),
  zero('connected_slaves'),
  fixed('master_failover_state', 'no-failover'),
  gauges('master_replid'),
  fixed('master_replid2', '0'.repeat(40)),
  zero('master_repl_offset'),
  fixed('second_repl_offset', '-1'),
  zero('repl_backlog_active', 'repl_backlog_size', 'repl_backlog_first_byte_offset'),
  zero('repl_backlog_histlen'),
]);

const cpu = section('CPU', [
  gauges('used_cpu_sys', 'used_cpu_user', 'used_cpu_sys_children', 'used_cpu_user_children'),
  gauges('used_cpu_sys_main_thread', 'used_cpu_user_main_thread'),
]);

/** How commands met the shards (DESIGN §2), and what it cost. */
const dispatch = section('Dispatch', [
  gauges('io_driver', 'io_driver_reason', 'shards', 'slices', 'cross_shard_fast_path'),
  counters('total_dispatch_local', 'total_dispatch_cross_read_fast'),
  counters('total_dispatch_cross_write_fast', 'total_dispatch_cross_spsc'),
  counters('total_remote_awaits_parked', 'spsc_notify_wakes', 'token_contended'),
  counters('loop_turns', 'system_calls', 'stalls'),
  counters('lookups_hit', 'lookups_miss', 'key_compares_hit', 'key_compares_miss'),
]);

export const infoTemplate: readonly InfoSection[] = [
  server,
  clients,
  memory,
  persistence,
  stats,
  replication,
  cpu,
  dispatch,
  section('Shards', [block('shard_lines')]),
  section('Modules', []),
  section('Commandstats', [block('commandstats')], false),
  section('Errorstats', [block('errorstats')]),
  section('Latencystats', [block('latencystats')], false),
  section('Cluster', [zero('cluster_enabled')]),
  section('Keyspace', [block('keyspace')]),
];
