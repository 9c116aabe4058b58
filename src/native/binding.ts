// The contract between the control plane and the addon (src-native/addon). Types only.
//
// Threads: every function here is called on the JavaScript thread of the environment that loaded
// the addon, and every callback arrives there. Nothing native runs JavaScript while a shard waits
// for it, except control commands, whose client alone waits.
//
// Lifetime: a NativeServer lives until stop() has called back; the environment's cleanup hook stops
// what is still running when a worker ends or the process exits. After stop() has begun, call()
// calls back with the error text 'closed'.

/** What goes wrong below, in words the control plane can turn into an error of its own. */
export interface NativeError {
  /** errno name where there is one (EADDRINUSE, EACCES, …), else a word: 'tables', 'threads', … */
  readonly code: string;
  /** The complete sentence, as Redis would log it where Redis has one. */
  readonly message: string;
  /** The line to run, where native code knows it. */
  readonly cure?: string;
}

/** What is not a directive. All directives travel in the tables blob as their current values. */
export interface NativeOptions {
  /** Version of this package; INFO `moon_version`. */
  readonly moonVersion: string;
  /** The Redis version that clients are told; INFO `redis_version`. */
  readonly redisVersion: string;
  /** 40 hex digits; INFO `run_id`. */
  readonly runId: string;
  /** Absolute path, or '' when there is no conf file; INFO `config_file`, CONFIG REWRITE. */
  readonly configFile: string;
  /** Absolute path; INFO `executable`. */
  readonly executable: string;
  /** Absolute directory that relative paths (unixsocket, dir) are resolved against. */
  readonly workingDirectory: string;
  /** True: port 0 binds any free port (startServer). False: port 0 is no TCP listener (Redis). */
  readonly anyPort: boolean;
  readonly argv: readonly string[];
}

/** NativeServer.info, parsed. */
export interface NativeInfo {
  /** The TCP port that was bound, 0 when none is. */
  readonly port: number;
  /** Addresses that were bound, as given by `bind`. */
  readonly addresses: readonly string[];
  /** Absolute path, or ''. */
  readonly unixSocket: string;
  readonly ioDriver: string;
  /** Why this driver: 'probe succeeded', 'io_uring refused: EPERM', 'io-driver epoll'. */
  readonly ioDriverReason: string;
  readonly shards: number;
  readonly slices: number;
  /** Bytes: what the machine or the cgroup lets this process use; 0 when unknown. */
  readonly memoryLimit: number;
  /** 'cgroup', 'host', 'maxmemory'. */
  readonly memoryLimitSource: string;
  /** Those of the start; later ones are events. */
  readonly warnings: readonly NativeWarning[];
}

export interface NativeWarning {
  readonly code: string;
  readonly message: string;
  readonly cure?: string;
}

/** Event name → payload; on the wire the payload is one JSON text. */
export interface NativeEvents {
  warning: NativeWarning;
  configChanged: { readonly name: string; readonly value: string };
  /** A command with the route `control`; answered by respondControl(id). */
  control: { readonly id: number; readonly args: readonly string[] };
  stall: { readonly shard: number; readonly ms: number };
  log: { readonly level: string; readonly message: string };
  closed: { readonly reason?: string };
}

export type NativeEventName = keyof NativeEvents;

export interface NativeServer {
  /** JSON of NativeInfo. */
  readonly info: string;
  /**
   * `count` commands as RESP arrays of bulk strings in, their `count` replies out: RESP3 bytes,
   * concatenated in order. One call is one client of its own: SELECT, MULTI and WATCH end with it.
   * `request` is not changed before `done`.
   */
  call(
    request: Uint8Array,
    count: number,
    done: (error: string | null, replies: Uint8Array) => void,
  ): void;
  /**
   * 'graceful': stop accepting, drain, close within `timeoutMs`; 'now': close at once, and hurry a
   * graceful stop that is under way. Joins the threads before `done`. Idempotent: every call's
   * `done` is called once.
   */
  stop(mode: StopMode, timeoutMs: number, done: () => void): void;
  /** Answers a control command. Empty bytes: no reply, the client stays blocked until the end. */
  respondControl(id: number, reply: Uint8Array): void;
  /** Whether the running server keeps the event loop alive. */
  setRef(on: boolean): void;
}

export type StopMode = 'graceful' | 'now';

export interface NativeBinding {
  /** Hash of the tables the binary was built from; must equal ours. */
  readonly tablesHash: string;
  /** Starts the shard threads; `done` once, after all listeners are bound, or with an error. */
  start(
    tables: Uint8Array,
    options: NativeOptions,
    onEvent: (event: string, payload: string) => void,
    done: (error: NativeError | null, server: NativeServer | null) => void,
  ): void;
}
