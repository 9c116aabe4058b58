// Odd bytes to both servers, whole and a byte at a time; replies and the connection's fate are
// compared.
import test from 'ava';
import { brief } from '../helpers/resp.ts';
import { axes, startAll, startRedis, type TestServer } from '../helpers/servers.ts';
import { none } from '../tidy/tree.ts';
import { rawCases, type RawCase } from './cases/raw.ts';
import { explain } from './compare.ts';

const END = 'end of raw bytes';
/** Longer ones are cut into pieces of this size instead of single bytes. */
const SINGLE_BYTES_MAX = 200;

type Cut = 'whole' | 'in pieces';

async function send(server: TestServer, one: RawCase, cut: Cut): Promise<Buffer[]> {
  const bytes = Buffer.from(one.bytes);
  const client = await server.connect();
  try {
    await client.pipeline(['FLUSHALL', 'SET seen 1']);
    const size = cut === 'whole' ? bytes.length : bytes.length > SINGLE_BYTES_MAX ? 9973 : 1;
    for (let at = 0; at < bytes.length && !client.isClosed; at += size) {
      client.write(bytes.subarray(at, at + size));
      if (cut === 'in pieces') await new Promise((resolve) => setTimeout(resolve, 1));
    }
    if (!one.closes) client.write(`ECHO "${END}"\r\n`);
    const replies: Buffer[] = [];
    for (;;) {
      const frame = await client.frameOrEnd(`${one.name}: a reply or the end`, 5000);
      replies.push(frame ?? Buffer.from('+(the connection was closed)\r\n'));
      if (frame === null || frame.includes(END)) return replies;
    }
  } finally {
    await client.close();
  }
}

function difference(wanted: readonly Buffer[], got: readonly Buffer[]): string | null {
  for (let i = 0; i < Math.max(wanted.length, got.length); i++) {
    const [a, b] = [wanted[i], got[i]];
    if (a === undefined || b === undefined) {
      const [who, reply] = a === undefined ? ['ours', b] : ['redis-server', a];
      return `reply ${i + 1}: only ${who} answers ${brief(reply as Buffer)}`;
    }
    if (!a.equals(b)) return `reply ${i + 1}\n      ${explain(a, b)}`;
  }
  return null;
}

const over = axes([1, 4]);
let oracle: TestServer;
let servers: readonly TestServer[] = [];
const wanted = new Map<string, Buffer[]>();

test.before('servers start', async () => {
  oracle = await startRedis();
  servers = await startAll(over);
  for (const one of rawCases) wanted.set(one.name, await send(oracle, one, 'whole'));
});
test.after.always('servers stop', async () => {
  await Promise.all([oracle, ...servers].map((server) => server.stop()));
});

over.forEach(({ shards, driver }, i) => {
  for (const cut of ['whole', 'in pieces'] as const) {
    test.serial(`raw bytes, ${cut}: ${shards} shards, ${driver}`, async (t) => {
      const problems: string[] = [];
      for (const one of rawCases) {
        const got = await send(servers[i] as TestServer, one, cut);
        const problem = difference(wanted.get(one.name) ?? [], got);
        if (problem !== null) problems.push(`${one.name}: ${problem}`);
      }
      none(t, problems);
    });
  }
});
