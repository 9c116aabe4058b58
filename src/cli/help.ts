// The text of --help. Short: every directive is a flag, and `check conf` lists them all.

export const helpText = `Usage: moon-server [conf] [--name value ...] [-]
       moon-server exec [conf] [--name value ...] -- command [argument ...]
       moon-server ping [--ready] [--timeout-ms N] [--url URL] [conf] [--name value ...]
       moon-server check conf [conf] [--name value ...]
       moon-server --version | --help

A Redis-compatible server. Without arguments it listens on 127.0.0.1:6379.

  conf            a file in redis.conf's format; - reads one from standard input
  --name value    any directive of the conf file: --port 7000 --save '' --bind 127.0.0.1 ::1
  MOON_NAME       the same as an environment variable: MOON_PORT=7000;
                  MOON_REQUIREPASS_FILE names a file that holds the value
  The command line wins over the environment, the environment over the conf file.

  exec            starts a server on a free port, runs the command with REDIS_URL set, stops the
                  server and exits with the command's exit code
  ping            exit code 0 when the server of this configuration answers; with --ready, when it
                  has also finished loading
  check conf      prints the configuration in effect and where each value comes from

Examples:
  moon-server --port 7000 --maxmemory 256mb --maxmemory-policy allkeys-lru
  moon-server /etc/moon.conf --loglevel verbose
  moon-server exec -- npm test

SIGTERM and SIGINT stop it in order within shutdown-timeout; a second signal closes at once.
Exit codes: 0 stopped in order, 1 not started or not stopped in order.
`;
