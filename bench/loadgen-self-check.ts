// Checks whether the generator reports its own limit on a busy machine when, and only when, its figures are wrong: npm run
// bench:loadgen-self-check. Processes that never sleep compete for both cores. The server's log, which is as late as the server
// itself, has the true figures. Figures are right if the medians of TTFT and E2E latency, and ITL p99, are within 5 % or 1 ms.
// Takes about ten minutes; BENCH_ROUNDS=1 measures each load once.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommandRun, runThroughCommand } from './loadgen/command.ts';
import { closed, type Load } from './loadgen/loads.ts';
import { buildMock, type Place } from './loadgen/mock.ts';
import { describeMachine } from './support.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 6);
const competitors = [1, 2, 4] as const;
const loads: Load[] = [8, 32, 128].map((users) => ({
  ...closed(`${users} in flight`, users, Math.max(32, 2 * users), { ttft_ms: 200, itl_ms: 20 }),
  tokens: 64,
}));
const shareMax = 0.05;
const errorMsMax = 1;

/** Without priority: the system moves each process between the cores. */
const anywhere: Place = (_core, command) => [...command];

/** Errors of the reported figures: absolute in ms, and relative to the true value. */
function errorsOf({ reported, truth }: CommandRun): { name: string; ms: number; share: number }[] {
  const of = (name: 'ttft' | 'itl' | 'e2e', statistic: 'p50' | 'p99') => {
    const ms = reported[name][statistic] - truth[name][statistic];
    return { name: `${name} ${statistic}`, ms, share: ms / truth[name][statistic] };
  };
  return [of('ttft', 'p50'), of('e2e', 'p50'), of('itl', 'p99')];
}

const isRight = ({ ms, share }: { ms: number; share: number }) =>
  Math.abs(ms) <= errorMsMax || Math.abs(share) <= shareMax;

const folder = await mkdtemp(join(tmpdir(), 'inferboard-self-check-'));
const counts = { right: 0, overreported: 0, wrong: 0, unreported: 0 };
try {
  describeMachine();
  const binary = buildMock(folder);
  if (binary === null) throw new Error('The server whose timing is known is not beside this checkout.');
  for (const count of competitors) {
    const others = Array.from({ length: count }, () =>
      spawn(process.execPath, ['-e', 'for (;;) {}'], { stdio: 'ignore', timeout: 20 * 60_000 }),
    );
    try {
      for (const load of loads)
        for (let round = 0; round < rounds; round++) {
          const run = await runThroughCommand(binary, folder, load, anywhere);
          const errors = errorsOf(run);
          const isClean = errors.every(isRight);
          const isReported = run.limited.length > 0;
          counts[isClean ? 'right' : 'wrong'] += 1;
          if (isClean && isReported) counts.overreported += 1;
          if (!isClean && !isReported) counts.unreported += 1;
          const figures = errors.map(
            ({ name, ms, share }) => `${name} ${ms.toFixed(2)} ms (${(100 * share).toFixed(1)} %)`,
          );
          console.log(
            `${count} competing, ${load.name}: ${isClean ? 'right' : 'wrong'}, ${figures.join(', ')}; ${run.limited.join('; ') || 'no limit reported'}`,
          );
        }
    } finally {
      for (const other of others) other.kill('SIGKILL');
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
console.log(`right figures: ${counts.right}, of these with a reported limit: ${counts.overreported}`);
console.log(`wrong figures: ${counts.wrong}, of these without one: ${counts.unreported}`);
