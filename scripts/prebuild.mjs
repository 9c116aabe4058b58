// npm run prebuild: puts the binary that the tests ran, stripped, where node-gyp-build finds it in
// the published package: prebuilds/<platform>-<arch>/moon-server.<libc>.node
import { copyFileSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildNative } from './build-native.mjs';
import { ROOT, mustRun } from './lib.mjs';
import { setup } from './setup.mjs';

export function copyPrebuild() {
  const libc = process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';
  const folder = join(ROOT, 'prebuilds', `${process.platform}-${process.arch}`);
  const file = join(folder, `moon-server.${libc}.node`);
  mkdirSync(folder, { recursive: true });
  // Through a temporary name: a server that has the old file mapped must not see it change.
  copyFileSync(join(ROOT, 'build/Release/moon_server.node'), `${file}.new`);
  mustRun('strip', ['--strip-all', `${file}.new`]);
  renameSync(`${file}.new`, file);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  setup('run');
  buildNative();
  copyPrebuild();
}
