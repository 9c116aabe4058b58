// The servers that the client suites talk to: few shards and many, both drivers.
import test from 'ava';
import { axes, startAll, type TestServer } from '../helpers/servers.ts';

export interface Fleet {
  readonly servers: readonly TestServer[];
  /** Does it on every server, in turn, each of them empty at first. */
  each(work: (server: TestServer) => Promise<void>): Promise<void>;
}

/** Starts before the file's tests and stops after them; its tests are serial. */
export function fleet(shards: readonly number[] = [1, 4]): Fleet {
  let servers: readonly TestServer[] = [];
  test.before('servers start', async () => {
    servers = await startAll(axes(shards));
  });
  test.after.always('servers stop', async () => {
    await Promise.all(servers.map((server) => server.stop()));
  });
  return {
    get servers() {
      return servers;
    },
    async each(work) {
      for (const server of servers) {
        const client = await server.connect();
        await client.call('FLUSHALL');
        await client.close();
        await work(server).catch((error: unknown) => {
          throw new Error(`on ${server.name}: ${String(error)}`, { cause: error });
        });
      }
    },
  };
}
