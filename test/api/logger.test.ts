import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { createLogger, fileSink, formatLine, type LogLevel } from '../../src/log/logger.ts';

const clock = { now: () => new Date(2026, 10, 3, 4, 5, 6, 7), pid: 42 };

test("a line has Redis's form", (t) => {
  t.is(formatLine('notice', 'Hello', clock), '42:M 03 Nov 2026 04:05:06.007 * Hello\n');
  t.is(formatLine('warning', 'x', clock).replace(/.*:06.007/, ''), ' # x\n');
  t.regex(formatLine('verbose', 'x', clock), / - x\n$/);
  t.regex(formatLine('debug', 'x', clock), / \. x\n$/);
});

test('lines below the level are dropped, several lines become several', (t) => {
  const lines: string[] = [];
  const logger = createLogger((line) => lines.push(line), 'notice', clock);
  logger.log('verbose', 'no');
  logger.log('notice', 'one\ntwo');
  logger.level = 'nothing';
  logger.log('warning', 'no');
  t.deepEqual(lines.map((line) => line.split(' * ')[1]), ['one\n', 'two\n']);
});

test('each level shows itself and what is above', (t) => {
  const levels: LogLevel[] = ['debug', 'verbose', 'notice', 'warning'];
  levels.forEach((level, index) => {
    const seen: string[] = [];
    const logger = createLogger((line) => seen.push(line), level, clock);
    for (const each of levels) logger.log(each, each);
    t.is(seen.length, levels.length - index);
  });
});

test('a log file may be rotated away, and a missing directory costs nothing but lines', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'moon-log-'));
  const path = join(folder, 'a.log');
  const sink = fileSink(path);
  sink('one\n');
  renameSync(path, `${path}.1`);
  sink('two\n');
  t.is(readFileSync(path, 'utf8'), 'two\n');
  rmSync(folder, { recursive: true });
  t.notThrows(() => {
    sink('three\n');
  });
});
