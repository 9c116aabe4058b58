// `moon-server`: the server as a process. What the library leaves alone is done here: signals,
// standard output, the pid file, exit codes.
import { rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '../errors.ts';
import { fdSink, type Logger } from '../log/logger.ts';
import { boot, loggerFor } from '../server/boot.ts';
import { bannerLines, startingLine } from './banner.ts';
import type { CliConfiguration } from './configuration.ts';
import { Shutdown } from './shutdown.ts';

const STDOUT = 1;

/** Resolves when the server runs; from then on Shutdown ends the process. */
export async function serve(config: CliConfiguration): Promise<void> {
  const { values, configFile, workingDirectory } = config;
  const logger = loggerFor(values, workingDirectory, fdSink(STDOUT));
  const pidFile = values.get('pidfile') ?? '';
  const pidPath = pidFile === '' ? undefined : resolve(workingDirectory, pidFile);
  const shutdown = new Shutdown(logger, Number(values.get('shutdown-timeout')) * 1000, () => {
    if (pidPath !== undefined) rmSync(pidPath, { force: true });
  });
  shutdown.install();
  logger.log('notice', startingLine());
  for (const note of config.notes) logger.log('warning', note.message);
  const server = await boot({
    values,
    logger,
    configFile,
    workingDirectory,
    anyPort: false,
    onShutdownRequest: (_server, { now }) => {
      shutdown.onRequest(now);
    },
  }).catch((thrown: unknown) => failedStart(logger, values, thrown));
  if (server.port === 0 && server.unixSocket === undefined) {
    await server.close();
    failedStart(logger, values, 'Configured to not listen anywhere, exiting.');
  }
  shutdown.attach(server);
  if (pidPath !== undefined) writePidFile(pidPath, logger);
  for (const line of bannerLines({ info: server.facts, values, configFile, workingDirectory })) {
    logger.log('notice', line);
  }
  logger.log('notice', 'Ready to accept connections');
}

/** For a port that cannot be had, Redis's two lines: tools look for the first. */
function failedStart(
  logger: Logger,
  values: ReadonlyMap<string, string>,
  thrown: unknown,
): never {
  const text = messageOf(thrown);
  if (text.startsWith('Could not create server TCP listening socket')) {
    logger.log('warning', `Warning: ${text}`);
    logger.log('warning', `Failed listening on port ${values.get('port')} (TCP), aborting.`);
  } else {
    logger.log('warning', text);
  }
  throw new StartFailure(thrown);
}

/** The start failed and the log says why. */
export class StartFailure extends Error {
  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
  }
}

function writePidFile(path: string, logger: Logger): void {
  try {
    writeFileSync(path, `${process.pid}\n`);
  } catch (thrown) {
    logger.log('warning', `The pid file could not be written: ${messageOf(thrown)}`);
  }
}
