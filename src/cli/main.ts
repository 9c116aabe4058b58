#!/usr/bin/env node
// The command `moon-server`. Reads the arguments, does what they say, ends with an exit code.
import { writeSync } from 'node:fs';
import { MoonError, messageOf } from '../errors.ts';
import { fdSink } from '../log/logger.ts';
import { boot, loggerFor } from '../server/boot.ts';
import { cliPreset, execPreset } from '../server/presets.ts';
import { parseArgs, type CliRequest, type ConfigArgs } from './args.ts';
import { versionLine } from './banner.ts';
import { effectiveConfig } from './check-conf.ts';
import {
  problemText,
  processHost,
  readConfiguration,
  type CliConfiguration,
} from './configuration.ts';
import { childEnvironment, runChild } from './exec.ts';
import { helpText } from './help.ts';
import { ping, targetOfConfig, targetOfUrl } from './ping.ts';
import { serve, StartFailure } from './serve.ts';

const print = (text: string): void => void writeSync(1, text);
const complain = (text: string): void => void writeSync(2, `${text}\n`);

/** The exit code, or undefined when the server runs on and ends the process itself. */
async function run(request: CliRequest): Promise<number | undefined> {
  switch (request.command) {
    case 'version':
      print(`${versionLine()}\n`);
      return 0;
    case 'help':
      print(helpText);
      return 0;
    case 'check':
      print(effectiveConfig(configuration(request.config, cliPreset)));
      return 0;
    case 'ping': {
      const { url } = request.ping;
      const target = url === undefined ? configuredTarget(request.config) : targetOfUrl(url);
      await ping(target, request.ping);
      print('PONG\n');
      return 0;
    }
    case 'exec':
      return exec(configuration(request.config, execPreset), request.child);
    case 'serve':
      await serve(configuration(request.config, cliPreset));
      return undefined;
  }
}

function configuration(
  args: ConfigArgs,
  preset: Readonly<Record<string, string>>,
): CliConfiguration {
  const config = readConfiguration(args, preset, processHost());
  if (config.problems.length > 0) {
    throw new MoonError('ERR_MOON_CONFIG', problemText(config.problems));
  }
  return config;
}

function configuredTarget(args: ConfigArgs): ReturnType<typeof targetOfConfig> {
  const { values, workingDirectory } = configuration(args, cliPreset);
  return targetOfConfig(values, workingDirectory);
}

/** The command owns standard output; what the server has to say goes to standard error. */
async function exec(config: CliConfiguration, child: readonly string[]): Promise<number> {
  const { values, configFile, workingDirectory } = config;
  const logger = loggerFor(values, workingDirectory, fdSink(2));
  const server = await boot({ values, logger, configFile, workingDirectory, anyPort: true });
  try {
    return await runChild(child, childEnvironment(server));
  } finally {
    await server.close();
  }
}

async function main(): Promise<void> {
  try {
    const code = await run(parseArgs(process.argv.slice(2)));
    if (code !== undefined) process.exit(code);
  } catch (thrown) {
    if (!(thrown instanceof StartFailure)) complain(messageOf(thrown));
    process.exit(1);
  }
}

void main();
