import test from 'ava';
import { ROOMS, parseRooms } from './rooms.ts';
import { FILES, none, read } from './tree.ts';

const NATIVE = FILES.filter((path) => /^src-native\/.+\/.+\.(cc|h|c|inc)$/.test(path));
const roomOf = (path: string): string => path.split('/')[1] ?? '';

test('the table of rooms is read as it is meant', (t) => {
  const rooms = parseRooms(
    [
      '| 0 | `base/` | bytes | |',
      '| 1 | `io/` | fd | base |',
      '| 2 | `net/` | socket | base io |',
      '| 3 | `commands/` | ZADD | all below but io, net |',
      '| 4 | `server/` | order | all below |',
    ].join('\n'),
  );
  t.deepEqual([...(rooms.get('io')?.mayInclude ?? [])], ['base']);
  t.deepEqual([...(rooms.get('commands')?.mayInclude ?? [])], ['base']);
  t.deepEqual([...(rooms.get('server')?.mayInclude ?? [])], ['base', 'io', 'net', 'commands']);
  t.is(rooms.get('base')?.mayInclude.size, 0);
});

test('a room only includes lower rooms, by the table itself', (t) => {
  t.true(ROOMS.size >= 15, 'ARCHITECTURE.md holds the table of rooms');
  const wrong = [...ROOMS.values()].flatMap((room) =>
    [...room.mayInclude]
      .filter((name) => (ROOMS.get(name)?.level ?? Infinity) >= room.level)
      .map((name) => `${room.name} may not include ${name}: same level, higher, or unknown`),
  );
  none(t, wrong);
});

test('every file of src-native/ lies in a room that the table knows', (t) => {
  const wrong = NATIVE.filter((path) => !ROOMS.has(roomOf(path)));
  none(t, wrong);
});

test('includes follow the table of rooms', (t) => {
  const wrong = NATIVE.flatMap((path) => {
    const room = ROOMS.get(roomOf(path));
    const includes = read(path).matchAll(/^\s*#\s*include\s+"([^"]+)"/gm);
    return [...includes].flatMap(([, target = '']) => {
      const other = target.split('/')[0] ?? '';
      if (!target.includes('/')) return [`${path}: "${target}" is written from src-native/`];
      if (other === room?.name || room?.mayInclude.has(other)) return [];
      return [`${path}: ${room?.name}/ may not include "${target}"`];
    });
  });
  none(t, wrong);
});

test('Node-API is met in addon/ alone', (t) => {
  const wrong = NATIVE.filter((path) => roomOf(path) !== 'addon').filter((path) =>
    /#\s*include\s*<(node_api|js_native_api|napi|uv|node|v8)\b/.test(read(path)),
  );
  none(t, wrong);
});

test('a unit test, fuzzer or benchmark lies beside what it tests', (t) => {
  const wrong = NATIVE.filter((path) => /_(test|fuzz|bench)\.cc$/.test(path)).filter((path) => {
    const stem = path.replace(/_(test|fuzz|bench)\.cc$/, '');
    return !FILES.includes(`${stem}.cc`) && !FILES.includes(`${stem}.h`);
  });
  none(t, wrong);
});

test('src-native/Makefile knows the rooms of the table', (t) => {
  const listed = /^ALL_ROOMS := (.*)$/m.exec(read('src-native/Makefile'))?.[1]?.split(' ') ?? [];
  const wanted = [...ROOMS.keys()].filter((name) => name !== 'addon');
  t.deepEqual(listed.sort(), wanted.sort());
});
