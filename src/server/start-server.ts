// startServer(): the way into the house for programs.
import { resolve } from 'node:path';
import { resolveOptions, type ServerOptions } from '../config/options.ts';
import type { Server } from './api.ts';
import { boot, loggerFor } from './boot.ts';
import { apiPreset } from './presets.ts';

/**
 * Starts a server and resolves once it listens. By default: any free port on 127.0.0.1, data in
 * memory, no output, one or two shard threads.
 *
 * Rejects with MoonError: ERR_MOON_OPTION_UNKNOWN and ERR_MOON_OPTION_INVALID before the native
 * binary is looked for, ERR_MOON_UNSUPPORTED_* and ERR_MOON_BINARY_* when it cannot be loaded here,
 * ERR_MOON_ADDRESS_IN_USE and ERR_MOON_LISTEN when an address is not to be had; with the signal's
 * reason when `signal` aborts first.
 */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const { config, signal, onLog } = resolveOptions(options, apiPreset, resolve('.'));
  const { values, workingDirectory } = config;
  return boot({
    values,
    logger: loggerFor(values, workingDirectory, onLog ?? (() => undefined)),
    configFile: '',
    workingDirectory,
    anyPort: true,
    ...(signal && { signal }),
  });
}
