// redis-server for the tests of the tables: one a test file.
import type { TestFn } from 'ava';
import { startRedis, type TestServer } from '../helpers/servers.ts';
import { decodeReplies, type Reply } from '../../src/native/resp.ts';

export interface OracleContext {
  redis: TestServer;
}

/** Starts redis-server before the tests of this file and stops it after them. */
export function withOracle(test: TestFn<OracleContext>): void {
  let redis: TestServer | undefined;
  test.before(async () => {
    redis = await startRedis();
  });
  test.beforeEach((t) => {
    if (redis !== undefined) t.context = { redis };
  });
  test.after.always(async () => {
    await redis?.stop();
  });
}

/** The reply's bytes. */
export async function ask(
  redis: TestServer,
  protocol: 2 | 3,
  command: readonly string[],
): Promise<Buffer> {
  const client = await redis.connect(protocol);
  const reply = await client.raw(command);
  client.close();
  return reply;
}

export const decode = (bytes: Buffer | string): Reply => {
  const [reply] = decodeReplies(Buffer.from(bytes), 1);
  return reply ?? null;
};
