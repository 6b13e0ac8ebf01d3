// Finds the highest event rate at which the median TTFT, the median E2E latency and ITL p99 are within 5 % of the server's log,
// with the measuring core alone and through the measure command: npm run bench:loadgen-strict. BENCH_LEVELS=28,80 measures these
// thousands of events per second, BENCH_WAYS=command one of the two ways, BENCH_ROUNDS=1 each of them once.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorOf } from './loadgen/bars.ts';
import { runThroughCommand } from './loadgen/command.ts';
import { type Load, streams } from './loadgen/loads.ts';
import { buildMock, hasPriority } from './loadgen/mock.ts';
import { runLoad } from './loadgen/run.ts';
import { describeMachine } from './support.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const levels = (process.env.BENCH_LEVELS ?? '10,20,28,40,56,80,100,125,160').split(',').map(Number);
const ways = (process.env.BENCH_WAYS ?? 'core,command').split(',');
const errorMax = 0.05;

/** Relative errors of one run, and CPU time per event in us. */
interface Errors {
  ttft: number;
  e2e: number;
  itl: number;
  cpu_us: number;
}

async function runCore(binary: string, folder: string, load: Load): Promise<Errors> {
  const run = await runLoad(binary, folder, load);
  const { truth, self } = run;
  return {
    ttft: errorOf(run, 'ttft', 'p50') / truth.ttft.p50,
    e2e: errorOf(run, 'e2e', 'p50') / truth.e2e.p50,
    itl: errorOf(run, 'itl', 'p99') / truth.itl.p99,
    cpu_us: (1e6 * self.cpu_s) / truth.tokens,
  };
}

async function runCommand(binary: string, folder: string, load: Load): Promise<Errors> {
  const { truth, reported, cpu_s } = await runThroughCommand(binary, folder, load);
  return {
    ttft: reported.ttft.p50 / truth.ttft.p50 - 1,
    e2e: reported.e2e.p50 / truth.e2e.p50 - 1,
    itl: reported.itl.p99 / truth.itl.p99 - 1,
    cpu_us: (1e6 * cpu_s) / truth.tokens,
  };
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;
const percent = (share: number) => `${(100 * share).toFixed(2)} %`.padStart(9);

function formatRow(way: string, level: number, runs: readonly Errors[]): string {
  const of = (name: keyof Errors) => median(runs.map((run) => run[name]));
  const isHeld = (['ttft', 'e2e', 'itl'] as const).every((name) => Math.abs(of(name)) <= errorMax);
  const each = runs.map(({ itl }) => percent(itl).trim()).join(', ');
  return [
    `${isHeld ? 'held' : 'NOT HELD'}`.padEnd(8),
    way.padEnd(7),
    `${level} k events/s`.padStart(14),
    `ttft p50 ${percent(of('ttft'))}  e2e p50 ${percent(of('e2e'))}  itl p99 ${percent(of('itl'))}  (${each})`,
    `${of('cpu_us').toFixed(1)} us/event`,
  ].join('  ');
}

const folder = await mkdtemp(join(tmpdir(), 'inferboard-strict-'));
try {
  describeMachine();
  const binary = buildMock(folder);
  if (binary === null) throw new Error('The server whose timing is known is not beside this checkout.');
  console.log(`medians of ${rounds} runs${hasPriority ? '' : '; without real-time priority'}`);
  for (const level of levels) {
    const runs = new Map(ways.map((way) => [way, [] as Errors[]]));
    // In turn, so that other work on the machine affects both alike.
    for (let round = 0; round < rounds; round++)
      for (const [way, own] of runs)
        own.push(await (way === 'core' ? runCore : runCommand)(binary, folder, streams(1000 * level)));
    for (const [way, own] of runs) console.log(formatRow(way, level, own));
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
