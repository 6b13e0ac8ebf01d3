import type { RequestRecord } from '../records.ts';
import { observedGroups, type Sample } from './engine-state.ts';

/** Sums and counts of a quantity by bin. */
interface Sums {
  n: number[];
  sum: number[];
}

/**
 * A run over time, in bins of equal length from its first point on. Its size is bounded: if it has too many bins, pairs of them
 * are merged.
 */
export interface Timeline {
  startedUnixMs: number;
  binS: number;
  /** Output tokens of successful requests. */
  tokens: number[];
  /** TTFT in ms, by when the request was sent. */
  ttft: Sums;
  /** Readings of the server and its GPUs, by name. Preemptions are the highest count, with n the readings. */
  readings: Record<string, Sums>;
}

const binsMax = 240;
const firstBinS = 0.5;

/** Counters, of which a bin has the highest value; the others are averaged. */
const counters: ReadonlySet<string> = new Set(['preemptions']);

/** The unit of each sample. A number without a unit is a count. */
const units = new Map(
  observedGroups.flatMap(({ unit, factor = 1, names }) =>
    Object.keys(names).map((name) => [name, factor === 100 ? 'share' : unit || 'count'] as const),
  ),
);

/** An empty timeline. */
export const startTimeline = (startedUnixMs: number): Timeline => ({
  ...{ startedUnixMs, binS: firstBinS },
  ...{ tokens: [], ttft: { n: [], sum: [] }, readings: {} },
});

/** A measured point: its records, whose times count from `startedUnixMs`, and what was read meanwhile. */
export interface TimedPoint {
  startedUnixMs: number;
  requests: readonly Pick<RequestRecord, 'sentS' | 'ttftMs' | 'gapsMs' | 'outputTokens' | 'error'>[];
  samples: readonly Sample[];
}

type Combine = (a: number, b: number) => number;
const add: Combine = (a, b) => a + b;

const combineOf = (name: string): Combine => (counters.has(name) ? Math.max : add);

function halve(values: readonly number[], combine: Combine): number[] {
  return Array.from({ length: Math.ceil(values.length / 2) }, (_, place) =>
    combine(values[2 * place] ?? 0, values[2 * place + 1] ?? 0),
  );
}

const halveSums = ({ n, sum }: Sums, combine: Combine): Sums => ({ n: halve(n, add), sum: halve(sum, combine) });

function coarser({ startedUnixMs, binS, tokens, ttft, readings }: Timeline): Timeline {
  return {
    ...{ startedUnixMs, binS: binS * 2, tokens: halve(tokens, add), ttft: halveSums(ttft, add) },
    readings: Object.fromEntries(
      Object.entries(readings).map(([name, sums]) => [name, halveSums(sums, combineOf(name))]),
    ),
  };
}

function put(values: number[], place: number, value: number, combine: Combine): void {
  while (values.length <= place) values.push(0);
  values[place] = combine(values[place] ?? 0, value);
}

function putSums({ n, sum }: Sums, place: number, value: number, combine: Combine): void {
  put(n, place, 1, add);
  put(sum, place, value, combine);
}

/** When each chunk of a successful request came, in seconds since the point began. */
function chunkTimes({ sentS, ttftMs, gapsMs, error }: TimedPoint['requests'][number]): number[] {
  if (sentS === null || ttftMs === null || error !== null) return [];
  let at = sentS + ttftMs / 1000;
  return [
    at,
    ...(gapsMs ?? []).map((gap) => {
      at += gap / 1000;
      return at;
    }),
  ];
}

/** Adds a point to a timeline, which is not changed. */
export function addToTimeline(before: Timeline, { startedUnixMs, requests, samples }: TimedPoint): Timeline {
  const offsetS = (startedUnixMs - before.startedUnixMs) / 1000;
  const chunks = requests.map(chunkTimes);
  const sampleS = samples.map(({ unixMs }) => (unixMs - before.startedUnixMs) / 1000);
  const endS = [...chunks.map((times) => offsetS + (times.at(-1) ?? 0)), ...sampleS].reduce(
    (a, b) => Math.max(a, b),
    0,
  );
  let made = structuredClone(before);
  while (endS / made.binS >= binsMax) made = coarser(made);
  // The clock of the machine may have been set back.
  const placeOf = (s: number) => Math.min(binsMax - 1, Math.max(0, Math.floor(s / made.binS)));
  requests.forEach(({ sentS, ttftMs, outputTokens }, index) => {
    const times = chunks[index] ?? [];
    for (const at of times) put(made.tokens, placeOf(offsetS + at), (outputTokens ?? times.length) / times.length, add);
    if (times.length > 0) putSums(made.ttft, placeOf(offsetS + (sentS ?? 0)), ttftMs ?? 0, add);
  });
  samples.forEach(({ values }, index) => {
    for (const name of units.keys()) {
      const value = values[name];
      if (value === undefined) continue;
      made.readings[name] ??= { n: [], sum: [] };
      putSums(made.readings[name], placeOf(sampleS[index] ?? 0), value, combineOf(name));
    }
  });
  return made;
}

/** The timeline of measured points, from the first one with readings on; null without readings. */
export function timelineOf(points: readonly TimedPoint[]): Timeline | null {
  const sorted = points.toSorted((a, b) => a.startedUnixMs - b.startedUnixMs);
  const from = sorted.findIndex(({ samples }) => samples.length > 0);
  const [first] = from < 0 ? [] : sorted.slice(from);
  return first === undefined ? null : sorted.slice(from).reduce(addToTimeline, startTimeline(first.startedUnixMs));
}

/** A quantity over the bins of a timeline. */
export interface TimelineSeries {
  name: string;
  unit: string;
  /** Samples: requests, or readings of the server. */
  n: number;
  /** Of each bin; null in a bin without a sample. */
  values: (number | null)[];
}

const rounded = (value: number) => Number(value.toPrecision(5));
const sumOf = (values: readonly number[]) => values.reduce(add, 0);

function means(name: string, unit: string, { n, sum }: Sums, length: number): TimelineSeries {
  const isCounter = counters.has(name);
  const values = Array.from({ length }, (_, place) => {
    const count = n[place] ?? 0;
    return count === 0 ? null : rounded((sum[place] ?? 0) / (isCounter ? 1 : count));
  });
  return { name, unit, n: sumOf(n), values };
}

/** The series of a timeline: throughput and TTFT, then what was read of the server. */
export function seriesOf({ binS, tokens, ttft, readings }: Timeline): TimelineSeries[] {
  const all = [tokens, ttft.n, ...Object.values(readings).map(({ n }) => n)];
  const length = Math.max(...all.map((values) => values.length));
  // Without tokens and without a reading, probably no point was measured.
  const isWatched = (place: number) => Object.values(readings).some(({ n }) => (n[place] ?? 0) > 0);
  const rates = Array.from({ length }, (_, place) => {
    const sum = tokens[place] ?? 0;
    return sum === 0 && !isWatched(place) ? null : rounded(sum / binS);
  });
  return [
    { name: 'output_tok_s', unit: 'tok/s', n: sumOf(ttft.n), values: rates },
    means('ttft_ms', 'ms', ttft, length),
    ...[...units].flatMap(([name, unit]) => {
      const sums = readings[name];
      return sums === undefined ? [] : [means(name, unit, sums, length)];
    }),
  ];
}
