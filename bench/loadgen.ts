// Compares the load generator's figures with the server's own event log and checks that the difference is small:
// npm run bench:loadgen. The server has known timing and is compiled from the sources next to this checkout, which are required.
// Server and client each have a core. BENCH_LOADS=part of a name and BENCH_ROUNDS=1 measure less.
// A bare reader in C is the baseline of the heaviest load.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BareRun, buildBareReader, runBare } from './loadgen/bare.ts';
import { type Bar, commandMeasurements, measurements } from './loadgen/bars.ts';
import { type CommandRun, runThroughCommand } from './loadgen/command.ts';
import { buildMock, hasPriority } from './loadgen/mock.ts';
import { type Run, runLoad } from './loadgen/run.ts';
import { compareWorkers } from './loadgen/workers.ts';
import { describeMachine } from './support.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const wanted = process.env.BENCH_LOADS ?? '';

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;

/** Prints a figure with its limit; returns false if it misses the limit. */
function judge<R>({ title, unit, digits, of, most }: Bar<R>, runs: readonly R[]): boolean {
  const values = runs.map(of);
  const value = median(values);
  const isHeld = most === null || Math.abs(value) <= most;
  const verdict = most === null ? '' : isHeld ? 'held' : 'NOT HELD';
  const bar = most === null ? '' : `at most ${most}${unit === '' ? '' : ` ${unit}`}`;
  const each = values.length > 1 ? `(${values.map((one) => one.toFixed(digits)).join(', ')})` : '';
  console.log(
    `  ${verdict.padEnd(9)}${title.padEnd(34)}${`${value.toFixed(digits)} ${unit}`.padStart(14)}  ${bar.padEnd(16)}${each}`,
  );
  return isHeld;
}

const folder = await mkdtemp(join(tmpdir(), 'inferboard-loadgen-'));
try {
  describeMachine();
  const binary = buildMock(folder);
  if (binary === null) {
    console.error('The server whose timing is known is not beside this checkout: nothing to compare with.');
    process.exitCode = 1;
  } else {
    console.log(
      `errors are reported minus true; medians of ${rounds} runs${hasPriority ? '' : '; without real-time priority'}`,
    );
    for (const { load, bars, bareBars } of measurements.filter(({ load }) => load.name.includes(wanted))) {
      console.log(load.name);
      const runs: Run[] = [];
      for (let round = 0; round < rounds; round += 1) runs.push(await runLoad(binary, folder, load));
      for (const bar of bars) if (!judge(bar, runs)) process.exitCode = 1;
      const limited = runs.filter(({ self }) => self.client_limited).length;
      if (limited > 0) console.log(`  ${limited} of ${rounds} say of themselves that they were at their limit`);
      if (bareBars === undefined) continue;
      console.log(`${load.name}, read by a bare C program`);
      const reader = buildBareReader(folder);
      const bareRuns: BareRun[] = [];
      for (let round = 0; round < rounds; round += 1) bareRuns.push(await runBare(reader, binary, folder, load));
      for (const bar of bareBars) judge(bar, bareRuns);
    }
    for (const { load, bars } of commandMeasurements.filter(({ load }) => load.name.includes(wanted))) {
      console.log(load.name);
      const runs: CommandRun[] = [];
      for (let round = 0; round < rounds; round += 1) runs.push(await runThroughCommand(binary, folder, load));
      for (const bar of bars) if (!judge(bar, runs)) process.exitCode = 1;
    }
    if ('two workers'.includes(wanted)) {
      console.log('two workers');
      const { ratio, leastRatio, isHeld, serverShare, cpu_us } = await compareWorkers(binary, folder, rounds);
      const verdict = isHeld === null ? '' : isHeld ? 'held' : 'NOT HELD';
      console.log(
        `  ${verdict.padEnd(9)}${ratio.toFixed(2)} times the events per second of one, at least ${leastRatio}; CPU per event ${cpu_us.map((us) => us.toFixed(2)).join(' and ')} us`,
      );
      if (isHeld === null)
        console.log(
          `           not judged: with two cores the second worker shares its core with the server, which took ${(100 * serverShare).toFixed(0)} % of it`,
        );
      if (isHeld === false) process.exitCode = 1;
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
