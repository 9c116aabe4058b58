// One cell: the same commands to two servers in turn, processor time of the server for each
// operation, ratio of each pair. PERFORMANCE rules: paired repetitions with the order flipped,
// populated to saturation, at least a second of server time, no ratio when Redis itself spreads.
import { spawnSync } from 'node:child_process';
import { BenchServer, type ServerKind } from './servers.ts';

const CLIENT_CORE = '1';
const KEYS = 100_000;
const LEAST_CPU_US = 1_000_000;
const PROBE = 100_000;
/** Beyond this spread of the opponent the machine is too noisy for a ratio. */
const SPREAD_MAX = 0.05;

export interface Cell {
  readonly goal: string;
  readonly name: string;
  readonly clients: number;
  readonly pipeline: number;
  /** As redis-benchmark takes it, `__rand_int__` in the key. */
  readonly command: readonly string[];
  /** Keys are there before: SET of all of them. */
  readonly populate: boolean;
  readonly ours: ServerKind;
  readonly theirs: ServerKind;
}

export interface CellResult {
  readonly goal: string;
  readonly name: string;
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  readonly ratio: { readonly median: number; readonly min: number; readonly max: number };
  readonly spread: number;
  readonly trusted: boolean;
}

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
};

function load(server: BenchServer, cell: Cell, operations: number, command: readonly string[]) {
  const args = [
    '-c', CLIENT_CORE, 'redis-benchmark', '-p', `${server.port}`, '-n', `${operations}`,
    '-c', `${cell.clients}`, '-P', `${cell.pipeline}`, '-r', `${KEYS}`, '-q', ...command,
  ];
  const { status } = spawnSync('taskset', args, { stdio: 'ignore' });
  if (status !== 0) throw new Error(`redis-benchmark failed: ${args.join(' ')}`);
}

/** Random keys leave some out: keys are written until all are there. */
async function populate(server: BenchServer, cell: Cell): Promise<void> {
  const quick = { ...cell, clients: 10, pipeline: 64 };
  for (let round = 0; round < 40; round++) {
    load(server, quick, KEYS * 4, ['SET', 'key:__rand_int__', 'xxxxxxxx']);
    if (/:100000\r/.test(await server.ask('DBSIZE'))) return;
  }
  throw new Error('could not populate all keys');
}

async function once(kind: ServerKind, cell: Cell): Promise<number> {
  const server = await BenchServer.start(kind);
  try {
    if (cell.populate) await populate(server, cell);
    await server.ask('CONFIG RESETSTAT');
    const probeStart = server.cpuUs();
    load(server, cell, PROBE, cell.command);
    const perOperation = Math.max((server.cpuUs() - probeStart) / PROBE, 0.1);
    const operations = Math.ceil((LEAST_CPU_US * 1.2) / perOperation / 1000) * 1000;
    const start = server.cpuUs();
    load(server, cell, operations, cell.command);
    const used = server.cpuUs() - start;
    const misses = await server.figure('keyspace_misses');
    if (cell.populate && misses !== 0) throw new Error(`${cell.name}: ${misses} misses`);
    return used / operations;
  } finally {
    await server.stop();
  }
}

export async function measure(cell: Cell, repetitions: number): Promise<CellResult> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let i = 0; i < repetitions; i++) {
    if (i % 2 === 0) ours.push(await once(cell.ours, cell));
    theirs.push(await once(cell.theirs, cell));
    if (i % 2 === 1) ours.push(await once(cell.ours, cell));
  }
  const ratios = ours.map((value, i) => value / (theirs[i] ?? NaN));
  const spread = (Math.max(...theirs) - Math.min(...theirs)) / median(theirs);
  return {
    goal: cell.goal,
    name: cell.name,
    ours,
    theirs,
    ratio: { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) },
    spread,
    trusted: spread <= SPREAD_MAX,
  };
}
