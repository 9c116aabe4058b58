import test from 'ava';
import { FILES, none, read } from './tree.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly files: readonly string[];
}

interface Lock {
  readonly packages: Readonly<Record<string, Partial<Manifest> & { resolved?: string }>>;
}

const manifest = JSON.parse(read('package.json')) as Manifest;
const lock = JSON.parse(read('package-lock.json')) as Lock;
const wanted = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });

test('versions are pinned exactly', (t) => {
  const wrong = wanted.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version)).map(String);
  none(t, wrong);
});

test('the lock file is that of package.json and names no download addresses', (t) => {
  const root = lock.packages[''];
  t.is(root?.version, manifest.version);
  t.deepEqual(root?.dependencies, manifest.dependencies);
  t.deepEqual(root?.devDependencies, manifest.devDependencies);
  const addresses = Object.entries(lock.packages).filter(([, { resolved }]) => resolved);
  t.deepEqual(addresses.map(String), []);
});

test('every package of package.json is used', (t) => {
  const used = FILES.filter(
    (path) => /\.(ts|mts|mjs|json)$/.test(path) && !/^package(-lock)?\.json$/.test(path),
  )
    .map(read)
    .join('\n');
  const byName = (name: string): boolean =>
    new RegExp(`['"/]${name.replace(/[/@.]/g, '\\$&')}['"/]`).test(used);
  // Types come by tsconfig.json; the rest by the name of the command that it installs.
  const commands: Readonly<Record<string, string>> = { '@arethetypeswrong/cli': 'attw' };
  const wrong = wanted
    .map(([name]) => name)
    .filter((name) => !name.startsWith('@types/') && !byName(commands[name] ?? name));
  none(t, wrong);
});

test('installing the package runs no script and compiles nothing', (t) => {
  for (const script of ['preinstall', 'install', 'postinstall', 'prepare']) {
    t.false(script in manifest.scripts, script);
  }
  const shipped = manifest.files.filter((path) => /binding\.gyp|src-native|scripts/.test(path));
  t.deepEqual(shipped, []);
});
