// Framing, inline commands, protocol errors, and what the other clients notice of them: nothing.
import { encode, encodeAll } from '../helpers/resp.ts';
import { bulk, OK, pause, repeat, type WireCase } from './session.ts';

const PING = '*1\r\n$4\r\nPING\r\n';

/** Sends bytes in pieces cut at every `step`-th byte, so that each piece arrives by itself. */
const pieces = (bytes: Buffer, step: number): Buffer[] =>
  repeat(Math.ceil(bytes.length / step), (i) => bytes.subarray(i * step, (i + 1) * step));

export const protocol: readonly WireCase[] = [
  {
    name: 'inline words, quotes and escapes',
    run: async (s) => {
      await s.bytes(
        'SET  "two words"\t\'it\\\'s\'\r\nGET "two\\x20words"\r\n' +
          'ECHO "\\t\\"\\\\"\n\r\n  PING  \r\n',
        [OK, '"it\'s"', bulk('\t"\\'), '+PONG'],
      );
      const unbalanced = '-ERR Protocol error: unbalanced quotes in request';
      await s.bytes('PING\r\nSET "k v\r\nPING\r\n', ['+PONG', unbalanced, 'closed']);
      await s.bytes('ECHO "a"b\r\n', [unbalanced, 'closed']);
    },
  },
  {
    name: 'a request cut at every byte',
    run: async (s) => {
      const request = encodeAll([
        ['SET', 'cut', 'line\r\n$3\r\nend'],
        ['GET', 'cut'],
        ['ECHO', ''],
        ['PING'],
      ]);
      for (const step of [1, 2, 3, 7]) {
        const client = await s.on(`cut ${step}`);
        for (const piece of pieces(request, step)) {
          client.write(piece);
          await pause(1);
        }
        const replies = (await client.frames(4)).map(String);
        if (replies[1] !== '$13\r\nline\r\n$3\r\nend\r\n')
          throw new Error(`step ${step}: ${replies[1]}`);
      }
    },
  },
  {
    name: 'a large argument in pieces',
    run: async (s) => {
      const client = await s.on('large');
      const request = encode(['SET', 'large', 'z'.repeat(400_000)]);
      for (const piece of pieces(request, 33_333)) {
        client.write(piece);
        await pause(2);
      }
      await client.frames(1);
      await s.rows([
        ['STRLEN large', ':400000'],
        ['GETRANGE large 399998 -1', '"zz"'],
      ]);
    },
  },
  {
    name: 'replies come while the next request is incomplete',
    run: async (s) => {
      const client = await s.on('half');
      client.write(`${PING}*2\r\n$4\r\nECHO\r\n$3\r\nab`);
      if (String(await client.frame()) !== '+PONG\r\n') throw new Error('no PONG');
      const early = await client.surprise(60);
      if (early !== null) throw new Error(`too early: ${early}`);
      client.write(`c\r\n${PING}`);
      const replies = (await client.frames(2)).map(String).join('');
      if (replies !== '$3\r\nabc\r\n+PONG\r\n') throw new Error(replies);
    },
  },
  {
    name: 'malformed bytes close one connection; the others work on',
    run: async (s) => {
      const bad: readonly (readonly [string, string])[] = [
        ['*1\r\n@4\r\n', "expected '$', got '@'"],
        ['*x\r\n', 'invalid multibulk length'],
        ['*2147483648\r\n', 'invalid multibulk length'],
        ['*9223372036854775808\r\n', 'invalid multibulk length'],
        ['*1\r\n$-5\r\n', 'invalid bulk length'],
        ['*1\r\n$536870913\r\n', 'invalid bulk length'],
        ['*1\r\n$9223372036854775808\r\n', 'invalid bulk length'],
      ];
      for (const [bytes, text] of bad) {
        await s.bytes(PING + bytes, ['+PONG', `-ERR Protocol error: ${text}`, 'closed']);
        await s.rows([['PING', '+PONG']], 'other');
      }
    },
  },
  {
    name: 'four bytes without a line end wait and block nobody',
    run: async (s) => {
      const client = await s.on('slow');
      client.write('PING');
      await s.rows(
        [
          ['SET k v', OK],
          ['GET k', '"v"'],
        ],
        'other',
      );
      client.write('\r\n');
      await client.frame();
    },
  },
  {
    name: 'empty requests have no reply',
    run: (s) => s.bytes(`*0\r\n*-1\r\n\r\n\n*0\r\n${PING}`, ['+PONG']),
  },
  {
    name: 'every command without arguments, unknown ones too, gets one reply',
    run: async (s) => {
      const listed = (await (await s.on(1)).ask('COMMAND LIST')).elements.map(
        ({ text }) => `${text}`,
      );
      const risky =
        /^(quit|shutdown|reset|monitor|sync|psync|replconf|subscribe|psubscribe|multi)\b/;
      const names = listed.filter((name) => !risky.test(name) && !name.includes('|'));
      const client = await s.on('bare');
      client.send(...names.flatMap((name) => [[name], ['ECHO', name]]));
      const frames = await client.frames(2 * names.length);
      names.forEach((name, i) => {
        const echo = String(frames[2 * i + 1]);
        if (!echo.includes(name)) throw new Error(`${name}: out of step, then ${echo}`);
      });
    },
  },
  {
    name: 'a request of a hundred thousand arguments',
    run: async (s) => {
      const names = repeat(100_000, (i) => `n:${i % 1000}`);
      await s.rows([
        [['MSET', ...names], OK],
        [['DEL', ...names], (reply) => /^:(500|1000)$/.test(reply)],
        ['DBSIZE', ':0'],
      ]);
    },
  },
];
