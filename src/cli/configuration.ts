// The CLI's configuration: flags over MOON_* variables over conf files over defaults.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { directives, loadLayers, type ResolvedConfig } from '../config/load.ts';
import { loadConfFile, loadConfText } from '../config/load-conf.ts';
import { loadEnv } from '../config/load-env.ts';
import type { Loaded, Problem } from '../config/load-settings.ts';
import { moonVersion } from '../version.ts';
import type { ConfigArgs } from './args.ts';

export interface CliConfiguration extends ResolvedConfig {
  /** Absolute path, or '' without a conf file. */
  readonly configFile: string;
}

/** What is read beside the arguments; tests bring their own. */
export interface ConfigurationHost {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readStdin(): string;
}

export const processHost = (): ConfigurationHost => ({
  cwd: process.cwd(),
  env: process.env,
  readStdin: () => readFileSync(0, 'utf8'),
});

/** `preset` stands in for the defaults of this command, by directive. */
export function readConfiguration(
  args: ConfigArgs,
  preset: Readonly<Record<string, string>>,
  host: ConfigurationHost,
): CliConfiguration {
  const context = { workingDirectory: host.cwd };
  const layers: Loaded[] = [];
  if (args.confFile !== undefined) layers.push(loadConfFile(args.confFile, context));
  if (args.stdin) layers.push(loadConfText(host.readStdin(), 'stdin', context));
  layers.push(loadEnv(host.env, directives));
  layers.push({ settings: [...args.settings], problems: [], notes: [] });
  return {
    ...loadLayers(layers, preset, host.cwd),
    configFile: args.confFile === undefined ? '' : resolve(host.cwd, args.confFile),
  };
}

/** Redis's frame around what is wrong, one block each, so that all is mended in one go. */
export function problemText(problems: readonly Problem[]): string {
  return problems
    .map(({ origin, message, line }) => {
      const place =
        origin.source === 'conf'
          ? `Reading the configuration file, at ${origin.where}`
          : `Reading ${origin.source === 'env' ? 'the environment' : 'the command line'}`;
      return [
        `*** FATAL CONFIG FILE ERROR (moon-server ${moonVersion}) ***`,
        place,
        `>>> '${line ?? origin.where}'`,
        message,
      ].join('\n');
    })
    .join('\n\n');
}
