// Where and how the server listens, and how it treats connections.
import { INT_MAX, LONG_MAX, rowsOf } from './rows.ts';
import type { SettingRow } from './types.ts';

const net = rowsOf('network');
const clients = rowsOf('clients');

export const network: readonly SettingRow[] = [
  net.wordList(
    'bind',
    '127.0.0.1 -::1',
    'Addresses to listen on. A leading - means: not an error when the address is not available. ' +
      '* is every IPv4 address, ::* every IPv6 address.',
    { flags: ['immutable'] },
  ),
  net.int('port', 6379, [0, 65535], 'TCP port. 0: no TCP listener.', { flags: ['immutable'] }),
  net.text('unixsocket', '', 'Path of a unix socket to listen on. Empty: none.', {
    flags: ['immutable'],
  }),
  net.octal(
    'unixsocketperm',
    '0',
    [0, 0o777],
    'Permissions of the unix socket, octal. 0: as the umask says.',
    { flags: ['immutable'] },
  ),
  net.int('tcp-backlog', 511, [0, INT_MAX], 'Connections the kernel queues before accept.', {
    flags: ['immutable'],
  }),
  net.yesNo(
    'protected-mode',
    'yes',
    'Refuses clients of other machines while the server has no password.',
  ),
  net.int('timeout', 0, [0, INT_MAX], 'Seconds after which an idle client is closed. 0: never.'),
  net.int('tcp-keepalive', 300, [0, INT_MAX], 'Seconds between TCP keep-alive probes. 0: none.'),
  net.oneOf(
    'io-driver',
    'auto',
    ['auto', 'io_uring', 'epoll'],
    'How the shards talk to the kernel. auto: io_uring where the kernel allows it, else epoll.',
    { flags: ['immutable'] },
  ),
  net.int(
    'io-busy-poll-us',
    0,
    [0, 1_000_000],
    'Microseconds a shard polls for work before it sleeps. Switches itself off where shards ' +
      'share a core. 0: sleeps at once.',
  ),
];

export const clientLimits: readonly SettingRow[] = [
  clients.int('maxclients', 10000, [1, 4294967295], 'Clients connected at the same time.'),
  clients.memory(
    'client-query-buffer-limit',
    1073741824,
    [1048576, LONG_MAX],
    'Bytes a client may have sent of a command that is not complete.',
  ),
  clients.memory(
    'proto-max-bulk-len',
    536870912,
    [1048576, LONG_MAX],
    'Bytes of the longest argument, and of the longest string value.',
  ),
  clients.special(
    'output-limits',
    'client-output-buffer-limit',
    'normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60',
    'Per class of clients: bytes of unread replies that close the client at once, bytes that ' +
      'close it after the given seconds. 0: no limit.',
    { flags: ['multi-arg'] },
  ),
  clients.percentOrMemory(
    'maxmemory-clients',
    0,
    [-100, LONG_MAX],
    'Bytes of all clients’ buffers together, or a percentage of maxmemory, above which the ' +
      'largest clients are closed. 0: no limit.',
  ),
];
