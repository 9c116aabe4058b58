// The public surface of moon-server. Importing it loads no native code and works on any platform;
// startServer() is where the binary is needed.
export { MoonError, ReplyError, type MoonErrorCode } from './errors.ts';
export { startServer } from './server/start-server.ts';
export type { ServerOptions } from './config/options.ts';
export type { Command, CommandArgument, Reply } from './native/resp.ts';
export type { CloseOptions, Server, ServerConfig, ServerFacts } from './server/api.ts';
export type { ServerEvents, ServerWarning } from './server/events.ts';
export type { ServerStats } from './server/stats.ts';
export type { DirectiveOptions, OptionValue } from './config/option-names.ts';
export { moonVersion, redisVersion } from './version.ts';
