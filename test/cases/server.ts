// CONFIG, COMMAND, INFO: the server about itself.
import { list, OK, QUEUED, type WireCase } from './session.ts';

const SECTIONS = [
  'Server',
  'Clients',
  'Memory',
  'Persistence',
  'Stats',
  'Replication',
  'CPU',
  'Keyspace',
];

export const server: readonly WireCase[] = [
  {
    name: 'CONFIG SET takes all directives or none',
    run: (s) =>
      s.rows([
        [
          'CONFIG SET maxmemory-samples 6 maxmemory-policy wrong',
          /^-ERR CONFIG SET failed \(possibly related to argument 'maxmemory-policy'\)/,
        ],
        [
          'CONFIG SET maxmemory-samples 6 no-such 1',
          "-ERR Unknown option or number of arguments for CONFIG SET - 'no-such'",
        ],
        ['CONFIG SET maxmemory-samples 6 maxmemory-samples 7', /duplicate parameter$/],
        ['CONFIG SET maxmemory-samples', "-ERR wrong number of arguments for 'config|set' command"],
        ['CONFIG GET maxmemory-samples', '["maxmemory-samples", "5"]'],
        ['CONFIG SET maxmemory-samples 6 maxmemory 64mb', OK],
        [
          'CONFIG GET maxmemory maxmemory-s*',
          (reply) =>
            reply.includes('"maxmemory", "67108864"') && reply.includes('"maxmemory-samples", "6"'),
        ],
        ['CONFIG SET MAXMEMORY 0 maxmemory-samples 5', OK],
        ['CONFIG GET no-such', '[]'],
        ['CONFIG GET databases', '["databases", "16"]'],
        ['CONFIG SET databases 3', /can't set immutable config$/],
        ['CONFIG SET maxmemory 1tb0', /argument must be a memory value|^-ERR/],
      ]),
  },
  {
    name: 'sizes with units',
    run: async (s) => {
      const sizes: readonly (readonly [string, number])[] = [
        ['100', 100],
        ['3k', 3000],
        ['3kb', 3072],
        ['2m', 2_000_000],
        ['2MB', 2_097_152],
        ['4gb', 4_294_967_296],
        ['1g', 1_000_000_000],
        ['7b', 7],
      ];
      for (const [text, bytes] of sizes) {
        await s.rows([
          [['CONFIG', 'SET', 'maxmemory', text], OK],
          ['CONFIG GET maxmemory', list('"maxmemory"', `"${bytes}"`)],
        ]);
      }
      await s.rows([['CONFIG SET maxmemory 0', OK]]);
    },
  },
  {
    name: 'hits, misses and errors are counted, RESETSTAT starts anew',
    run: async (s) => {
      await s.rows([
        ['SET k v', OK],
        ['GET k', '"v"'],
        ['GET none', 'nil'],
        ['MGET k none none', /^\[/],
        ['NOSUCH', /^-ERR/],
        ['INCR k', /^-ERR/],
      ]);
      const text = await s.call('INFO stats');
      for (const field of ['keyspace_hits:2', 'keyspace_misses:3', 'total_error_replies:2']) {
        if (!text.includes(`\\n${field}\\r`)) throw new Error(`no ${field} in ${text}`);
      }
      await s.rows([
        ['INFO errorstats', /errorstat_ERR:count=2/],
        ['INFO commandstats', /cmdstat_incr:calls=1,.*failed_calls=1/],
        ['CONFIG RESETSTAT', OK],
        ['INFO stats', /keyspace_hits:0\\r\\nkeyspace_misses:0\\r/],
      ]);
    },
  },
  {
    name: 'INFO by section, several sections, and all',
    run: async (s) => {
      const whole = await s.call('INFO');
      for (const section of SECTIONS) {
        if (!whole.includes(`# ${section}\\r\\n`)) throw new Error(`no section ${section}`);
        await s.rows([
          [
            `INFO ${section.toLowerCase()}`,
            (reply) => reply.startsWith(`"# ${section}\\r\\n`) && reply.split('# ').length === 2,
          ],
        ]);
      }
      await s.rows([
        [
          'INFO server clients',
          (reply) => reply.includes('# Server') && reply.includes('# Clients'),
        ],
        ['INFO everything', /# Commandstats/],
        ['INFO nosuch', '""'],
        ['SET k v EX 100', OK],
        ['SELECT 7', OK],
        ['MSET a 1 b 2', OK],
        ['INFO keyspace', /db0:keys=1,expires=1,avg_ttl=\d+.*\\r\\ndb7:keys=2,expires=0/],
      ]);
    },
  },
  {
    name: 'INFO says what tools ask for',
    run: async (s) => {
      const text = await s.call('INFO');
      for (const field of [
        /redis_version:7\.\d+\.\d+/,
        /redis_mode:standalone/,
        /loading:0/,
        /role:master/,
        /tcp_port:\d+/,
        /uptime_in_seconds:\d+/,
        /used_memory:\d+/,
        /maxmemory_policy:noeviction/,
        /connected_clients:\d+/,
        /run_id:[0-9a-f]{40}/,
        /process_id:\d+/,
        /used_memory_human:[\d.]+[BKMG]/,
        /evicted_keys:0/,
        /instantaneous_ops_per_sec:\d+/,
        /master_repl_offset:\d+/,
        /cluster_enabled:0/,
      ]) {
        if (!field.test(text)) throw new Error(`no ${String(field)}`);
      }
    },
  },
  {
    name: 'COMMAND in the shape that clients parse',
    run: async (s) => {
      const { elements } = await (await s.on(1)).ask('COMMAND');
      for (const { elements: row } of elements) {
        if (row.length !== 10 || row[1]?.mark !== ':')
          throw new Error(`${row[0]?.text}: ${row.length} fields`);
      }
      await s.rows([
        ['COMMAND COUNT', `:${elements.length}`],
        ['COMMAND INFO get nosuch set', /^\[\["get", :2, .*\], nil(\[\])?, \["set", :-3, .*\]\]$/],
        ['COMMAND DOCS get', /^\["get", \["summary", ".*", "since", "1\.0\.0", "group", "string"/],
        ['COMMAND DOCS nosuch', '[]'],
        ['COMMAND LIST FILTERBY PATTERN getr*', '["getrange"]'],
        ['COMMAND GETKEYS MSETNX a 1 b 2', '["a", "b"]'],
        ['COMMAND GETKEYS BITOP XOR d x y', '["d", "x", "y"]'],
        ['COMMAND GETKEYS PING x', '-ERR The command has no key arguments'],
        ['COMMAND GETKEYS nosuch x', '-ERR Invalid command specified'],
        ['COMMAND GETKEYSANDFLAGS GETDEL k', '[["k", [+RW, +access, +delete]]]'],
      ]);
    },
  },
  {
    name: 'database numbers',
    run: (s) =>
      s.rows([
        ['SELECT 16', '-ERR DB index is out of range'],
        ['SELECT -1', '-ERR DB index is out of range'],
        ['SELECT one', '-ERR value is not an integer or out of range'],
        ['SWAPDB 0 16', '-ERR DB index is out of range'],
        ['COPY a b DB 16', '-ERR DB index is out of range'],
        ['MOVE a 0', '-ERR source and destination objects are the same'],
        ['MULTI', OK],
        ['SELECT 99', QUEUED],
        ['EXEC', '[-ERR DB index is out of range]'],
      ]),
  },
  {
    name: 'OBJECT follows the policy',
    run: (s) =>
      s.rows([
        ['SET k text', OK],
        ['OBJECT IDLETIME k', ':0'],
        ['OBJECT FREQ k', /^-ERR An LFU maxmemory policy is not selected/],
        ['CONFIG SET maxmemory-policy allkeys-lfu', OK],
        ['SET k text2', OK],
        ['OBJECT FREQ k', /^:\d+$/],
        ['OBJECT IDLETIME k', /^-ERR An LFU maxmemory policy is selected/],
        ['CONFIG SET maxmemory-policy noeviction', OK],
        ['OBJECT ENCODING none', 'nil'],
        ['MEMORY USAGE none', 'nil'],
        ['MEMORY USAGE k', (reply) => Number(reply.slice(1)) > 5],
      ]),
  },
];
