// What is measured against redis-server, by goal.
import type { Cell } from './measure.ts';
import { moon, redis } from './servers.ts';

const KEY = 'key:__rand_int__';

type Words = readonly string[];

const cell = (goal: string, pipeline: number, command: Words, extra: Partial<Cell> = {}): Cell => ({
  goal,
  name: `${command.join(' ')}, ${extra.clients ?? 50} clients, p${pipeline}`,
  clients: 50,
  pipeline,
  command,
  populate: true,
  ours: moon(1),
  theirs: redis,
  ...extra,
});

const TEN = Array.from({ length: 10 }, (_, i) => `k${i}:__rand_int__`);

export const cells: readonly Cell[] = [
  cell('1', 64, ['GET', KEY]),
  cell('1', 64, ['GET', 'key:000000000001'], { populate: false }),
  cell('2', 64, ['SET', KEY, 'xxxxxxxx']),
  cell('2', 64, ['SET', KEY, 'xxxxxxxx', 'EX', '1000']),
  cell('2', 64, ['set', KEY, 'xxxxxxxx']),
  cell('2', 64, ['GETEX', KEY]),
  ...[16, 64].flatMap((pipeline) => [
    cell('3', pipeline, ['INCR', `n:__rand_int__`], { populate: false }),
    cell('3', pipeline, ['INCR', 'n'], { populate: false }),
    cell('3', pipeline, ['EXPIRE', KEY, '1000']),
    cell('3', pipeline, ['DEL', `d:__rand_int__`], { populate: false }),
  ]),
  cell('4', 1, ['GET', KEY]),
  cell('4', 1, ['SET', KEY, 'xxxxxxxx']),
  cell('4', 1, ['INCR', `n:__rand_int__`], { populate: false }),
  cell('4', 1, ['GET', KEY], { clients: 1 }),
  cell('7', 1, ['GET', KEY], { ours: moon(4), theirs: moon(1), name: 'GET p1: 4 shards to 1' }),
  cell('7', 1, ['SET', KEY, 'x'], {
    ours: moon(4),
    theirs: moon(1),
    name: 'SET p1: 4 shards to 1',
  }),
  cell('8', 16, ['MGET', ...TEN], { ours: moon(4), populate: false, name: 'MGET of 10, p16' }),
  cell('8', 16, ['MSET', ...TEN.flatMap((key) => [key, 'xxxxxxxx'])], {
    ours: moon(4),
    populate: false,
    name: 'MSET of 10, p16',
  }),
];
