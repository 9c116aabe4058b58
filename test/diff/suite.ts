// The differential suite over one driver: every table × shards × RESP × {plain, MULTI}, each case
// sent both pipelined and one by one. The servers live as long as the file's process.
import test, { type ExecutionContext } from 'ava';
import { axes, startAll, startRedis, type Driver, type TestServer } from '../helpers/servers.ts';
import { tables } from './cases/index.ts';
import { check } from './check.ts';
import { expectations, isTimely, type Expectation, type Mode } from './oracle.ts';
import { DELIVERIES, type Protocol } from './play.ts';
import type { DiffCase } from './types.ts';

const MODES: readonly Mode[] = ['plain', 'MULTI'];
const PROTOCOLS: readonly Protocol[] = [2, 3];
const REPORTED_MAX = 12;

/** Work on one server is done in turn: FLUSHALL belongs to one case at a time. */
class InTurn {
  private last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.last.then(work);
    this.last = result.catch(() => undefined);
    return result;
  }
}

type Answers = readonly Expectation[];

/** Redis's answers, asked for once where they do not depend on the time. */
class Oracle {
  server!: TestServer;
  private readonly known = new Map<string, Promise<Answers>>();
  private readonly turn = new InTurn();

  answersTo(one: DiffCase, protocol: Protocol, mode: Mode): Promise<Answers> {
    const ask = (): Promise<Answers> =>
      this.turn.run(() => expectations(this.server, one, protocol, mode));
    if (isTimely(one)) return ask();
    const key = `${one.name} ${protocol} ${mode}`;
    const answers = this.known.get(key) ?? ask();
    this.known.set(key, answers);
    return answers;
  }
}

interface Part {
  readonly server: TestServer;
  readonly table: string;
  readonly protocol: Protocol;
  readonly mode: Mode;
}

async function compareTable(
  oracle: Oracle,
  { server, table, protocol, mode }: Part,
): Promise<string[]> {
  const problems: string[] = [];
  for (const one of tables[table] ?? []) {
    for (const delivery of DELIVERIES) {
      try {
        for (const expectation of await oracle.answersTo(one, protocol, mode)) {
          const problem = await check(server, expectation, protocol, delivery);
          if (problem !== null) problems.push(`${one.name}, ${delivery}: ${problem}`);
        }
      } catch (error) {
        problems.push(`${one.name}, ${delivery}: ${messageOf(error)}`);
        if (!server.alive) return [...problems, `${await server.ended}\n${server.log}`];
        await recover(server);
      }
    }
  }
  return problems;
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** A case that broke off may have left a password behind. */
async function recover(server: TestServer): Promise<void> {
  const client = await server.connect().catch(() => null);
  await client?.pipeline(['AUTH secret', ['CONFIG', 'SET', 'requirepass', '']]).catch(() => null);
  await client?.close();
}

function report(t: ExecutionContext, problems: readonly string[]): void {
  if (problems.length === 0) {
    t.pass();
    return;
  }
  const more = problems.length - REPORTED_MAX;
  const shown = problems.slice(0, REPORTED_MAX).join('\n    ');
  t.fail(`\n    ${shown}${more > 0 ? `\n    and ${more} more` : ''}`);
}

export function differentialSuite(driver: Driver): void {
  const over = axes(undefined, [driver]);
  const turns = over.map(() => new InTurn());
  const oracle = new Oracle();
  let servers: readonly TestServer[] = [];

  test.before('servers start', async () => {
    oracle.server = await startRedis();
    servers = await startAll(over);
  });
  test.after.always('servers stop', async () => {
    await Promise.all([oracle.server, ...servers].map((server) => server.stop()));
  });

  for (const table of Object.keys(tables)) {
    for (const protocol of PROTOCOLS) {
      for (const mode of MODES) {
        if (mode === 'MULTI' && tables[table]?.every(({ multi }) => multi === false)) continue;
        over.forEach(({ shards }, i) => {
          test(`${table}: ${shards} shards, RESP${protocol}, ${mode}`, async (t) => {
            const server = servers[i] as TestServer;
            const part = { server, table, protocol, mode };
            report(t, await (turns[i] as InTurn).run(() => compareTable(oracle, part)));
          });
        });
      }
    }
  }
}
