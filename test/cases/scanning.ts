// SCAN and KEYS across shards, while keys come and go.
import { notation } from '../helpers/resp.ts';
import { list, OK, repeat, type Session, type WireCase } from './session.ts';

type Visit = (round: number) => Promise<void>;

/** All distinct elements of a whole iteration, sorted. */
async function scan(s: Session, options: readonly string[], visit?: Visit): Promise<string[]> {
  const client = await s.on(1);
  const found = new Set<string>();
  let cursor = '0';
  for (let round = 0; ; round++) {
    const { elements } = await client.ask(['SCAN', cursor, ...options]);
    cursor = String(elements[0]?.text);
    for (const { text } of elements[1]?.elements ?? []) found.add(String(text));
    await visit?.(round);
    if (cursor === '0') return [...found].sort();
    if (round > 100_000) throw new Error('SCAN does not come to an end');
  }
}

function same(got: readonly string[], wanted: readonly string[]): void {
  if (got.join() !== [...wanted].sort().join())
    throw new Error(`got ${got.length}: ${got.slice(0, 9).join()}`);
}

const names = repeat(3000, (i) => `key:${i}`);
const fill = async (s: Session): Promise<void> =>
  s.rows([[['MSET', ...names.flatMap((name) => [name, '1'])], OK]]);

export const scanning: readonly WireCase[] = [
  {
    name: 'every key, whatever COUNT says',
    run: async (s) => {
      await fill(s);
      for (const count of ['1', '10', '999', '100000'])
        same(await scan(s, ['COUNT', count]), names);
    },
  },
  {
    name: 'MATCH leaves out nothing that matches',
    run: async (s) => {
      await s.rows([['MSET 12 a 120 a 2 a 21 a 219 a 3 a [x] a', OK]]);
      same(await scan(s, ['MATCH', '2*', 'COUNT', '1']), ['2', '21', '219']);
      same(await scan(s, ['MATCH', '?', 'COUNT', '2']), ['2', '3']);
      same(await scan(s, ['MATCH', '[^2]*']), ['12', '120', '3', '[x]']);
      same(await scan(s, ['MATCH', '\\[x\\]']), ['[x]']);
      same(await scan(s, ['MATCH', 'none*']), []);
      same(await scan(s, ['TYPE', 'list']), []);
      same(await scan(s, ['TYPE', 'string', 'MATCH', '12*']), ['12', '120']);
    },
  },
  {
    name: 'keys that stay are found while the table grows',
    run: async (s) => {
      await fill(s);
      const found = await scan(s, ['COUNT', '20'], async (round) => {
        if (round > 60) return;
        await s.call(['MSET', ...repeat(200, (i) => [`new:${round}:${i}`, '1']).flat()], 'writer');
      });
      same(
        found.filter((name) => name.startsWith('key:')),
        names,
      );
    },
  },
  {
    name: 'keys that stay are found while others are deleted',
    run: async (s) => {
      await fill(s);
      const [stay, go] = [names.slice(0, 500), names.slice(500)];
      const found = await scan(s, ['COUNT', '30'], async (round) => {
        const some = go.slice(round * 100, round * 100 + 100);
        if (some.length > 0) await s.call(['DEL', ...some], 'writer');
      });
      const staying = new Set(stay);
      same(
        found.filter((name) => staying.has(name)),
        stay,
      );
    },
  },
  {
    name: 'keys past their deadline are not shown',
    run: async (s) => {
      await s.rows([
        ['SET a 1 PX 1', OK],
        ['SET b 1', OK],
        ['DEBUG SLEEP 0.02', OK],
      ]);
      same(await scan(s, []), ['b']);
      await s.rows([['KEYS *', '["b"]']]);
    },
  },
  {
    name: 'databases are scanned apart',
    run: async (s) => {
      await s.rows([
        ['SET a 1', OK],
        ['SELECT 2', OK],
        ['SET b 1', OK],
      ]);
      same(await scan(s, []), ['b']);
      await s.rows([
        ['SELECT 3', OK],
        ['SCAN 0', '["0", []]'],
        ['SELECT 0', OK],
      ]);
      same(await scan(s, []), ['a']);
    },
  },
  {
    name: 'RANDOMKEY reaches the keys of every shard',
    run: async (s) => {
      const few = repeat(16, (i) => `r:${i}`);
      await s.rows([[['MSET', ...few.flatMap((name) => [name, '1'])], OK]]);
      const client = await s.on(1);
      client.send(...repeat(2000, () => 'RANDOMKEY'));
      const seen = new Set((await client.frames(2000)).map((frame) => notation(frame)));
      if (seen.size !== few.length) throw new Error(`${seen.size} of ${few.length} keys`);
    },
  },
  {
    name: 'mistakes',
    run: (s) =>
      s.rows([
        ['SCAN 0 COUNT 0', '-ERR syntax error'],
        ['SCAN 0 COUNT ten', '-ERR value is not an integer or out of range'],
        ['SCAN 0 MATCH', '-ERR syntax error'],
        ['SCAN zero', '-ERR invalid cursor'],
        ['SCAN 0', list('"0"', '[]')],
      ]),
  },
];
