// Several clients at once over the same keys, spread over all shards.
import { notation } from '../helpers/resp.ts';
import { OK, repeat, type Session, type WireCase } from './session.ts';

const KEYS = repeat(16, (i) => `shared:${i}`);

/** Each client's pipelines, all clients at the same time. */
const together = (count: number, work: (client: number) => Promise<void>): Promise<unknown> =>
  Promise.all(repeat(count, work));

async function pipeline(
  s: Session,
  name: string,
  commands: readonly (readonly string[])[],
): Promise<string[]> {
  const client = await s.on(name);
  client.send(...commands);
  return (await client.frames(commands.length)).map((frame) => notation(frame));
}

export const concurrency: readonly WireCase[] = [
  {
    name: 'no increment is lost',
    run: async (s) => {
      await together(8, async (n) => {
        for (let turn = 0; turn < 5; turn++) {
          await pipeline(
            s,
            `w${n}`,
            KEYS.flatMap((key) => repeat(10, () => ['INCR', key])),
          );
        }
      });
      for (const key of KEYS) await s.rows([[['GET', key], '"400"']]);
    },
  },
  {
    name: 'appends and bits of several clients all arrive',
    run: async (s) => {
      await together(6, async (n) => {
        await pipeline(
          s,
          `w${n}`,
          repeat(200, (i) => ['APPEND', 'log', `${(n + i) % 10}`]),
        );
        await pipeline(
          s,
          `w${n}`,
          repeat(200, (i) => ['SETBIT', 'bits', `${n * 200 + i}`, '1']),
        );
      });
      await s.rows([
        ['STRLEN log', ':1200'],
        ['BITCOUNT bits', ':1200'],
      ]);
    },
  },
  {
    name: 'SETNX and SET NX have one winner a key',
    run: async (s) => {
      let won = 0;
      await together(6, async (n) => {
        const replies = await pipeline(
          s,
          `w${n}`,
          repeat(100, (i) =>
            i % 2 === 0 ? ['SETNX', `once:${i}`, `${n}`] : ['SET', `once:${i}`, `${n}`, 'NX'],
          ),
        );
        won += replies.filter((reply) => reply === ':1' || reply === OK).length;
      });
      if (won !== 100) throw new Error(`${won} winners for 100 keys`);
    },
  },
  {
    name: 'MSET of keys on many shards is never seen half done',
    run: async (s) => {
      const write = (value: number): string[] => [
        'MSET',
        ...KEYS.flatMap((key) => [key, `${value}`]),
      ];
      await s.rows([[write(0), OK]]);
      const torn: string[] = [];
      const look = (reply: string): void => {
        if (new Set(reply.match(/\d+/g)).size !== 1) torn.push(reply);
      };
      await together(4, async (n) => {
        for (let turn = 0; turn < 8; turn++) {
          if (n < 2) {
            await pipeline(
              s,
              `w${n}`,
              repeat(50, (i) => write(turn * 100 + i)),
            );
            continue;
          }
          const reads =
            n === 2
              ? repeat(50, () => ['MGET', ...KEYS])
              : [['MULTI'], ...KEYS.map((key) => ['GET', key]), ['EXEC']];
          const replies = await pipeline(s, `w${n}`, reads);
          (n === 2 ? replies : replies.slice(-1)).forEach(look);
        }
      });
      if (torn.length > 0) throw new Error(`${torn.length} torn reads: ${torn[0]}`);
    },
  },
  {
    name: 'each GETDEL takes a value once',
    run: async (s) => {
      const names = repeat(500, (i) => `job:${i}`);
      await s.rows([[['MSET', ...names.flatMap((name) => [name, name])], OK]]);
      const taken: string[] = [];
      await together(5, async (n) => {
        const replies = await pipeline(
          s,
          `w${n}`,
          names.map((name) => ['GETDEL', name]),
        );
        taken.push(...replies.filter((reply) => reply !== 'nil'));
      });
      if (taken.length !== 500 || new Set(taken).size !== 500)
        throw new Error(`${taken.length} taken`);
      await s.rows([['DBSIZE', ':0']]);
    },
  },
  {
    name: 'RENAME back and forth: the value is at one place, always',
    run: async (s) => {
      await s.rows([['SET place:a treasure EX 5000', OK]]);
      const wrong: string[] = [];
      await together(3, async (n) => {
        const commands =
          n === 0
            ? repeat(400, (i) => [
                'RENAME',
                ...(i % 2 === 0 ? ['place:a', 'place:b'] : ['place:b', 'place:a']),
              ])
            : repeat(400, () => ['EXISTS', 'place:a', 'place:b']);
        const replies = await pipeline(s, `w${n}`, commands);
        wrong.push(...replies.filter((reply) => reply !== OK && reply !== ':1'));
      });
      if (wrong.length > 0) throw new Error(wrong[0]);
      await s.rows([
        ['GET place:a', '"treasure"'],
        ['TTL place:a', /^:(5000|49\d\d)$/],
      ]);
    },
  },
  {
    name: 'optimistic transactions lose nothing',
    run: async (s) => {
      await s.rows([['SET purse 0', OK]]);
      await together(4, async (n) => {
        const client = await s.on(`w${n}`);
        for (let done = 0; done < 25;) {
          await client.call('WATCH purse');
          const held = Number((await client.call('GET purse')).slice(1, -1));
          client.send('MULTI', ['SET', 'purse', `${held + 1}`], 'EXEC');
          if (notation((await client.frames(3))[2] as Buffer) === '[+OK]') done++;
        }
      });
      await s.rows([['GET purse', '"100"']]);
    },
  },
];
