// Threads, process, files, logs, monitoring, access.
import { INT_MAX, LONG_MAX, rowsOf } from './rows.ts';
import type { SettingRow } from './types.ts';

const thread = rowsOf('threads');
const common = rowsOf('general');
const monitor = rowsOf('monitoring');
const disk = rowsOf('persistence');
const access = rowsOf('security');

/** Slices of one server: shards × slices-per-shard (kMaxSlices in src-native/shard). */
export const SLICES_MAX = 512;

export const threads: readonly SettingRow[] = [
  thread.int(
    'shards',
    0,
    [0, SLICES_MAX],
    'Threads that serve clients and hold data. 0: as many as the machine or cgroup has CPUs.',
    { flags: ['immutable'] },
  ),
  thread.int(
    'slices-per-shard',
    4,
    [1, 64],
    'Parts of the keyspace per shard: more of them collide less and cost a little memory.',
    { flags: ['immutable'] },
  ),
  thread.oneOf(
    'cross-shard-fast-path',
    'auto',
    ['auto', 'on', 'off'],
    'Whether a shard executes commands on other shards’ keys in place. off: it sends them there. ' +
      'auto: on when there are several shards.',
    { flags: ['immutable'] },
  ),
  thread.text(
    'server-cpulist',
    '',
    'CPUs the shards are pinned to, in turn: 0-7, 0,2,4, 0-7:2. Empty: any.',
    { aliases: ['server_cpulist', 'cpu-affinity'], flags: ['immutable'] },
  ),
  thread.int(
    'stall-threshold-ms',
    20,
    [0, INT_MAX],
    'Milliseconds of one turn of a shard that are logged as a stall. 0: never.',
  ),
  thread.int(
    'busy-reply-threshold',
    5000,
    [0, LONG_MAX],
    'Milliseconds after which a script makes the server answer others with BUSY. 0: never.',
    { aliases: ['lua-time-limit'] },
  ),
];

export const general: readonly SettingRow[] = [
  common.int('databases', 16, [1, 65536], 'Logical databases; an empty one costs nothing.', {
    flags: ['immutable'],
  }),
  common.yesNo('daemonize', 'no', 'Whether the server leaves the terminal.', {
    flags: ['immutable'],
    refusal: 'moon-server stays in the foreground: use systemd, a container or nohup',
  }),
  common.text('pidfile', '', 'File to write the process id to. Empty: none.', {
    flags: ['immutable'],
  }),
  common.int(
    'shutdown-timeout',
    10,
    [0, INT_MAX],
    'Seconds that SHUTDOWN and SIGTERM wait for clients to receive their replies.',
  ),
  common.oneOf(
    'loglevel',
    'notice',
    ['debug', 'verbose', 'notice', 'warning', 'nothing'],
    'The least important lines that are logged.',
  ),
  common.text('logfile', '', 'File to log to. Empty: standard output.', {
    flags: ['immutable'],
  }),
  common.yesNo('cluster-enabled', 'no', 'Redis Cluster.', {
    flags: ['immutable'],
    refusal: 'moon-server has no cluster mode: it uses all CPUs in one process, see shards',
  }),
];

export const monitoring: readonly SettingRow[] = [
  monitor.int(
    'slowlog-log-slower-than',
    10000,
    [-1, LONG_MAX],
    'Microseconds from which a command counts as slow. 0: every command, -1: none.',
  ),
  monitor.int('slowlog-max-len', 128, [0, LONG_MAX], 'Slow commands that are kept.'),
  monitor.yesNo('latency-tracking', 'yes', 'Keeps a latency histogram for each command.'),
  monitor.special(
    'percentiles',
    'latency-tracking-info-percentiles',
    '50 99 99.9',
    'Percentiles that INFO latencystats shows.',
    { flags: ['multi-arg'] },
  ),
  monitor.special(
    'keyspace-events',
    'notify-keyspace-events',
    '',
    'Kinds of changes that are published: K and E for the channels, then g$lshzxetdmn or A.',
  ),
];

const noPersistence = 'this version of moon-server keeps data in memory only';

export const persistence: readonly SettingRow[] = [
  disk.wordList('save', '', 'When to write a snapshot: seconds and changes. Empty: never.', {
    refusal: `${noPersistence}: save "" is the one accepted value`,
  }),
  disk.yesNo('appendonly', 'no', 'Whether changes are logged to disk.', {
    refusal: `${noPersistence}: appendonly no is the one accepted value`,
  }),
  disk.text('dir', './', 'Working directory: relative paths start here.', {
    flags: ['protected'],
  }),
  disk.text('dbfilename', 'dump.rdb', 'Name of the snapshot file in dir.', {
    flags: ['protected', 'file-name'],
  }),
];

export const security: readonly SettingRow[] = [
  access.text('requirepass', '', 'Password that clients must give. Empty: none.', {
    flags: ['sensitive'],
  }),
  access.oneOf(
    'enable-debug-command',
    'no',
    ['no', 'yes', 'local'],
    'Who may use DEBUG: nobody, everybody, clients of this machine.',
    { flags: ['immutable'] },
  ),
  access.oneOf(
    'enable-protected-configs',
    'no',
    ['no', 'yes', 'local'],
    'Who may CONFIG SET dir and dbfilename: nobody, everybody, clients of this machine.',
    { flags: ['immutable'] },
  ),
];
