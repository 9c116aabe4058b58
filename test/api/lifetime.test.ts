// How servers live and die inside a process: cycles, workers, exits, a host that is busy.
import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import test from 'ava';
import { ROOT } from '../tidy/tree.ts';
import { RawClient } from './raw-client.ts';

const fixture = (name: string): string => join(ROOT, 'test/api/fixtures', name);
const node = (...args: string[]): string[] => ['--import', 'tsx', ...args];

interface Ended {
  readonly code: unknown;
  readonly signal: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

function run(args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { timeout: 100_000 }, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, signal: error?.signal ?? null, stdout, stderr });
    });
  });
}

test('a hundred servers leave no memory, descriptors or threads behind', async (t) => {
  const { stdout, stderr } = await run(node('--expose-gc', fixture('cycles.ts')));
  t.is(stderr, '');
  const { before, after } = JSON.parse(stdout) as Record<
    'before' | 'after',
    { rss: number; descriptors: number; threads: number }
  >;
  t.true(after.descriptors <= before.descriptors, `${before.descriptors} → ${after.descriptors}`);
  t.true(after.threads <= before.threads, `${before.threads} → ${after.threads}`);
  const grown = after.rss - before.rss;
  t.true(grown < 16 * 1024 * 1024, `grown by ${Math.round(grown / 1024)} KiB`);
});

const exits: [string, unknown, RegExp][] = [
  ['exit', 7, /^$/],
  ['throw', 1, /on purpose/],
  ['unref', 7, /^$/],
  ['close', 7, /^$/],
];
for (const [how, code, stderr] of exits) {
  test(`a process may end while serving: ${how}`, async (t) => {
    const ended = await run(node(fixture('exit-while-serving.ts'), how));
    t.is(ended.signal, null);
    t.is(ended.code, code);
    t.regex(ended.stderr, stderr);
  });
}

/** A worker has no TypeScript loader of its own: it registers one first. */
function startWorker(id: number): Worker {
  const url = pathToFileURL(fixture('worker.ts')).href;
  const script = `import('tsx/esm/api').then(({ register }) => {
    register();
    return import(${JSON.stringify(url)});
  })`;
  return new Worker(script, { eval: true, execArgv: [], workerData: id });
}

test('servers in worker threads, closed, left to exit, and terminated', async (t) => {
  const workers = [0, 1, 2].map(startWorker);
  const ended = workers.map(
    (worker) => new Promise<void>((resolve) => worker.once('exit', () => {
      resolve();
    })),
  );
  const ports = await Promise.all(
    workers.map(
      (worker) =>
        new Promise<number>((resolve, reject) => {
          worker.once('message', resolve);
          worker.once('error', reject);
        }),
    ),
  );
  for (const [id, port] of ports.entries()) {
    const client = await RawClient.open({ port });
    t.deepEqual(await client.run(['GET', 'who']), [String(id)]);
    client.close();
  }
  workers[0]?.postMessage('close');
  workers[1]?.postMessage('exit');
  await workers[2]?.terminate();
  await Promise.all(ended);
  for (const port of ports) {
    await t.throwsAsync(RawClient.open({ port }), { code: 'ECONNREFUSED' });
  }
});

test('what comes at connect and in MULTI is answered while the host is blocked', async (t) => {
  const child = spawn(process.execPath, node(fixture('blocked-host.ts')), {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  let printed = '';
  const until = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve) => {
      const look = (): void => {
        const match = pattern.exec(printed);
        if (match !== null) resolve(match);
        else child.stdout.once('data', () => setImmediate(look));
      };
      look();
    });
  child.stdout.on('data', (data: Buffer) => {
    printed += data.toString();
  });
  const [, port] = await until(/^(\d+)\n/);
  child.stdin.write('block\n');
  await until(/blocked\n/);
  const client = await RawClient.open({ port: Number(port) });
  const start = Date.now();
  const replies = await client.run(
    ['HELLO', '3'],
    ['CLIENT', 'SETINFO', 'LIB-NAME', 'test'],
    ['INFO'],
    ['COMMAND', 'COUNT'],
    ['COMMAND', 'DOCS', 'GET'],
    ['CONFIG', 'GET', 'maxmemory'],
    ['CONFIG', 'SET', 'maxmemory', '1gb'],
    ['MULTI'],
    ['SET', 'k', 'v'],
    ['CONFIG', 'GET', 'maxmemory'],
    ['INFO', 'server'],
    ['EXEC'],
  );
  const took = Date.now() - start;
  t.true(took < 1500, `${took} ms`);
  t.notRegex(printed, /free/);
  t.is(replies[6], 'OK');
  const results = replies[11] as unknown[];
  t.is(results[0], 'OK');
  t.deepEqual(results[1], new Map([['maxmemory', '1073741824']]));
  client.close();
});
