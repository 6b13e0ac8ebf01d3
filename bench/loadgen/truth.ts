import { percentileOf } from '../../packages/loadgen/src/measure/records/percentiles.ts';

/** Distribution of a latency, in ms. */
export interface Truth {
  n: number;
  mean: number;
  p50: number;
  p99: number;
}

/** The server's own log of a run, by its clock. Latencies cover completed requests. */
export interface ServerTruth {
  ttft: Truth;
  itl: Truth;
  tpot: Truth;
  e2e: Truth;
  /** Number of complete responses, and their tokens. */
  requests: number;
  tokens: number;
  /** Requests by the injected fault; `none` for those without. */
  faults: Record<string, number>;
  /** Number of written chunks and their times, in ms of the system's monotonic clock, ascending. */
  writes_ms: Float64Array;
  /** When each request was read, and its first and last chunk written, in reading order. */
  arrivals: { read_ms: number; first_ms: number; last_ms: number }[];
  /** Maximum concurrency, and the mean over the middle half of the time. */
  concurrency: { most: number; usual: number };
}

/** A request in the log. */
export interface Line {
  fault: string;
  tokens: number;
  read: number;
  end: number;
  w: number[];
}

/** The distribution of values in ms. */
export function truthOf(values: number[]): Truth {
  const sorted = Float64Array.from(values).sort();
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  return { n: sorted.length, mean, p50: percentileOf(sorted, 50), p99: percentileOf(sorted, 99) };
}

/** Concurrency: the maximum, and the time-weighted mean between the first and last quarter of the run. */
function concurrencyOf(lines: readonly Line[]): ServerTruth['concurrency'] {
  const changes = lines.flatMap(({ read, end }) => [
    { at: read, by: 1 },
    { at: end, by: -1 },
  ]);
  changes.sort((a, b) => a.at - b.at || a.by - b.by);
  const [from, to] = [changes[0]?.at ?? 0, changes.at(-1)?.at ?? 0];
  const [early, late] = [from + (to - from) / 4, to - (to - from) / 4];
  let [now, most, area, last] = [0, 0, 0, from];
  for (const { at, by } of changes) {
    area += now * Math.max(0, Math.min(at, late) - Math.max(last, early));
    now += by;
    most = Math.max(most, now);
    last = at;
  }
  return { most, usual: area / (late - early) };
}

/** Reads the server's log of one run, or the requests of it for which `isMeasured` is true. Its times are microseconds. */
export function readTruth(text: string, isMeasured: (line: Line) => boolean = () => true): ServerTruth {
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
    .filter(isMeasured);
  const whole = lines.filter(({ fault, w }) => w.length > 0 && (fault === '' || fault === 'nodone'));
  const first = whole.map(({ w }) => (w[0] ?? 0) / 1000);
  const last = whole.map(({ w }) => (w.at(-1) ?? 0) / 1000);
  const faults: Record<string, number> = {};
  for (const { fault } of lines)
    faults[fault === '' ? 'none' : fault] = (faults[fault === '' ? 'none' : fault] ?? 0) + 1;
  return {
    ttft: truthOf(first),
    itl: truthOf(whole.flatMap(({ w }) => w.slice(1).map((at, place) => (at - (w[place] ?? at)) / 1000))),
    tpot: truthOf(whole.map(({ tokens }, place) => ((last[place] ?? 0) - (first[place] ?? 0)) / (tokens - 1))),
    e2e: truthOf(last),
    requests: whole.length,
    tokens: whole.reduce((sum, { tokens }) => sum + tokens, 0),
    faults,
    writes_ms: Float64Array.from(lines.flatMap(({ read, w }) => w.map((at) => (read + at) / 1000))).sort(),
    arrivals: lines
      .map(({ read, w }) => ({
        read_ms: read / 1000,
        first_ms: (read + (w[0] ?? 0)) / 1000,
        last_ms: (read + (w.at(-1) ?? 0)) / 1000,
      }))
      .sort((a, b) => a.read_ms - b.read_ms),
    concurrency: concurrencyOf(lines),
  };
}
