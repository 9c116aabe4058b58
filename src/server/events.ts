// What a running server tells its program. Names and payloads are public.
import type { NativeWarning } from '../native/binding.ts';

/** Something the operator should know: what, why, and what to do about it. */
export type ServerWarning = NativeWarning;

export interface ServerEvents {
  /** The server accepts connections. Emitted once, after startServer() has resolved. */
  ready: [];
  warning: [warning: ServerWarning];
  /** CONFIG SET, from whichever client. */
  configChanged: [change: { readonly name: string; readonly value: string }];
  /** A turn of a shard's loop took longer than it should. */
  stall: [stall: { readonly shard: number; readonly ms: number }];
  /** All threads are joined; nothing of the server is left. Emitted once. */
  closed: [];
}
