import test from 'ava';
import { cppFunctions, typescriptFunctions } from './functions.ts';
import { SOURCES, none, read } from './tree.ts';

const FILE_LINES_MAX = 800;
const FUNCTION_LINES_MAX = 70;
const LINE_COLUMNS_MAX = 100;

const functionsOf = (path: string, text: string) =>
  /\.(cc|h)$/.test(path) ? cppFunctions(text) : typescriptFunctions(path, text);

test('the function finder sees functions of both languages', (t) => {
  const cpp = [
    'namespace moon {',
    'struct alignas(64) Point { int x = 1; int norm() const { return x; } };',
    "int limit(int a,",
    '          int b) noexcept {',
    "  if (a > 1'000) { return '{'; }  // }",
    '  return b;',
    '}',
    'constexpr int kTable[] = {1, 2};',
    '}',
  ].join('\n');
  const found = cppFunctions(cpp).map(({ name, line, lines }) => [name, line, lines]);
  t.deepEqual(found, [
    ['norm', 2, 1],
    ['limit', 3, 5],
  ]);
  const source = 'export function a(): void {\n}\nconst b = () => {\n\n};\n';
  t.deepEqual(typescriptFunctions('x.ts', source).map(({ lines }) => lines), [2, 3]);
});

test(`files have at most ${FILE_LINES_MAX} lines`, (t) => {
  const wrong = SOURCES.map((path) => ({ path, lines: read(path).split('\n').length - 1 }))
    .filter(({ lines }) => lines > FILE_LINES_MAX)
    .map(({ path, lines }) => `${path}: ${lines} lines; split it by meaning`);
  none(t, wrong);
});

test(`lines have at most ${LINE_COLUMNS_MAX} columns`, (t) => {
  const wrong = SOURCES.flatMap((path) =>
    read(path)
      .split('\n')
      .map((line, i) => ({ columns: [...line].length, place: `${path}:${i + 1}` }))
      .filter(({ columns }) => columns > LINE_COLUMNS_MAX)
      .map(({ columns, place }) => `${place}: ${columns} columns`),
  );
  none(t, wrong);
});

test(`functions have at most ${FUNCTION_LINES_MAX} lines`, (t) => {
  const wrong = SOURCES.flatMap((path) =>
    functionsOf(path, read(path))
      .filter(({ lines }) => lines > FUNCTION_LINES_MAX)
      .map(({ name, line, lines }) => `${path}:${line}: ${name} has ${lines} lines`),
  );
  none(t, wrong);
});
