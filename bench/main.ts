// npm run bench [-- --list] [--goal 1,2] [--reps 5] [--name text]
//
// Prints microseconds of server processor time for each operation, ours and redis-server's, and
// keeps the run as JSON under bench/history/.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cells } from './cells.ts';
import { measure, type CellResult } from './measure.ts';
import { measureMemory, type MemoryResult } from './memory.ts';

const { values } = parseArgs({
  options: {
    list: { type: 'boolean', default: false },
    goal: { type: 'string' },
    reps: { type: 'string', default: '5' },
    name: { type: 'string', default: 'run' },
  },
});

const goals = values.goal?.split(',');
const wanted = (goal: string) => goals === undefined || goals.includes(goal);
const print = (line: string) => process.stdout.write(`${line}\n`);

function show(result: CellResult): void {
  const mean = (list: readonly number[]) => list.reduce((a, b) => a + b, 0) / list.length;
  const { median, min, max } = result.ratio;
  const ratio = result.trusted
    ? `${median.toFixed(3)} (${min.toFixed(3)}–${max.toFixed(3)})`
    : `no ratio: the opponent spreads by ${(result.spread * 100).toFixed(0)} %`;
  const us = `${mean(result.ours).toFixed(3)} / ${mean(result.theirs).toFixed(3)} µs`;
  print(`${result.goal.padEnd(3)}${result.name.padEnd(58)}${us.padEnd(24)}${ratio}`);
}

function keep(cpu: readonly CellResult[], memory: readonly MemoryResult[], repetitions: number) {
  const folder = fileURLToPath(new URL('history/', import.meta.url));
  mkdirSync(folder, { recursive: true });
  const date = new Date().toISOString().slice(0, 10);
  const file = `${folder}${date}-${values.name}.json`;
  const machine = {
    processor: cpus()[0]?.model,
    cores: cpus().length,
    kernel: release(),
    redis: execFileSync('redis-server', ['--version'], { encoding: 'utf8' }).trim(),
    node: process.version,
  };
  writeFileSync(file, `${JSON.stringify({ date, repetitions, machine, cpu, memory }, null, 1)}\n`);
  print(`kept in bench/history/${date}-${values.name}.json`);
}

async function main(): Promise<void> {
  const chosen = cells.filter(({ goal }) => wanted(goal));
  if (values.list) {
    for (const { goal, name } of cells) print(`${goal.padEnd(3)}${name}`);
    print('9  RSS bytes a key, values of 8, 32, 64, 256 and 1024 bytes');
    return;
  }
  const repetitions = Number(values.reps);
  const results: CellResult[] = [];
  for (const cell of chosen) {
    const result = await measure(cell, repetitions);
    results.push(result);
    show(result);
  }
  const memory = wanted('9') ? await measureMemory() : [];
  for (const { goal, name, ours, theirs } of memory) {
    const us = `${ours.toFixed(1)} / ${theirs.toFixed(1)} B`;
    print(`${goal.padEnd(3)}${name.padEnd(58)}${us.padEnd(24)}${(ours / theirs).toFixed(3)}`);
  }
  keep(results, memory, repetitions);
}

await main();
