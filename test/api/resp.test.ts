import test from 'ava';
import fc from 'fast-check';
import { MoonError, ReplyError } from '../../src/errors.ts';
import { decodeReplies, encodeCommands, errorReply, type Reply } from '../../src/native/resp.ts';

const decode = (text: string, count = 1): Reply[] => decodeReplies(Buffer.from(text), count);
const one = (text: string): Reply | undefined => decode(text)[0];

test('commands become arrays of bulk strings', (t) => {
  const bytes = encodeCommands([
    ['SET', 'kéy', 12, 3n],
    ['GET', Buffer.from([0, 255])],
  ]);
  const text = '*4\r\n$3\r\nSET\r\n$4\r\nkéy\r\n$2\r\n12\r\n$1\r\n3\r\n*2\r\n$3\r\nGET\r\n$2\r\n';
  t.deepEqual(bytes, Buffer.concat([Buffer.from(text), Buffer.from([0, 255, 13, 10])]));
});

test('infinite numbers have the spelling of the protocol', (t) => {
  t.regex(encodeCommands([['X', Infinity, -Infinity]]).toString(), /\ninf\r\n.*\n-inf\r\n/s);
});

test('arguments that mean nothing are refused by name', (t) => {
  for (const bad of [undefined, null, NaN, {}, [], true]) {
    const error = t.throws(() => encodeCommands([['SET', 'k', bad as unknown as string]]), {
      instanceOf: MoonError,
      code: 'ERR_MOON_CALL',
    });
    t.regex(error?.message ?? '', /Argument 2 of SET/);
  }
  t.throws(() => encodeCommands([[]]), { code: 'ERR_MOON_CALL' });
});

test('replies of both protocols', (t) => {
  t.is(one('+OK\r\n'), 'OK');
  t.is(one(':-7\r\n'), -7);
  t.is(one(':9223372036854775807\r\n'), 9223372036854775807n);
  t.is(one('$5\r\nhé!\n\r\n'), 'hé!\n');
  t.is(one('$0\r\n\r\n'), '');
  t.is(one('$-1\r\n'), null);
  t.is(one('*-1\r\n'), null);
  t.is(one('_\r\n'), null);
  t.is(one('#t\r\n'), true);
  t.is(one('#f\r\n'), false);
  t.is(one(',1.5e3\r\n'), 1500);
  t.is(one(',-inf\r\n'), -Infinity);
  t.is(one(',nan\r\n'), NaN);
  t.is(one('(-3492890328409238509324850943850943825024385\r\n'),
    -3492890328409238509324850943850943825024385n);
  t.is(one('=7\r\ntxt:abc\r\n'), 'abc');
  t.deepEqual(one('~2\r\n:1\r\n:1\r\n'), [1, 1]);
  t.deepEqual(one('>1\r\n+x\r\n'), ['x']);
  t.deepEqual(one('%1\r\n+a\r\n*1\r\n_\r\n'), new Map([['a', [null]]]));
  t.deepEqual(one('|1\r\n+ttl\r\n:3\r\n+v\r\n'), 'v');
});

test('errors are values with their code', (t) => {
  const [top, inside] = decode('-WRONGTYPE wrong kind\r\n*1\r\n!8\r\nERR nope\r\n', 2);
  t.true(top instanceof ReplyError && top.code === 'WRONGTYPE');
  const nested = (inside as Reply[])[0];
  t.true(nested instanceof ReplyError && nested.message === 'ERR nope');
});

test('strings as buffers on request', (t) => {
  const bytes = Buffer.concat([Buffer.from('$2\r\n'), Buffer.from([255, 0]), Buffer.from('\r\n')]);
  t.deepEqual(decodeReplies(bytes, 1, { buffers: true }), [Buffer.from([255, 0])]);
});

test('damage is an error, never a wrong value', (t) => {
  const damaged = [
    '', '+OK', '+OK\n', '?\r\n', ':1x\r\n', '$3\r\nab\r\n', '$1\r\nabc\r\n', '*2\r\n+a\r\n',
    '#x\r\n', '_x\r\n', ',1,2\r\n', '$-2\r\n', '+a\r\n+b\r\n', '=2\r\nab\r\n', '(1.5\r\n',
    '*1\r\n'.repeat(1000),
  ];
  for (const text of damaged) t.throws(() => decode(text), { code: 'ERR_MOON_PROTOCOL' }, text);
});

test('an error reply stays one line', (t) => {
  t.is(errorReply('ERR a\r\n+OK').toString(), '-ERR a +OK\r\n');
});

const scalar = fc.oneof(
  fc.string({ unit: 'binary' }).map((value): Sample => [bulk(value), value]),
  fc.maxSafeInteger().map((value): Sample => [`:${value}\r\n`, value]),
  fc.bigInt().map((value): Sample => [`(${value}\r\n`, value]),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value): Sample => [
    `,${value}\r\n`,
    value,
  ]),
  fc.boolean().map((value): Sample => [value ? '#t\r\n' : '#f\r\n', value]),
  fc.constantFrom('_\r\n', '$-1\r\n', '*-1\r\n').map((text): Sample => [text, null]),
);

type Sample = [text: string, value: Reply];

const bulk = (text: string): string => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;

const { reply } = fc.letrec<{ reply: Sample; list: Sample; map: Sample }>((tie) => ({
  reply: fc.oneof({ maxDepth: 4 }, scalar, tie('list'), tie('map')),
  list: fc
    .tuple(fc.constantFrom('*', '~', '>'), fc.array(tie('reply'), { maxLength: 5 }))
    .map(([type, items]): Sample => [
      `${type}${items.length}\r\n${items.map(([text]) => text).join('')}`,
      items.map(([, value]) => value),
    ]),
  map: fc
    .uniqueArray(fc.tuple(fc.string(), tie('reply')), { selector: ([key]) => key, maxLength: 4 })
    .map((entries): Sample => [
      `%${entries.length}\r\n${entries.map(([key, [text]]) => bulk(key) + text).join('')}`,
      new Map(entries.map(([key, [, value]]) => [key, value])),
    ]),
}));

test('every well-formed sequence of replies decodes to what it says', (t) => {
  t.notThrows(() => {
    fc.assert(
      fc.property(fc.array(reply, { maxLength: 6 }), (samples) => {
        const decoded = decode(samples.map(([text]) => text).join(''), samples.length);
        t.deepEqual(decoded, samples.map(([, value]) => value));
      }),
      { numRuns: 300 },
    );
  });
});

test('no byte sequence breaks the decoder otherwise than by its own error', (t) => {
  t.notThrows(() => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(3), (bytes, count) => {
        try {
          decodeReplies(bytes, count);
        } catch (thrown) {
          if (!(thrown instanceof MoonError)) throw thrown;
        }
      }),
      { numRuns: 2000 },
    );
  });
});

test('encoded commands read back as arrays of strings', (t) => {
  t.notThrows(() => {
    const word = fc.string({ unit: 'grapheme' });
    const commands = fc.array(fc.array(word, { minLength: 1 }), { minLength: 1 });
    fc.assert(
      fc.property(commands, (list) => {
        t.deepEqual(decodeReplies(encodeCommands(list), list.length), list);
      }),
    );
  });
});
