// CONFIG REWRITE: what CONFIG SET changed is in the conf file afterwards, comments and order stay,
// and a server that starts from the file has it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { RawClient } from '../api/raw-client.ts';
import { launch } from './run.ts';

const folder = mkdtempSync(join(tmpdir(), 'moon-rewrite-'));
const socket = join(folder, 'moon.sock');

test.after.always(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function serve(t: ExecutionContext, args: readonly string[]): Promise<RawClient> {
  const running = launch(t, [...args, '--port', '0', '--unixsocket', socket, '--shards', '1']);
  await running.printed(/Ready to accept connections\n/);
  return RawClient.open({ path: socket });
}

test.serial('the file takes the change and keeps the rest', async (t) => {
  const file = join(folder, 'moon.conf');
  writeFileSync(file, '# kept\nmaxmemory 10mb\n\n# also kept\ntimeout 30\n');
  const client = await serve(t, [file]);
  const replies = await client.run(
    ['CONFIG', 'SET', 'timeout', '77', 'maxmemory-policy', 'allkeys-lfu'],
    ['CONFIG', 'REWRITE'],
  );
  t.deepEqual(replies, ['OK', 'OK']);
  const text = readFileSync(file, 'utf8');
  t.regex(text, /^# kept\nmaxmemory (10mb|10485760)\n\n# also kept\ntimeout 77\n/);
  t.regex(text, /^maxmemory-policy allkeys-lfu$/m);
  client.close();
});

test.serial('without a file it says so', async (t) => {
  const client = await serve(t, []);
  const [reply] = await client.run(['CONFIG', 'REWRITE']);
  t.regex(String(reply), /The server is running without a config file/);
  client.close();
});
