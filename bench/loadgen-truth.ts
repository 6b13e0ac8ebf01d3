// Verifies the load generator's figures: npm run bench:loadgen-truth. Five kinds of servers with known delays at 1 to 256
// concurrent requests, Poisson arrivals, and responses with faults. Compares every row with the server's log.
// Takes about five minutes; BENCH_LOADS=part of a name measures less.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorOf, type Latency } from './loadgen/bars.ts';
import type { Load } from './loadgen/loads.ts';
import { buildMock, hasPriority } from './loadgen/mock.ts';
import { delays, type FaultLoad, faults, rates } from './loadgen/profiles.ts';
import { type Run, runLoad } from './loadgen/run.ts';
import { describeMachine } from './support.ts';

const wanted = process.env.BENCH_LOADS ?? '';
/** A failed check is measured again, and two of three decide, because a machine with two cores can stall. */
const triesMost = 3;

/** A check of a run, and whether it passes. */
type Finding = readonly [isHeld: boolean, text: string];

const stats = ['mean', 'p50', 'p99'] as const;

/** Errors of a latency by mean, p50 and p99. Limits: an absolute one in ms, and a fraction of the true value. */
function findErrors(run: Run, of: Latency, bounds: readonly number[], share: number): Finding {
  const errors = stats.map((stat) => errorOf(run, of, stat));
  const isHeld = stats.every(
    (stat, place) => Math.abs(errors[place] ?? Number.NaN) <= Math.max(bounds[place] ?? 0, share * run.truth[of][stat]),
  );
  return [isHeld, `${of} ${errors.map((error) => `${error < 0 ? '' : '+'}${error.toFixed(2)}`).join(' ')}`];
}

const findLatencies = (run: Run): Finding[] => [
  ...(['ttft', 'itl', 'tpot'] as const).map((of) => findErrors(run, of, [1, 1, 1], 0.01)),
  findErrors(run, 'e2e', [5, 10, 10], 0),
];

function findTokens({ summary, truth }: Run): Finding {
  return [summary.output_tokens === truth.tokens, `${summary.output_tokens} of ${truth.tokens} tokens`];
}

function findDelays(run: Run): Finding[] {
  const asked = run.load.pace.mode === 'closed' ? run.load.pace.concurrency : Number.NaN;
  const { most, usual } = run.truth.concurrency;
  return [
    ...findLatencies(run),
    findTokens(run),
    [most === asked && usual >= 0.97 * asked, `in flight ${usual.toFixed(1)}, at most ${most}`],
  ];
}

/** Intervals between arrivals at the server. For a Poisson process, the standard deviation equals the mean. */
function findArrivals(run: Run): Finding[] {
  const { truth, load, summary } = run;
  const asked = load.pace.mode === 'open' ? 1000 / load.pace.rate : Number.NaN;
  const gaps = truth.arrivals.slice(1).map(({ read_ms }, place) => read_ms - (truth.arrivals[place]?.read_ms ?? 0));
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / (gaps.length - 1);
  const variation = Math.sqrt(variance) / mean;
  const late = summary.arrival?.lateness_ms_p99 ?? Number.NaN;
  return [
    findTokens(run),
    [Math.abs(mean / asked - 1) <= 0.002, `mean gap ${mean.toFixed(3)} of ${asked.toFixed(3)} ms`],
    [Math.abs(variation - 1) <= 3 / Math.sqrt(gaps.length), `deviation by mean ${variation.toFixed(3)}`],
    [late <= 1, `late p99 ${late.toFixed(3)} ms`],
  ];
}

function findFaults(run: Run, { outcome, count }: FaultLoad): Finding[] {
  const { by_outcome, latencies } = run.summary;
  const kinds = Object.entries(by_outcome).filter(([, requests]) => requests > 0);
  const others = run.load.requests - (outcome === 'ok' ? 0 : count);
  return [
    [
      by_outcome[outcome] === count && by_outcome.ok === others,
      kinds.map((kind) => kind.reverse().join(' ')).join(', '),
    ],
    [latencies.ttft_from_sent?.n === others, `${latencies.ttft_from_sent?.n} in the latencies`],
    ...findLatencies(run),
    findTokens(run),
  ];
}

const checks: readonly { load: Load; find(run: Run): Finding[] }[] = [
  ...delays.map((load) => ({ load, find: findDelays })),
  ...rates.map((load) => ({ load, find: findArrivals })),
  ...faults.map((fault) => ({ load: fault.load, find: (run: Run) => findFaults(run, fault) })),
];

const folder = await mkdtemp(join(tmpdir(), 'inferboard-truth-'));
try {
  describeMachine();
  const binary = buildMock(folder);
  if (binary === null) {
    console.error('The server whose timing is known is not beside this checkout: nothing to compare with.');
    process.exitCode = 1;
  } else {
    console.log(
      `errors of mean, p50 and p99 are reported minus true, in ms${hasPriority ? '' : '; without real-time priority'}`,
    );
    for (const { load, find } of checks.filter(({ load }) => load.name.includes(wanted))) {
      const tries: Finding[][] = [];
      const heldIn = () => tries.filter((findings) => findings.every(([holds]) => holds)).length;
      do tries.push(find(await runLoad(binary, folder, load)));
      while (tries.length < triesMost && !(tries.length === 1 && heldIn() === 1));
      const isHeld = 2 * heldIn() > tries.length;
      if (!isHeld) process.exitCode = 1;
      for (const [place, findings] of tries.entries()) {
        const verdict = place < tries.length - 1 ? 'again' : isHeld ? 'held' : 'NOT HELD';
        const texts = findings.map(([holds, text]) => (holds ? text : `${text} (!)`)).join('; ');
        console.log(`${verdict.padEnd(9)}${load.name.padEnd(36)}${texts}`);
      }
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
