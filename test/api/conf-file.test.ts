import test from 'ava';
import fc from 'fast-check';
import {
  loadConfFile,
  loadConfText,
  type ConfContext,
  type FileReader,
} from '../../src/config/load-conf.ts';
import { quoteArg, splitArgs } from '../../src/config/load-words.ts';

/** A disk of the files named. */
function disk(files: Readonly<Record<string, string>>): FileReader {
  return {
    readFile(path) {
      const text = files[path];
      if (text !== undefined) return text;
      throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
    },
    readDirectory(path) {
      const inside = Object.keys(files).filter((file) => file.startsWith(`${path}/`));
      return [...new Set(inside.map((file) => file.slice(path.length + 1).split('/')[0] ?? ''))];
    },
  };
}

const context = (files: Readonly<Record<string, string>> = {}): ConfContext => ({
  workingDirectory: '/srv',
  files: disk(files),
});

const read = (text: string, files = {}) => loadConfText(text, 'stdin', context(files));

test('words are split as redis.conf splits them', (t) => {
  const cases: [string, string[] | null][] = [
    ['', []],
    ['save 900 1', ['save', '900', '1']],
    ['  a\t b  ', ['a', 'b']],
    ['save ""', ['save', '']],
    [`x "a b" 'c "d'`, ['x', 'a b', 'c "d']],
    [String.raw`x "\n\r\t\b\a\\\"\x41\q"`, ['x', '\n\r\t\b\x07\\"Aq']],
    [String.raw`x '\n\''`, ['x', String.raw`\n'`]],
    [String.raw`x "\xc3\xa9é"`, ['x', 'éé']],
    [String.raw`x "\x4"`, ['x', 'x4']],
    ['a"b c"', ['ab c']],
    ['x "abc', null],
    ["x 'abc", null],
    ['x "abc"d', null],
    [String.raw`x "abc\"`, null],
  ];
  for (const [line, words] of cases) t.deepEqual(splitArgs(line), words, line);
});

test('what quoteArg() writes, splitArgs() reads', (t) => {
  t.notThrows(() => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }), (words) => {
        t.deepEqual(splitArgs(words.map(quoteArg).join(' ')), words);
      }),
    );
  });
});

test('no line breaks the splitter', (t) => {
  t.notThrows(() => {
    const char = fc.constantFrom('"', "'", '\\', 'x', '4', ' ', 'é');
    const line = fc.array(char).map((chars) => chars.join(''));
    fc.assert(fc.property(line, (text) => void splitArgs(text)));
  });
});

test('comments and blank lines say nothing, names are lower case, places are kept', (t) => {
  const { settings, problems } = read('\uFEFF# port 1\r\n\r\n  PORT 7000 \r\nbind * -::*\n');
  t.deepEqual(problems, []);
  t.deepEqual(
    settings.map(({ name, words, origin }) => [name, words, origin.where]),
    [
      ['port', ['7000'], 'stdin:3'],
      ['bind', ['*', '-::*'], 'stdin:4'],
    ],
  );
});

test('unbalanced quotes name the line', (t) => {
  const { problems } = read('port 1\nrequirepass "abc\n');
  t.like(problems[0], {
    message: 'Unbalanced quotes in configuration line',
    line: 'requirepass "abc',
    origin: { where: 'stdin:2' },
  });
});

test('includes are read in place, relative to the working directory', (t) => {
  const files = {
    '/etc/a.conf': 'port 1\ninclude sub/b.conf\nport 3',
    '/srv/sub/b.conf': 'port 2',
  };
  const { settings, problems } = loadConfFile('/etc/a.conf', context(files));
  t.deepEqual(problems, []);
  t.deepEqual(settings.map(({ words, origin }) => [words[0], origin.where]), [
    ['1', '/etc/a.conf:1'],
    ['2', '/srv/sub/b.conf:1'],
    ['3', '/etc/a.conf:3'],
  ]);
});

test('includes with wildcards are sorted and may match nothing', (t) => {
  const files = {
    '/srv/d/2.conf': 'port 2',
    '/srv/d/1.conf': 'port 1',
    '/srv/d/.hidden.conf': 'port 9',
    '/srv/e/3.txt': 'port 3',
  };
  const ports = (text: string) => read(text, files).settings.map(({ words }) => words[0]);
  t.deepEqual(ports('include d/*.conf'), ['1', '2']);
  t.deepEqual(ports('include ?/[!0-2].*'), ['3']);
  t.deepEqual(ports('include nothing/*.conf'), []);
});

test('an include that cannot be read, or includes itself, is a problem', (t) => {
  t.like(read('include gone.conf').problems[0], {
    message: "Fatal error, can't open config file '/srv/gone.conf': No such file or directory",
    origin: { where: 'stdin:1' },
  });
  const loop = { '/srv/a': 'include b', '/srv/b': 'include a' };
  t.regex(read('include a', loop).problems[0]?.message ?? '', /\/srv\/a → \/srv\/b → \/srv\/a/);
  t.is(read('include a b').problems[0]?.message, 'include takes one path');
});
