// Redis's directives that have no row here. A redis.conf that people already have must start: what
// tunes a part of Redis that does not exist here may stay and is mentioned once. What promises
// something that would not be kept is refused, with what to do instead.

/** Tuning without an object: the line may stay, whatever it says. */
const idle = new Set(
  `always-show-logo set-proc-title proc-title-template crash-log-enabled
  crash-memcheck-enabled locale-collate syslog-ident syslog-facility watchdog-period oom-score-adj
  oom-score-adj-values disable-thp jemalloc-bg-thread hide-user-data-from-log ignore-warnings
  use-exit-on-panic bio_cpulist aof_rewrite_cpulist bgsave_cpulist bio-cpulist aof-rewrite-cpulist
  bgsave-cpulist io-threads io-threads-do-reads activerehashing socket-mark-id
  enable-module-command active-defrag-cycle-max active-defrag-cycle-min active-defrag-ignore-bytes
  active-defrag-max-scan-fields active-defrag-threshold-lower active-defrag-threshold-upper
  stop-writes-on-bgsave-error rdbcompression rdbchecksum rdb-del-sync-files
  rdb-save-incremental-fsync rdb-key-save-delay key-load-delay
  loading-process-events-interval-bytes sanitize-dump-payload appendfilename appenddirname
  appendfsync no-appendfsync-on-rewrite auto-aof-rewrite-percentage auto-aof-rewrite-min-size
  aof-load-truncated aof-use-rdb-preamble aof-timestamp-enabled aof-rewrite-incremental-fsync
  aof-disable-auto-gc replica-serve-stale-data slave-serve-stale-data replica-read-only
  slave-read-only replica-lazy-flush slave-lazy-flush replica-priority slave-priority
  replica-announced replica-ignore-maxmemory slave-ignore-maxmemory
  replica-ignore-disk-write-errors min-replicas-max-lag
  min-slaves-max-lag repl-diskless-sync repl-diskless-sync-delay repl-diskless-sync-max-replicas
  repl-diskless-load repl-disable-tcp-nodelay repl-ping-replica-period repl-ping-slave-period
  repl-timeout repl-backlog-size repl-backlog-ttl propagation-error-behavior cluster-node-timeout
  cluster-migration-barrier cluster-allow-replica-migration cluster-require-full-coverage
  cluster-replica-no-failover cluster-slave-no-failover cluster-replica-validity-factor
  cluster-slave-validity-factor cluster-config-file cluster-link-sendbuf-limit
  cluster-allow-reads-when-down cluster-allow-pubsubshard-when-down cluster-announce-ip
  cluster-announce-port cluster-announce-bus-port cluster-announce-hostname
  cluster-announce-human-nodename cluster-preferred-endpoint-type cluster-port acl-pubsub-default
  acllog-max-len tracking-table-max-keys latency-monitor-threshold dynamic-hz
  lazyfree-lazy-eviction lazyfree-lazy-expire lazyfree-lazy-server-del lazyfree-lazy-user-del
  lazyfree-lazy-user-flush`
    .split(/\s+/)
    .filter((name) => name !== ''),
);

interface Refusal {
  /** Values that ask for nothing; these may stay. */
  readonly unless?: readonly string[];
  readonly why: string;
}

const noAcl: Refusal = {
  why: 'moon-server has no ACL users. Remove the line and use requirepass',
};
const noReplication: Refusal = { why: 'moon-server does not replicate. Remove the line' };
const noTls = (...unless: string[]): Refusal => ({
  unless,
  why: 'moon-server does not speak TLS. Remove the line and put a TLS proxy (stunnel, HAProxy) '
    + 'before it',
});

const refusals: Readonly<Record<string, Refusal>> = {
  'rename-command': {
    why: 'Commands cannot be renamed: clients and tools rely on their names. Remove the line; '
      + 'requirepass, enable-debug-command and enable-protected-configs restrict access',
  },
  loadmodule: { why: 'Modules cannot be loaded into moon-server. Remove the line' },
  include: { why: 'include belongs into a conf file' },
  user: noAcl,
  aclfile: { ...noAcl, unless: [''] },
  activedefrag: { unless: ['no'], why: 'there is nothing to defragment: write activedefrag no' },
  'syslog-enabled': { unless: ['no'], why: 'there is no syslog output: log to stdout or logfile' },
  supervised: {
    unless: ['no', 'auto'],
    why: 'moon-server does not notify systemd or upstart: write no, and Type=exec in the '
      + 'unit',
  },
  'min-replicas-to-write': { ...noReplication, unless: ['0'] },
  'min-slaves-to-write': { ...noReplication, unless: ['0'] },
  replicaof: noReplication,
  slaveof: noReplication,
  masterauth: noReplication,
  masteruser: noReplication,
  'replica-announce-ip': noReplication,
  'replica-announce-port': noReplication,
  'tls-port': noTls('0'),
  'tls-replication': noTls('no'),
  'tls-cluster': noTls('no'),
};

/**
 * What to do with a directive that has no row: 'idle', a text that refuses it, or undefined when
 * Redis has no such directive either.
 */
export function redisDirective(name: string, words: readonly string[]): string | undefined {
  if (idle.has(name)) return 'idle';
  const refusal = refusals[name] ?? (name.startsWith('tls-') ? noTls() : undefined);
  if (refusal === undefined) return undefined;
  return refusal.unless?.includes(words.join(' ').toLowerCase()) ? 'idle' : refusal.why;
}

/** For the test that a directive with a row has left these lists. */
export const withoutRow = (): string[] => [...idle, ...Object.keys(refusals)];
