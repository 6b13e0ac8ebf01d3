// What the load generator reports against what the server says it did, event by event in its own log, and whether the
// difference is small enough: npm run bench:loadgen. The server, whose timing is known, is compiled from the sources
// beside this checkout; without them there is nothing to compare with. Server and client have a core each.
// BENCH_LOADS=part of a name and BENCH_ROUNDS=1 measure less.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bar, measurements } from './loadgen/bars.ts';
import { buildMock, hasPriority } from './loadgen/mock.ts';
import { type Run, runLoad } from './loadgen/run.ts';
import { describeMachine } from './support.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const wanted = process.env.BENCH_LOADS ?? '';

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;

/** Prints a figure beside its bar; false where that is not held. */
function judge({ title, unit, digits, of, most }: Bar, runs: readonly Run[]): boolean {
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
    for (const { load, bars } of measurements.filter(({ load }) => load.name.includes(wanted))) {
      console.log(load.name);
      const runs: Run[] = [];
      for (let round = 0; round < rounds; round += 1) runs.push(await runLoad(binary, folder, load));
      for (const bar of bars) if (!judge(bar, runs)) process.exitCode = 1;
      const limited = runs.filter(({ self }) => self.client_limited).length;
      if (limited > 0) console.log(`  ${limited} of ${rounds} say of themselves that they were at their limit`);
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
