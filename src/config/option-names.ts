// Generated from src/config by scripts/generate.mts: npm run generate. Do not edit.

/** What an option may be; lists are for directives that take several words. */
export type OptionValue = string | number | bigint | boolean | readonly (string | number)[];

/** The directives as options; docs are those of `conf/moon.conf`. */
export interface DirectiveOptions {
  /**
   * Addresses to listen on. A leading - means: not an error when the address is not available. * is
   * every IPv4 address, ::* every IPv6 address. Directive: bind.
   */
  readonly bind?: string | readonly (string | number)[] | undefined;
  /**
   * TCP port. 0, the default here: any free one, see server.port. Directive: port.
   */
  readonly port?: number | bigint | undefined;
  /**
   * Path of a unix socket to listen on. Empty: none. Directive: unixsocket.
   */
  readonly unixsocket?: string | undefined;
  /**
   * Permissions of the unix socket, octal. 0: as the umask says. Directive: unixsocketperm.
   */
  readonly unixsocketperm?: string | undefined;
  /**
   * Connections the kernel queues before accept. Directive: tcp-backlog.
   */
  readonly tcpBacklog?: number | bigint | undefined;
  /**
   * Refuses clients of other machines while the server has no password. Directive: protected-mode.
   */
  readonly protectedMode?: boolean | 'yes' | 'no' | undefined;
  /**
   * Seconds after which an idle client is closed. 0: never. Directive: timeout.
   */
  readonly timeout?: number | bigint | undefined;
  /**
   * Seconds between TCP keep-alive probes. 0: none. Directive: tcp-keepalive.
   */
  readonly tcpKeepalive?: number | bigint | undefined;
  /**
   * How the shards talk to the kernel. auto: io_uring where the kernel allows it, else epoll.
   * Directive: io-driver.
   */
  readonly ioDriver?: 'auto' | 'io_uring' | 'epoll' | undefined;
  /**
   * Microseconds a shard polls for work before it sleeps. Switches itself off where shards share a
   * core. 0: sleeps at once. Directive: io-busy-poll-us.
   */
  readonly ioBusyPollUs?: number | bigint | undefined;
  /**
   * Threads that serve clients and hold data. 0: as many as the machine or cgroup has CPUs.
   * Directive: shards.
   */
  readonly shards?: number | bigint | undefined;
  /**
   * Parts of the keyspace per shard: more of them collide less and cost a little memory. Directive:
   * slices-per-shard.
   */
  readonly slicesPerShard?: number | bigint | undefined;
  /**
   * Whether a shard executes commands on other shards’ keys in place. off: it sends them there.
   * auto: on when there are several shards. Directive: cross-shard-fast-path.
   */
  readonly crossShardFastPath?: 'auto' | 'on' | 'off' | undefined;
  /**
   * CPUs the shards are pinned to, in turn: 0-7, 0,2,4, 0-7:2. Empty: any. Directive:
   * server-cpulist.
   */
  readonly serverCpulist?: string | undefined;
  /**
   * Milliseconds of one turn of a shard that are logged as a stall. 0: never. Directive:
   * stall-threshold-ms.
   */
  readonly stallThresholdMs?: number | bigint | undefined;
  /**
   * Milliseconds after which a script makes the server answer others with BUSY. 0: never.
   * Directive: busy-reply-threshold.
   */
  readonly busyReplyThreshold?: number | bigint | undefined;
  /**
   * Logical databases; an empty one costs nothing. Directive: databases.
   */
  readonly databases?: number | bigint | undefined;
  /**
   * Whether the server leaves the terminal. Directive: daemonize.
   */
  readonly daemonize?: boolean | 'yes' | 'no' | undefined;
  /**
   * File to write the process id to. Empty: none. Directive: pidfile.
   */
  readonly pidfile?: string | undefined;
  /**
   * Seconds that SHUTDOWN and SIGTERM wait for clients to receive their replies. Directive:
   * shutdown-timeout.
   */
  readonly shutdownTimeout?: number | bigint | undefined;
  /**
   * The least important lines that are logged. Directive: loglevel.
   */
  readonly loglevel?: 'debug' | 'verbose' | 'notice' | 'warning' | 'nothing' | undefined;
  /**
   * File to log to. Empty: standard output. Directive: logfile.
   */
  readonly logfile?: string | undefined;
  /**
   * Redis Cluster. Directive: cluster-enabled.
   */
  readonly clusterEnabled?: boolean | 'yes' | 'no' | undefined;
  /**
   * Clients connected at the same time. Directive: maxclients.
   */
  readonly maxclients?: number | bigint | undefined;
  /**
   * Bytes a client may have sent of a command that is not complete. Directive:
   * client-query-buffer-limit.
   */
  readonly clientQueryBufferLimit?: number | bigint | string | undefined;
  /**
   * Bytes of the longest argument, and of the longest string value. Directive: proto-max-bulk-len.
   */
  readonly protoMaxBulkLen?: number | bigint | string | undefined;
  /**
   * Per class of clients: bytes of unread replies that close the client at once, bytes that close
   * it after the given seconds. 0: no limit. Directive: client-output-buffer-limit.
   */
  readonly clientOutputBufferLimit?: string | readonly (string | number)[] | undefined;
  /**
   * Bytes of all clients’ buffers together, or a percentage of maxmemory, above which the largest
   * clients are closed. 0: no limit. Directive: maxmemory-clients.
   */
  readonly maxmemoryClients?: number | bigint | string | undefined;
  /**
   * Bytes the data may take. 0: no limit. Directive: maxmemory.
   */
  readonly maxmemory?: number | bigint | string | undefined;
  /**
   * Which keys go when maxmemory is reached: of all, or of those with an expiry time, the least
   * recently used, the least frequently used, any, or those that expire first; or none, and writes
   * fail. Directive: maxmemory-policy.
   */
  readonly maxmemoryPolicy?: 
    | 'volatile-lru'
    | 'volatile-lfu'
    | 'volatile-random'
    | 'volatile-ttl'
    | 'allkeys-lru'
    | 'allkeys-lfu'
    | 'allkeys-random'
    | 'noeviction' | undefined;
  /**
   * Keys looked at for each one evicted: more is more exact and slower. More than 64 count as 64.
   * Directive: maxmemory-samples.
   */
  readonly maxmemorySamples?: number | bigint | undefined;
  /**
   * How long a command may evict before it runs: up to 10, that many times 50 microseconds; from
   * there 15 percent more for each; 100: as long as it takes. Directive:
   * maxmemory-eviction-tenacity.
   */
  readonly maxmemoryEvictionTenacity?: number | bigint | undefined;
  /**
   * How fast the frequency counter of a key saturates: higher tells more accesses apart. Directive:
   * lfu-log-factor.
   */
  readonly lfuLogFactor?: number | bigint | undefined;
  /**
   * Minutes after which the frequency counter of an unused key loses one. 0: at every look.
   * Directive: lfu-decay-time.
   */
  readonly lfuDecayTime?: number | bigint | undefined;
  /**
   * How often a second a shard looks for keys that expire sooner than it knew, 1 to 500. Keys it
   * knows of are deleted at their time. Directive: hz.
   */
  readonly hz?: number | bigint | undefined;
  /**
   * How much of a turn background expiry may take, 1 to 10 times 300 microseconds. Directive:
   * active-expire-effort.
   */
  readonly activeExpireEffort?: number | bigint | undefined;
  /**
   * Fields up to which a hash is a listpack. Directive: hash-max-listpack-entries.
   */
  readonly hashMaxListpackEntries?: number | bigint | undefined;
  /**
   * Bytes of a field or value up to which a hash is a listpack. Directive: hash-max-listpack-value.
   */
  readonly hashMaxListpackValue?: number | bigint | string | undefined;
  /**
   * Size of a list’s nodes: elements, or -1 … -5 for 4, 8, 16, 32, 64 KiB. Directive:
   * list-max-listpack-size.
   */
  readonly listMaxListpackSize?: number | bigint | undefined;
  /**
   * Nodes at both ends of a list that stay uncompressed. 0: all of them. Directive:
   * list-compress-depth.
   */
  readonly listCompressDepth?: number | bigint | undefined;
  /**
   * Members up to which a set of integers is an intset. Directive: set-max-intset-entries.
   */
  readonly setMaxIntsetEntries?: number | bigint | undefined;
  /**
   * Members up to which a set is a listpack. Directive: set-max-listpack-entries.
   */
  readonly setMaxListpackEntries?: number | bigint | undefined;
  /**
   * Bytes of a member up to which a set is a listpack. Directive: set-max-listpack-value.
   */
  readonly setMaxListpackValue?: number | bigint | string | undefined;
  /**
   * Members up to which a sorted set is a listpack. Directive: zset-max-listpack-entries.
   */
  readonly zsetMaxListpackEntries?: number | bigint | undefined;
  /**
   * Bytes of a member up to which a sorted set is a listpack. Directive: zset-max-listpack-value.
   */
  readonly zsetMaxListpackValue?: number | bigint | string | undefined;
  /**
   * Bytes up to which a HyperLogLog is sparse. Directive: hll-sparse-max-bytes.
   */
  readonly hllSparseMaxBytes?: number | bigint | string | undefined;
  /**
   * Bytes of a stream’s node. 0: any. Directive: stream-node-max-bytes.
   */
  readonly streamNodeMaxBytes?: number | bigint | string | undefined;
  /**
   * Entries of a stream’s node. 0: any number. Directive: stream-node-max-entries.
   */
  readonly streamNodeMaxEntries?: number | bigint | undefined;
  /**
   * Microseconds from which a command counts as slow. 0: every command, -1: none. Directive:
   * slowlog-log-slower-than.
   */
  readonly slowlogLogSlowerThan?: number | bigint | undefined;
  /**
   * Slow commands that are kept. Directive: slowlog-max-len.
   */
  readonly slowlogMaxLen?: number | bigint | undefined;
  /**
   * Keeps a latency histogram for each command. Directive: latency-tracking.
   */
  readonly latencyTracking?: boolean | 'yes' | 'no' | undefined;
  /**
   * Percentiles that INFO latencystats shows. Directive: latency-tracking-info-percentiles.
   */
  readonly latencyTrackingInfoPercentiles?: string | readonly number[] | undefined;
  /**
   * Kinds of changes that are published: K and E for the channels, then g$lshzxetdmn or A.
   * Directive: notify-keyspace-events.
   */
  readonly notifyKeyspaceEvents?: string | undefined;
  /**
   * When to write a snapshot: seconds and changes. Empty: never. Directive: save.
   */
  readonly save?: string | readonly (string | number)[] | undefined;
  /**
   * Whether changes are logged to disk. Directive: appendonly.
   */
  readonly appendonly?: boolean | 'yes' | 'no' | undefined;
  /**
   * Working directory: relative paths start here. Directive: dir.
   */
  readonly dir?: string | undefined;
  /**
   * Name of the snapshot file in dir. Directive: dbfilename.
   */
  readonly dbfilename?: string | undefined;
  /**
   * Password that clients must give. Empty: none. Directive: requirepass.
   */
  readonly requirepass?: string | undefined;
  /**
   * Who may use DEBUG: nobody, everybody, clients of this machine. Directive: enable-debug-command.
   */
  readonly enableDebugCommand?: 'no' | 'yes' | 'local' | undefined;
  /**
   * Who may CONFIG SET dir and dbfilename: nobody, everybody, clients of this machine. Directive:
   * enable-protected-configs.
   */
  readonly enableProtectedConfigs?: 'no' | 'yes' | 'local' | undefined;
}
