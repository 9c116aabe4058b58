// Builds build/Release/moon_server.node. Configures only when the list of sources, binding.gyp or
// the toolchain changed; make does the rest. Options after `--` go to node-gyp configure.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  ROOT,
  compilerEnv,
  hashOf,
  jobs,
  localBin,
  mustRun,
  runLocked,
  setStamp,
  stampIs,
} from './lib.mjs';
import { listSources } from './list-sources.mjs';

/** Where this Node's own headers are, so that node-gyp need not fetch any; null if they are not. */
export function nodeHeadersDir() {
  const candidates = [process.env.npm_config_nodedir, dirname(dirname(process.execPath)), '/usr'];
  const found = candidates.find((dir) => dir && existsSync(join(dir, 'include/node/node_api.h')));
  return found ?? null;
}

export function gypEnv() {
  const headers = nodeHeadersDir();
  return {
    ...compilerEnv(),
    ...(headers === null ? {} : { npm_config_nodedir: headers }),
    MAKEFLAGS: `-j${jobs()}`,
  };
}

function buildLocked(extra) {
  const env = gypEnv();
  const sources = [...listSources('engine'), ...listSources('addon')];
  const key = hashOf(
    ['binding.gyp', 'src-native/exports.map'],
    JSON.stringify([sources, extra, process.version, process.arch, env]),
  );
  if (!stampIs('configure', key) || !existsSync(join(ROOT, 'build/Makefile'))) {
    mustRun(localBin('node-gyp'), ['configure', '--silent', '--release', ...extra], { env });
    setStamp('configure', key);
  }
  mustRun('make', ['-C', 'build', 'BUILDTYPE=Release', '--no-print-directory', '-s'], { env });
}

export const buildNative = (extra = []) => runLocked('build-native.mjs', extra);

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [first, ...rest] = process.argv.slice(2);
  if (first === '--locked') buildLocked(rest);
  else buildNative(process.argv.slice(2));
}
