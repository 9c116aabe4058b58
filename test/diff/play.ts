// Sends a script to a server and takes down what comes back. A script is one connection's commands,
// after FLUSHALL and HELLO, and ends with a PING that shows that nothing is left over.
import { encode } from '../helpers/resp.ts';
import type { TestServer } from '../helpers/servers.ts';
import { ConnectionClosed, WireClient } from '../helpers/wire.ts';
import type { Step } from './types.ts';

export type Protocol = 2 | 3;

/** All commands in one write, or each when the one before was answered. */
export type Delivery = 'pipelined' | 'one by one';

export const DELIVERIES: readonly Delivery[] = ['pipelined', 'one by one'];

/** Replies by the command that they answer: CLIENT REPLY makes some that have none. */
export interface Transcript {
  readonly replies: readonly (Buffer | null)[];
  readonly closed: boolean;
}

export class Script {
  readonly steps: readonly Step[];
  private readonly parts: readonly Buffer[];

  constructor(steps: readonly Step[]) {
    this.steps = [...steps, ['PING']];
    this.parts = this.steps.map((step) => encode(step));
  }

  bytesOf(index: number): Buffer {
    return this.parts[index] as Buffer;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.parts);
  }
}

const PATIENCE_MS = 5000;
/** After CLIENT REPLY nothing may come: so long nothing is silence. */
const SILENCE_MS = 60;

async function begin(server: TestServer, protocol: Protocol): Promise<WireClient> {
  const client = await WireClient.open({ port: server.port });
  const [flushed, greeting] = await client.pipeline(['FLUSHALL', `HELLO ${protocol}`]);
  if (flushed !== '+OK') throw new Error(`${server.name}: FLUSHALL was answered with ${flushed}`);
  if (greeting?.startsWith('-')) throw new Error(`${server.name}: HELLO: ${greeting}`);
  return client;
}

/** Plays a script one by one without knowing what will come: for the oracle. */
export async function discover(
  server: TestServer,
  script: Script,
  protocol: Protocol,
): Promise<Transcript> {
  const client = await begin(server, protocol);
  const silenced = script.steps.some((step) => /^client reply/i.test(step.slice(0, 2).join(' ')));
  const replies: (Buffer | null)[] = [];
  try {
    for (let i = 0; i < script.steps.length; i++) {
      client.write(script.bytesOf(i));
      if (silenced && i < script.steps.length - 1) {
        const came = await client.frameWithin(SILENCE_MS);
        replies.push(came);
        continue;
      }
      const frame = await client.frameOrEnd(`reply ${i + 1}`, PATIENCE_MS);
      if (frame === null) return { replies, closed: true };
      replies.push(frame);
    }
    return { replies, closed: false };
  } finally {
    await client.close();
  }
}

/** Plays a script to a server that should answer as `wanted` says. */
export async function play(
  server: TestServer,
  script: Script,
  protocol: Protocol,
  delivery: Delivery,
  wanted: Transcript,
): Promise<Transcript> {
  const client = await begin(server, protocol);
  const replies: (Buffer | null)[] = [];
  try {
    if (delivery === 'pipelined') client.write(script.bytes);
    for (let i = 0; i < wanted.replies.length; i++) {
      if (delivery === 'one by one') client.write(script.bytesOf(i));
      if (wanted.replies[i] === null) {
        replies.push(null);
        continue;
      }
      const frame = await client.frameOrEnd(`reply ${i + 1}`, PATIENCE_MS);
      if (frame === null) return { replies, closed: true };
      replies.push(frame);
    }
    if (!wanted.closed) return { replies, closed: false };
    const more = await client.frameOrEnd('the end of the connection', PATIENCE_MS);
    if (more !== null) replies.push(more);
    return { replies, closed: more === null };
  } catch (error) {
    if (error instanceof ConnectionClosed) return { replies, closed: true };
    throw error;
  } finally {
    await client.close();
  }
}
