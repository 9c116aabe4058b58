// What the server says of itself when it starts: everything one asks first when something is odd.
import type { NativeInfo } from '../native/binding.ts';
import { moonVersion, redisVersion } from '../version.ts';

export interface BannerFacts {
  readonly info: NativeInfo;
  readonly values: ReadonlyMap<string, string>;
  readonly configFile: string;
  readonly workingDirectory: string;
}

/** The line of --version: `v=` is where tools look, and the Redis version what they compare. */
export function versionLine(): string {
  const bits = process.arch.includes('64') ? 64 : 32;
  return `moon-server ${moonVersion} v=${redisVersion} bits=${bits} node=${process.versions.node}`;
}

export function startingLine(): string {
  return (
    `moon-server ${moonVersion} (compatible with Redis ${redisVersion}) is starting, ` +
    `Node ${process.versions.node}, pid=${process.pid}`
  );
}

export function bannerLines({ info, values, configFile, workingDirectory }: BannerFacts): string[] {
  const maxmemory = Number(values.get('maxmemory') ?? '0');
  const policy = values.get('maxmemory-policy') ?? 'noeviction';
  const limit =
    info.memoryLimit > 0
      ? `${humanBytes(info.memoryLimit)} (${info.memoryLimitSource})`
      : 'unknown';
  const threads = info.shards === 1 ? '1 shard' : `${info.shards} shards`;
  return [
    `I/O driver: ${info.ioDriver} (${info.ioDriverReason})`,
    `Threads: ${threads}, ${info.slices} slices of the keyspace`,
    `Memory limit: ${limit}; maxmemory ${
      maxmemory > 0 ? `${humanBytes(maxmemory)}, ${policy}` : 'not set'
    }`,
    'Persistence: none, data lives in memory and ends with the server',
    `Configuration: ${configFile || 'no conf file'}; directory ${workingDirectory}`,
    `Endpoints: ${endpoints(info).join(', ')}`,
  ];
}

function endpoints({ port, addresses, unixSocket }: NativeInfo): string[] {
  const tcp = addresses.map((address) => {
    const host = address === '*' ? '0.0.0.0' : address;
    return `redis://${host.includes(':') ? `[${host}]` : host}:${port}`;
  });
  const list = [...(port === 0 ? [] : tcp), ...(unixSocket === '' ? [] : [`unix://${unixSocket}`])];
  return list.length === 0 ? ['none'] : list;
}

/** As INFO's *_human fields: 1.50M. */
export function humanBytes(bytes: number): string {
  const units = ['B', 'K', 'M', 'G', 'T', 'P'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return unit === 0 ? `${value}B` : `${value.toFixed(2)}${units[unit]}`;
}
