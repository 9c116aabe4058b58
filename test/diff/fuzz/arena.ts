// The oracle and the servers that are to answer as it does: bursts of commands go to all of them,
// on connections that correspond, and the first reply that differs ends the round.
import { commandText, encodeAll } from '../../helpers/resp.ts';
import type { TestServer } from '../../helpers/servers.ts';
import { WireClient } from '../../helpers/wire.ts';
import { compareReplies } from '../compare.ts';
import { comparisonOf, wordsOf, type AnyStep, type Step, type Word } from '../types.ts';

export class Difference extends Error {}

type Row = readonly WireClient[];

export class Round {
  private readonly rows: readonly Row[];
  private readonly servers: readonly TestServer[];
  private readonly protocol: 2 | 3;
  private readonly history: { readonly connection: number; readonly step: Step }[] = [];

  private constructor(servers: readonly TestServer[], rows: readonly Row[], protocol: 2 | 3) {
    this.servers = servers;
    this.rows = rows;
    this.protocol = protocol;
  }

  /** The first server is the oracle. */
  static async begin(
    servers: readonly TestServer[],
    connections: number,
    protocol: 2 | 3,
  ): Promise<Round> {
    const rows = await Promise.all(
      servers.map((server) =>
        Promise.all(Array.from({ length: connections }, () => server.connect(protocol))),
      ),
    );
    for (const [client] of rows) await client?.call('FLUSHALL');
    return new Round(servers, rows, protocol);
  }

  async burst(connection: number, steps: readonly AnyStep[]): Promise<void> {
    const bytes = encodeAll(steps.map(wordsOf));
    for (const step of steps) this.history.push({ connection, step: wordsOf(step) });
    const replies = await Promise.all(
      this.rows.map(async (row) => {
        const client = row[connection] as WireClient;
        client.write(bytes);
        return client.frames(steps.length);
      }),
    );
    const [wanted = [], ...others] = replies;
    others.forEach((got, i) => {
      steps.forEach((step, n) => {
        const pair = {
          wanted: wanted[n] as Buffer,
          got: got[n] as Buffer,
          protocol: this.protocol,
        };
        const problem = compareReplies(pair, comparisonOf(step));
        if (problem !== null) this.fail(i + 1, steps.length - n - 1, problem);
      });
    });
  }

  /** Everything that the databases hold must be the same, by KEYS and by SCAN. */
  async compareContents(databases: number): Promise<void> {
    const dumps = await Promise.all(
      this.rows.map((row) => contents(row[0] as WireClient, databases)),
    );
    const [wanted = [], ...others] = dumps;
    others.forEach((got, i) => {
      const at = wanted.findIndex((line, n) => line !== got[n]);
      const n = at >= 0 ? at : got.length > wanted.length ? wanted.length : -1;
      if (n < 0) return;
      this.fail(i + 1, 0, `contents differ\n  redis-server: ${wanted[n]}\n  ours: ${got[n]}`);
    });
  }

  async end(): Promise<void> {
    await Promise.all(this.rows.flat().map((client) => client.close()));
  }

  private fail(server: number, back: number, problem: string): never {
    const last = this.history.length - back;
    const words = new Set(this.history[last - 1]?.step.slice(1).map(String));
    const isRelated = ({ step }: { readonly step: Step }): boolean =>
      words.size === 0 || step.length === 1 || step.slice(1).some((word) => words.has(`${word}`));
    const related = this.history
      .slice(0, last)
      .filter(isRelated)
      .slice(-25)
      .map(({ connection, step }) => `    ${connection}> ${commandText(step, 160)}`);
    const name = this.servers[server]?.name;
    throw new Difference(`${name}: ${problem}\n  what led to it:\n${related.join('\n')}`);
  }
}

/** A line for each key: database, name, type, value, encoding, and whether it has a deadline. */
async function contents(client: WireClient, databases: number): Promise<string[]> {
  const lines: string[] = [];
  await client.call('RESET');
  for (let db = 0; db < databases; db++) {
    await client.call(['SELECT', `${db}`]);
    const names = (await client.ask('KEYS *')).elements.map(({ text }) => text ?? Buffer.alloc(0));
    const scanned = await scanAll(client);
    const hex = names.map((name) => name.toString('hex')).sort();
    if (hex.join() !== scanned.join())
      lines.push(`db ${db}: KEYS ${hex.join()}, SCAN ${scanned.join()}`);
    for (const name of names.sort((a, b) => a.compare(b)))
      lines.push(await describe(client, db, name));
  }
  return lines;
}

async function describe(client: WireClient, db: number, name: Word): Promise<string> {
  const [type, held, encoding, deadline] = await client.pipeline([
    ['TYPE', name],
    ['GET', name],
    ['OBJECT', 'ENCODING', name],
    ['PEXPIRETIME', name],
  ]);
  // Absolute deadlines of the tests are beyond the year 3000; others depend on when they were set.
  const time = Number(deadline?.slice(1));
  const shown = time > 0 && time < 32503680000000 ? 'a deadline' : deadline;
  return `db ${db} ${commandText([name])}: ${type} ${encoding} ${shown} ${held}`;
}

async function scanAll(client: WireClient): Promise<string[]> {
  const found = new Set<string>();
  let cursor = '0';
  do {
    const { elements } = await client.ask(['SCAN', cursor, 'COUNT', '7']);
    cursor = String(elements[0]?.text);
    for (const { text } of elements[1]?.elements ?? []) found.add((text ?? '').toString('hex'));
  } while (cursor !== '0');
  return [...found].sort();
}
