import type { LatencySummary, LoadSummary } from '../../packages/loadgen/src/measure/records/summarise-load.ts';
import type { BareRun } from './bare.ts';
import type { CommandRun } from './command.ts';
import {
  arrivals,
  behind,
  capped,
  conversations,
  inFlight,
  type Load,
  minuteOfThousand,
  streams,
  thinkMsOf,
} from './loads.ts';
import type { Run } from './run.ts';
import type { ServerTruth } from './truth.ts';

/** A figure of a run and its maximum distance from zero; null if it is only printed. */
export interface Bar<R = Run> {
  title: string;
  unit: string;
  digits: number;
  of(run: R): number;
  most: number | null;
}

type Stat = 'mean' | 'p50' | 'p99';
const latencies = {
  ttft: 'ttft_from_sent',
  itl: 'itl_per_chunk',
  tpot: 'tpot_per_token',
  e2e: 'e2e_from_sent',
} as const satisfies Partial<Record<keyof ServerTruth, keyof LoadSummary['latencies']>>;
export type Latency = keyof typeof latencies;

const at = (latency: LatencySummary | null, stat: Stat) => latency?.[stat] ?? Number.NaN;

/** Reported minus true value, ms. */
export const errorOf = ({ summary, truth }: Run, of: Latency, stat: Stat): number =>
  at(summary.latencies[latencies[of]], stat) - truth[of][stat];

const error = (of: Latency, stat: Stat, most: number | null): Bar => ({
  title: `${of} ${stat} error`,
  unit: 'ms',
  digits: most !== null && most < 0.1 ? 4 : 3,
  of: (run) => errorOf(run, of, stat),
  most,
});
const errorPercent = (of: Latency, stat: Stat, most: number): Bar => ({
  title: `${of} ${stat} error`,
  unit: '%',
  digits: 3,
  of: (run) => (100 * errorOf(run, of, stat)) / run.truth[of][stat],
  most,
});
const figure = (title: string, unit: string, digits: number, most: number | null, of: Bar['of']): Bar => ({
  title,
  unit,
  digits,
  of,
  most,
});

const cpu = (most: number | null) =>
  figure('CPU per event', 'us', 1, most, ({ self, truth }) => (1e6 * self.cpu_s) / truth.tokens);
const busy = (most: number | null) => figure('core busy', '%', 0, most, ({ self }) => 100 * self.loop_utilisation);
/** A server that is itself late shows that the machine cannot carry the load. */
const serverItl = figure("server's own itl p50", 'ms', 3, null, ({ truth }) => truth.itl.p50);
const lag = (stat: 'p50' | 'p99', most: number | null) =>
  figure(`event lag ${stat}`, 'ms', 3, most, (run) => run.lag[stat]);
const lateness = (stat: 'p50' | 'p99', most: number | null) =>
  figure(`late ${stat}`, 'ms', 3, most, ({ summary }) => summary.arrival?.[`lateness_ms_${stat}`] ?? Number.NaN);
const missing = figure('tokens missing', '', 0, 0, ({ load, summary, truth }) =>
  Math.max(
    Math.abs(summary.output_tokens - truth.tokens),
    Math.abs(load.requests * load.tokens - truth.tokens),
    load.requests - summary.by_outcome.ok,
  ),
);

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const latenesses = ({ requests }: Run) => requests.map(({ due_ms, started_ms }) => started_ms - (due_ms ?? started_ms));

/** How much later the last tenth of the requests was sent than the first, by the median. */
const drift = figure('drift over the run', 'ms', 3, 0.5, (run) => {
  const late = latenesses(run);
  const tenth = Math.ceil(late.length / 10);
  return median(late.slice(-tenth)) - median(late.slice(0, tenth));
});

const percentileOf = (values: number[], percent: number) =>
  values.sort((a, b) => a - b)[Math.ceil((percent / 100) * values.length) - 1] ?? Number.NaN;

/** Arrival at the server minus due time, by the server's clock. Requests are sent in order. */
const arrivalErrors = ({ truth, requests, started_at_monotonic_ms: zero }: Run) =>
  truth.arrivals.map(({ read_ms }, place) => Math.abs(read_ms - zero - (requests[place]?.due_ms ?? Number.NaN)));
const arrivalError = (stat: 50 | 99, most: number | null) =>
  figure(`arrival error p${stat}, by the server`, 'ms', 3, most, (run) => percentileOf(arrivalErrors(run), stat));

/** From the last token of a turn to the arrival of the next one, by the server's clock, minus the think time. */
function thinkErrors({ load, truth, requests }: Run): number[] {
  const byStart = requests.map((_, row) => row).sort((a, b) => started(requests[a]) - started(requests[b]));
  const seen = new Map(byStart.map((row, place) => [row, truth.arrivals[place]]));
  return requests.flatMap((_, row) => {
    const think = thinkMsOf(load, row);
    const [before, here] = [seen.get(row - 1), seen.get(row)];
    return think === 0 || before === undefined || here === undefined ? [] : [here.read_ms - before.last_ms - think];
  });
}
const started = (request: Run['requests'][number] | undefined) => request?.started_ms ?? Number.NaN;
const thinkError = (stat: 50 | 99, most: number | null) =>
  figure(`think time error p${stat}`, 'ms', 3, most, (run) => percentileOf(thinkErrors(run), stat));

/** Time of a request from its due time to its first token, by the server's clock. Requests are sent in order. */
const trueFromDue = ({ truth, requests, started_at_monotonic_ms: zero }: Run) =>
  truth.arrivals.reduce((sum, { first_ms }, place) => sum + first_ms - zero - (requests[place]?.due_ms ?? 0), 0) /
  truth.arrivals.length;

const byFixedNumber = (ttft: [number | null, number | null]): Bar[] => [
  missing,
  error('ttft', 'mean', ttft[0]),
  error('ttft', 'p99', ttft[1]),
  error('itl', 'mean', 0.02),
  error('itl', 'p99', 1),
  error('tpot', 'mean', 0.02),
  error('e2e', 'mean', 5),
  error('e2e', 'p99', 10),
  lag('p50', null),
  lag('p99', null),
  cpu(null),
  busy(null),
];
const arrive = (most: number): Bar[] => [
  missing,
  lateness('p50', null),
  lateness('p99', most),
  figure('rate error', '%', 3, 0.1, ({ summary }) => 100 * (summary.arrival?.rate_error ?? Number.NaN)),
  drift,
  error('ttft', 'mean', null),
  busy(null),
];

const medians = [errorPercent('itl', 'p50', 1), errorPercent('ttft', 'p50', 1)];

const reportedError = (of: Latency, stat: Stat): Bar<CommandRun> => ({
  title: `${of} ${stat} error`,
  ...{ unit: '%', digits: 3, most: 5 },
  of: ({ reported, truth }) => 100 * (reported[of][stat] / truth[of][stat] - 1),
});

const commandMissing: Bar<CommandRun> = {
  title: 'tokens missing',
  ...{ unit: '', digits: 0, most: 0 },
  of: ({ load, truth, ok, outputTokens }) =>
    Math.max(
      Math.abs(outputTokens - truth.tokens),
      load.requests - ok,
      Math.abs(load.requests * load.tokens - truth.tokens),
    ),
};
const commandCpu: Bar<CommandRun> = {
  title: 'CPU per event',
  ...{ unit: 'us', digits: 1, most: null },
  of: ({ cpu_s, truth }) => (1e6 * cpu_s) / truth.tokens,
};
const replayError = (stat: 50 | 99, most: number | null): Bar<CommandRun> => ({
  title: `arrival error p${stat}, by the server`,
  ...{ unit: 'ms', digits: 3, most },
  of: ({ arrivalErrors }) => percentileOf(arrivalErrors, stat),
});

/** Loads through the command: their figures and limits. */
export const commandMeasurements: readonly { load: Load; bars: readonly Bar<CommandRun>[] }[] = [
  {
    load: { ...streams(80_000), name: '80 k events/s through the measure command' },
    bars: [
      commandMissing,
      reportedError('ttft', 'p50'),
      reportedError('e2e', 'p50'),
      reportedError('itl', 'p99'),
      reportedError('tpot', 'p50'),
      commandCpu,
    ],
  },
  ...[50, 200].map((rate) => ({
    load: { ...arrivals(rate, 'trace'), name: `trace, ${rate}/s through the measure command` },
    bars: [commandMissing, replayError(50, null), replayError(99, 1)],
  })),
];

interface Measurement {
  load: Load;
  bars: readonly Bar[];
  /** Figures of a bare C program under the same load, as a baseline. */
  bareBars?: readonly Bar<BareRun>[];
}

/** The figures and their limits. The medians of the rounds are checked. */
export const measurements: readonly Measurement[] = [
  ...[1, 8, 32, 128].map((count) => ({ load: inFlight(count), bars: byFixedNumber([null, null]) })),
  { load: inFlight(256), bars: byFixedNumber([0.5, 1.5]) },
  {
    load: { ...inFlight(200), name: '20 k events/s, 200 streams', requests: 600 },
    bars: [
      missing,
      error('itl', 'p99', 0.5),
      error('ttft', 'p99', 1),
      busy(40),
      cpu(null),
      lag('p50', null),
      lag('p99', null),
    ],
  },
  {
    load: streams(100_000),
    bars: [missing, ...medians, error('itl', 'p99', 0.25), lag('p50', 0.06), lag('p99', 1.5), cpu(9), busy(null)],
  },
  {
    load: streams(200_000),
    bars: [missing, ...medians, busy(85), error('itl', 'p99', null), cpu(null), serverItl],
    bareBars: [
      {
        title: 'itl p50 error',
        unit: '%',
        digits: 3,
        of: ({ truth, itl_p50_ms }) => 100 * (itl_p50_ms / truth.itl.p50 - 1),
        most: null,
      },
      { title: 'core busy', unit: '%', digits: 0, of: ({ busy_ratio }) => 100 * busy_ratio, most: null },
      { title: 'CPU per event', unit: 'us', digits: 1, of: ({ cpu_s, events }) => (1e6 * cpu_s) / events, most: null },
      { title: "server's own itl p50", unit: 'ms', digits: 3, of: ({ truth }) => truth.itl.p50, most: null },
    ],
  },
  ...[10, 50, 100, 500].map((rate) => ({ load: arrivals(rate), bars: arrive(0.5) })),
  ...[10, 100, 500].map((rate) => ({ load: arrivals(rate, 'constant'), bars: arrive(0.5) })),
  { load: arrivals(100, 'poisson', 'plain'), bars: arrive(2.5) },
  ...[50, 200].map((rate) => ({
    load: arrivals(rate, 'trace'),
    bars: [...arrive(1), arrivalError(50, null), arrivalError(99, 1)],
  })),
  {
    load: conversations,
    bars: [missing, thinkError(50, 2), thinkError(99, 2.5), error('ttft', 'mean', 0.5), error('tpot', 'mean', 0.02)],
  },
  ...(['tcp', 'tls'] as const).map((front) => ({
    load: behind(front, 32),
    bars: [
      missing,
      // The delay of the front is in it: compare TLS with TCP.
      error('ttft', 'mean', null),
      error('ttft', 'p99', null),
      error('itl', 'mean', 0.02),
      error('itl', 'p99', 1),
      error('tpot', 'mean', 0.02),
      cpu(null),
    ],
  })),
  {
    load: capped,
    bars: [
      missing,
      figure('ttft from due, error of the mean', '%', 3, 2, (run) => {
        const wait = trueFromDue(run);
        return (100 * (at(run.summary.latencies.ttft_from_due, 'mean') - wait)) / wait;
      }),
      figure('ttft from due, mean', 'ms', 1, null, (run) => at(run.summary.latencies.ttft_from_due, 'mean')),
      error('ttft', 'mean', 1),
      error('ttft', 'p99', 1),
    ],
  },
  {
    load: minuteOfThousand,
    bars: [
      missing,
      figure('memory per event', 'bytes', 1, 16, ({ rss_growth_bytes, truth }) => rss_growth_bytes / truth.tokens),
      figure('sockets left open', '', 0, 0, ({ sockets_left }) => sockets_left),
      error('itl', 'p99', null),
      cpu(null),
      busy(null),
    ],
  },
];
