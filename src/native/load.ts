// Finds and loads the native server. Importing the package loads nothing, so that it can be
// imported anywhere; startServer() comes here, and whatever is in the way is said with what was
// found, what is needed and the line to run.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MoonError, messageOf } from '../errors.ts';
import type { NativeBinding } from './binding.ts';

/** Node-API version the binary is built for (binding.gyp, NAPI_VERSION). */
const NAPI_NEEDED = 9;
const GLIBC_NEEDED = '2.34';
const PLATFORMS = ['linux x64', 'linux arm64'];

/** What loading asks of the world; tests answer instead. */
export interface LoadHost {
  readonly platform: string;
  readonly arch: string;
  readonly nodeVersion: string;
  readonly napi: string | undefined;
  /** '2.36', or undefined where the C library is not glibc. Costs milliseconds. */
  glibcVersion(): string | undefined;
  /** Directory of the package, or undefined when its package.json is not above this file. */
  readonly packageRoot: string | undefined;
  /** Path of the binary for this machine; throws when there is none. */
  resolve(packageRoot: string): string;
  load(path: string): unknown;
}

let cached: NativeBinding | undefined;

/** The binding whose tables are those with `tablesHash`; loaded once per environment. */
export function loadBinding(tablesHash: string): NativeBinding {
  cached ??= loadBindingFrom(systemHost(), tablesHash);
  return cached;
}

export function loadBindingFrom(host: LoadHost, tablesHash: string): NativeBinding {
  checkPlatform(host);
  const path = locate(host);
  const binding = open(host, path);
  if (binding.tablesHash !== tablesHash) {
    throw new MoonError('ERR_MOON_BINARY_MISMATCH', `${path} was built from other tables`, {
      found: `tables ${binding.tablesHash}`,
      needed: `tables ${tablesHash}, those of this package's JavaScript`,
      fix: rebuildLine(host),
    });
  }
  return binding;
}

function checkPlatform(host: LoadHost): void {
  const platform = `${host.platform} ${host.arch}`;
  if (!PLATFORMS.includes(platform)) {
    throw new MoonError(
      'ERR_MOON_UNSUPPORTED_PLATFORM',
      'moon-server does not run on this platform',
      {
        found: platform,
        needed: 'Linux on x64 or arm64 with glibc (a virtual machine or container will do)',
        fix: 'docker run --rm -p 127.0.0.1:6379:6379 node:20 npx --yes moon-server --bind "*" '
          + '--protected-mode no',
      },
    );
  }
  if (!(Number(host.napi ?? 0) >= NAPI_NEEDED)) {
    throw new MoonError('ERR_MOON_UNSUPPORTED_NODE', 'moon-server does not run on this Node', {
      found: `Node ${host.nodeVersion} with Node-API ${host.napi ?? 'unknown'}`,
      needed: `Node 20 or newer (Node-API ${NAPI_NEEDED})`,
      fix: 'npx --yes --package=node@20 -- npx moon-server',
    });
  }
}

function locate(host: LoadHost): string {
  const root = host.packageRoot;
  if (root === undefined) {
    throw new MoonError('ERR_MOON_BINARY_MISSING', "moon-server's own files were not found", {
      found: 'its JavaScript, moved away from its package (by a bundler?)',
      needed: 'the package as npm installed it, with prebuilds/ beside dist/',
      fix: "make it external in the bundler: external: ['moon-server']",
    });
  }
  try {
    return host.resolve(root);
  } catch (cause) {
    throwIfMusl(host, cause);
    const builds = listPrebuilds(root);
    throw new MoonError('ERR_MOON_BINARY_MISSING', 'No native server for this machine', {
      found: builds.length === 0 ? `no binary under ${root}` : `only ${builds.join(', ')}`,
      needed: `one for ${host.platform} ${host.arch}`,
      fix: rebuildLine(host),
      cause,
    });
  }
}

function open(host: LoadHost, path: string): NativeBinding {
  let loaded: unknown;
  try {
    loaded = host.load(path);
  } catch (cause) {
    throwIfMusl(host, cause);
    const text = messageOf(cause);
    if (/GLIBC(XX)?_[\d.]+/.test(text)) {
      throw new MoonError('ERR_MOON_UNSUPPORTED_LIBC', "This system's C library is too old", {
        found: `glibc ${host.glibcVersion() ?? 'unknown'} (${text})`,
        needed: `glibc ${GLIBC_NEEDED} or newer: Debian 12, Ubuntu 22.04, RHEL 9 or later`,
        fix: 'use a newer base image: node:20-bookworm',
        cause,
      });
    }
    const summary = `The native server could not be loaded: ${text}`;
    const fix = rebuildLine(host);
    throw new MoonError('ERR_MOON_BINARY_BROKEN', summary, { found: path, fix, cause });
  }
  if (!isBinding(loaded)) {
    throw new MoonError('ERR_MOON_BINARY_BROKEN', 'The native server is not one', {
      found: path,
      needed: 'an addon with start() and tablesHash',
      fix: rebuildLine(host),
    });
  }
  return loaded;
}

function throwIfMusl(host: LoadHost, cause: unknown): void {
  if (host.glibcVersion() !== undefined) return;
  throw new MoonError('ERR_MOON_UNSUPPORTED_LIBC', 'moon-server needs glibc', {
    found: 'another C library (musl, as in Alpine Linux)',
    needed: `glibc ${GLIBC_NEEDED} or newer`,
    fix: 'use a Debian image: node:20-slim instead of node:20-alpine',
    cause,
  });
}

function rebuildLine(host: LoadHost): string {
  const fromRepository =
    host.packageRoot !== undefined && existsSync(join(host.packageRoot, 'binding.gyp'));
  return fromRepository
    ? 'npm run build'
    : 'npm install --force moon-server (and let nothing strip node_modules/moon-server/prebuilds)';
}

function isBinding(value: unknown): value is NativeBinding {
  if (typeof value !== 'object' || value === null) return false;
  const { start, tablesHash } = value as Partial<Record<keyof NativeBinding, unknown>>;
  return typeof start === 'function' && typeof tablesHash === 'string';
}

function listPrebuilds(root: string): string[] {
  try {
    const folder = join(root, 'prebuilds');
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) => readdirSync(join(folder, name)).map((file) => join(name, file)));
  } catch {
    return [];
  }
}

/** The directory of our package.json, from wherever a bundler put this file. */
export function findPackageRoot(start = fileURLToPath(import.meta.url)): string | undefined {
  for (let folder = dirname(start); ; folder = dirname(folder)) {
    try {
      const json: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      if (isNamed(json, 'moon-server')) return folder;
    } catch {
      // No package.json here, or not ours to read: look further up.
    }
    if (dirname(folder) === folder) return undefined;
  }
}

function isNamed(json: unknown, name: string): boolean {
  return typeof json === 'object' && json !== null && 'name' in json && json.name === name;
}

function systemHost(): LoadHost {
  // Not named `require`: the built file is CommonJS and has one.
  const load = createRequire(import.meta.url);
  return {
    platform: process.platform,
    arch: process.arch,
    nodeVersion: process.versions.node,
    napi: process.versions['napi'],
    glibcVersion: readGlibcVersion,
    packageRoot: findPackageRoot(),
    resolve: (root) => (load('node-gyp-build') as { path(dir: string): string }).path(root),
    load: (path) => load(path) as unknown,
  };
}

function readGlibcVersion(): string | undefined {
  const report: unknown = process.report?.getReport();
  if (typeof report !== 'object' || report === null || !('header' in report)) return undefined;
  const { header } = report;
  if (typeof header !== 'object' || header === null) return undefined;
  const version = 'glibcVersionRuntime' in header ? header.glibcVersionRuntime : undefined;
  return typeof version === 'string' ? version : undefined;
}
