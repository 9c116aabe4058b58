// What the loader of an older or other system would say to the binary, asked beforehand.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import test from 'ava';
import { ROOT, none } from './tree.ts';

const GLIBC_FLOOR = [2, 34] as const;
const BINARY = join(ROOT, 'build/Release/moon_server.node');
const LIBRARIES = /^(lib(c|m|dl|rt|pthread)\.so\.\d+|libgcc_s\.so\.1|ld-linux[\w-]*\.so\.\d)$/;

const objdump = (flag: string): string[] =>
  execFileSync('objdump', [flag, BINARY], { encoding: 'utf8' }).split('\n');

interface DynamicSymbol {
  readonly name: string;
  readonly version: string;
  readonly defined: boolean;
  readonly weak: boolean;
}

function dynamicSymbols(): DynamicSymbol[] {
  return objdump('-T').flatMap((line) => {
    const fields = /^[0-9a-f]+ (.{7}) (\S+)\t[0-9a-f]+ +(?:(\(?[A-Z]\S*\)?) +)?(\S+)$/.exec(line);
    if (fields === null) return [];
    const [, flags = '', section, version = '', name = ''] = fields;
    return [{ name, version, defined: section !== '*UND*', weak: flags.includes('w') }];
  });
}

test('the addon exports what Node-API asks for and nothing else', (t) => {
  const exported = dynamicSymbols().filter(({ defined }) => defined);
  t.deepEqual(exported.map(({ name }) => name).sort(), [
    'napi_register_module_v1',
    'node_api_module_get_api_version_v1',
  ]);
});

test(`the addon loads where glibc is ${GLIBC_FLOOR.join('.')} or newer`, (t) => {
  const wrong = dynamicSymbols()
    .filter(({ version }) => {
      const [, major, minor] = /GLIBC_(\d+)\.(\d+)/.exec(version) ?? [];
      return Number(major) === GLIBC_FLOOR[0] && Number(minor) > GLIBC_FLOOR[1];
    })
    .map(({ name, version }) => `${name} ${version}`);
  none(t, wrong);
});

test('what the addon leaves undefined is given by libc, libgcc or Node-API', (t) => {
  const wrong = dynamicSymbols()
    .filter(({ defined, weak }) => !defined && !weak)
    .filter(({ version }) => !/^\(?(GLIBC|GCC)_/.test(version))
    .map(({ name }) => name)
    .filter((name) => !/^(napi|node_api)_\w+$/.test(name));
  none(t, wrong);
});

test('the addon needs no library that a small system lacks', (t) => {
  const needed = objdump('-p').flatMap((line) => /^\s+NEEDED\s+(\S+)$/.exec(line)?.[1] ?? []);
  t.true(needed.length > 0);
  const wrong = needed.filter((name) => !LIBRARIES.test(name));
  none(t, wrong);
});

test('the addon is bound at load and never unmapped', (t) => {
  const dynamic = execFileSync('readelf', ['-d', BINARY], { encoding: 'utf8' });
  t.regex(dynamic, /\bNODELETE\b/);
  t.regex(dynamic, /\b(BIND_)?NOW\b/);
});
