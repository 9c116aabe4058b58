// Every command that our server lists is exercised over RESP2 and RESP3: answered without an error
// in a case of the tables, or by the test that is named here.
import test from 'ava';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, startMoon, type TestServer } from '../helpers/servers.ts';
import { none, read } from '../tidy/tree.ts';
import { tables } from './cases/index.ts';
import { discover, Script, type Protocol } from './play.ts';
import { wordsOf, type DiffCase } from './types.ts';

/** Commands whose replies cannot be compared with Redis's: the test that looks at them instead. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'config|rewrite': 'test/cli/config-rewrite.test.ts',
  shutdown: 'test/cli/shutdown.test.ts',
};

let moon: TestServer;

test.before('the server starts', async () => {
  moon = await startMoon({ shards: 2 });
});
test.after.always('the server stops', () => moon.stop());

/** Commands of a case that had an answer and no error, as COMMAND LIST spells them. */
async function answered(one: DiffCase, protocol: Protocol): Promise<string[]> {
  const script = new Script(one.steps.map(wordsOf));
  const { replies } = await discover(moon, script, protocol);
  return replies.flatMap((reply, i) => {
    if (reply === null || reply[0] === '-'.charCodeAt(0)) return [];
    const [command = '', subcommand] = script.steps[i] ?? [];
    const name = String(command).toLowerCase();
    return subcommand === undefined
      ? [name]
      : [name, `${name}|${String(subcommand).toLowerCase()}`];
  });
}

async function listed(protocol: Protocol): Promise<string[]> {
  const client = await moon.connect(protocol);
  const { elements } = await client.ask('COMMAND LIST');
  await client.close();
  return elements.map(({ text }) => String(text)).sort();
}

for (const protocol of [2, 3] as const) {
  test.serial(`every command is exercised over RESP${protocol}`, async (t) => {
    const exercised = new Set(Object.keys(ELSEWHERE));
    for (const one of Object.values(tables).flat()) {
      for (const name of await answered(one, protocol)) exercised.add(name);
    }
    const missing = (await listed(protocol)).filter((name) => !exercised.has(name));
    none(
      t,
      missing.map((name) => `no case has an answer of ${name}`),
    );
  });
}

test('the tests that are named for commands exist and use them', (t) => {
  const wrong = Object.entries(ELSEWHERE).filter(([name, path]) => {
    const last = name.split('|').at(-1) ?? name;
    return !existsSync(join(ROOT, path)) || !new RegExp(last, 'i').test(read(path));
  });
  none(
    t,
    wrong.map(([name, path]) => `${path} does not use ${name}`),
  );
});
