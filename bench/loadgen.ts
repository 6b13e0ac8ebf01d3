// What the load generator reports against what the server says it did, event by event in its own log: npm run
// bench:loadgen. The server, whose timing is known, is compiled from the sources beside this checkout; without them there
// is nothing to compare with. Server and client have a core each.
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SelfCheck } from '../packages/loadgen/src/measure/load-record.ts';
import type { LatencySummary, LoadSummary } from '../packages/loadgen/src/measure/summarise-load.ts';
import { type Load, loads } from './loadgen/loads.ts';
import { buildMock, hasPriority, onCore, type ServerTruth, startMock, type Truth } from './loadgen/mock.ts';
import { describeMachine } from './support.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const wanted = process.env.BENCH_LOADS ?? '';
const client = fileURLToPath(new URL('./loadgen/client.ts', import.meta.url));

interface Run {
  summary: LoadSummary;
  self: SelfCheck;
  truth: ServerTruth;
  duration_ms: number;
}

/** Reported minus true, in ms. */
const error = (latency: LatencySummary | null, truth: Truth, of: 'mean' | 'p50' | 'p99') =>
  latency === null ? Number.NaN : latency[of] - truth[of];

type Figure = readonly [title: string, of: (run: Run) => number, digits: number];

const closedFigures: readonly Figure[] = [
  ['ttft mean', ({ summary, truth }) => error(summary.latencies.ttft_from_sent, truth.ttft, 'mean'), 3],
  ['ttft p99', ({ summary, truth }) => error(summary.latencies.ttft_from_sent, truth.ttft, 'p99'), 3],
  ['itl mean', ({ summary, truth }) => error(summary.latencies.itl_per_chunk, truth.itl, 'mean'), 4],
  ['itl p50', ({ summary, truth }) => error(summary.latencies.itl_per_chunk, truth.itl, 'p50'), 4],
  ['itl p99', ({ summary, truth }) => error(summary.latencies.itl_per_chunk, truth.itl, 'p99'), 3],
  ['tpot mean', ({ summary, truth }) => error(summary.latencies.tpot_per_token, truth.tpot, 'mean'), 4],
  ['e2e mean', ({ summary, truth }) => error(summary.latencies.e2e_from_sent, truth.e2e, 'mean'), 2],
  ['e2e p99', ({ summary, truth }) => error(summary.latencies.e2e_from_sent, truth.e2e, 'p99'), 2],
  ['us/event', ({ self, truth }) => (1e6 * self.cpu_s) / truth.tokens, 1],
  ['k events/s', ({ truth, duration_ms }) => truth.tokens / duration_ms, 1],
  ['busy %', ({ self }) => 100 * self.loop_utilisation, 0],
];
const openFigures: readonly Figure[] = [
  ['late p50', ({ summary }) => summary.arrival?.lateness_ms_p50 ?? Number.NaN, 3],
  ['late p99', ({ summary }) => summary.arrival?.lateness_ms_p99 ?? Number.NaN, 3],
  ['rate error %', ({ summary }) => 100 * (summary.arrival?.rate_error ?? Number.NaN), 3],
  ['ttft mean', ({ summary, truth }) => error(summary.latencies.ttft_from_sent, truth.ttft, 'mean'), 3],
  ['busy %', ({ self }) => 100 * self.loop_utilisation, 0],
];

async function run(binary: string, folder: string, load: Load, port: number): Promise<Run> {
  const mock = await startMock(binary, folder, load, port);
  try {
    const [command, args] = onCore(1, [process.execPath, client, JSON.stringify({ port: mock.port, load })]);
    const said = execFileSync(command, args, { encoding: 'utf8', maxBuffer: 2 ** 26, timeout: 300_000 });
    const truth = await mock.truth();
    const run: Run = { ...(JSON.parse(said) as Omit<Run, 'truth'>), truth };
    const { by_outcome, output_tokens } = run.summary;
    if (by_outcome.ok !== load.requests || truth.requests !== load.requests || output_tokens !== truth.tokens)
      throw new Error(
        `${load.name}: ${by_outcome.ok} ok with ${output_tokens} tokens; the server says ${truth.requests} and ${truth.tokens}`,
      );
    return run;
  } finally {
    await mock.stop();
  }
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;

const folder = await mkdtemp(join(tmpdir(), 'inferboard-loadgen-'));
try {
  describeMachine();
  const binary = buildMock(folder);
  if (binary === null) {
    console.error('The server whose timing is known is not beside this checkout: nothing to compare with.');
    process.exitCode = 1;
  } else {
    console.log(
      `reported minus true in ms, medians of ${rounds} runs${hasPriority ? '' : '; without real-time priority'}`,
    );
    let port = 18_400;
    for (const load of loads.filter(({ name }) => name.includes(wanted))) {
      const runs: Run[] = [];
      for (let round = 0; round < rounds; round += 1) runs.push(await run(binary, folder, load, port++));
      const figures = load.rate === null ? closedFigures : openFigures;
      const told = figures.map(([title, of, digits]) => `${title} ${median(runs.map(of)).toFixed(digits)}`);
      const limited = runs.filter(({ self }) => self.client_limited).length;
      console.log(
        `${load.name}: ${told.join(', ')}${limited > 0 ? `; ${limited} of ${rounds} say client-limited` : ''}`,
      );
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
