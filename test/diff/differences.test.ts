// Every wanted difference is told in docs/differences.md and shown by a case, and nothing else is.
import test from 'ava';
import { none, read } from '../tidy/tree.ts';
import { tables } from './cases/index.ts';
import { comparisonOf } from './types.ts';

const PAGE = 'docs/differences.md';

/** Ids of the table: the first column, in backquotes. */
const rows = [...read(PAGE).matchAll(/^\| `([a-z0-9.-]+)` \|/gm)].map((match) => match[1] ?? '');

const shown = new Set(
  Object.values(tables)
    .flat()
    .flatMap(({ steps }) => steps.map(comparisonOf))
    .flatMap((comparison) => (comparison?.by === 'difference' ? [comparison.id] : [])),
);

test('every row of the page has a case', (t) => {
  none(t, rows.filter((id) => !shown.has(id)).map((id) => `${PAGE}: no case shows '${id}'`));
});

test('every case with a difference has a row in the page', (t) => {
  none(t, [...shown].filter((id) => !rows.includes(id)).map((id) => `${PAGE} lacks '${id}'`));
});

test('rows are told once', (t) => {
  t.deepEqual(rows, [...new Set(rows)]);
});

test('names of cases are unique: reports and answers go by them', (t) => {
  const names = Object.values(tables).flat().map(({ name }) => name);
  none(t, names.filter((name, i) => names.indexOf(name) !== i));
});
