// Goal 9 and 11: resident bytes a key by value size, and what an idle server holds.
import { spawnSync } from 'node:child_process';
import { BenchServer, moon, redis, type ServerKind } from './servers.ts';

const KEYS = 1_000_000;
const SIZES = [8, 32, 64, 256, 1024] as const;

export interface MemoryResult {
  readonly goal: string;
  readonly name: string;
  readonly ours: number;
  readonly theirs: number;
}

/** A file of RESP that sets all keys, 16 bytes each, and the pipe that feeds it. */
async function bytesPerKey(kind: ServerKind, size: number): Promise<number> {
  const server = await BenchServer.start(kind);
  try {
    const before = server.rssBytes();
    const value = 'x'.repeat(size);
    for (let first = 0; first < KEYS; first += 50_000) {
      let input = '';
      for (let i = first; i < first + 50_000; i++) {
        input += `SET key:${String(i).padStart(12, '0')} ${value}\r\n`;
      }
      const { status } = spawnSync('redis-cli', ['-p', `${server.port}`, '--pipe'], { input });
      if (status !== 0) throw new Error('redis-cli --pipe failed');
    }
    if (!(await server.ask('DBSIZE')).includes(`:${KEYS}\r`)) throw new Error('keys are missing');
    return (server.rssBytes() - before) / KEYS;
  } finally {
    await server.stop();
  }
}

export async function measureMemory(): Promise<MemoryResult[]> {
  const results: MemoryResult[] = [];
  for (const size of SIZES) {
    results.push({
      goal: '9',
      name: `RSS bytes a key, value of ${size}`,
      ours: await bytesPerKey(moon(1), size),
      theirs: await bytesPerKey(redis, size),
    });
  }
  return results;
}
