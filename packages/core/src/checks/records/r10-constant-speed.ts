import { e2eOf, succeeded } from '../../records/measure.ts';
import type { RequestRecord } from '../../records.ts';
import { percentile } from '../../statistics/percentile.ts';
import { type Check, figure } from '../check.ts';

const quarters = 4;
const requestsOfQuarterLeast = 10;
/** Maximum factor between the first and the last quarter, if the speed changes steadily, and between any two quarters. */
const changeMost = 1.1;
const spreadMost = 1.25;
/** Chance rarely explains more standard errors between two medians. */
const errorsMost = 5;
/** Quarters that differ by less count as equal. */
const equal = 1.02;
/** Maximum ratio between the mean lengths of two quarters. */
const lengthsMost = 1.1;

interface Timed {
  sentS: number;
  e2eMs: number;
  request: RequestRecord;
}

/** Requests of the steady part of a closed loop, in four parts by send time; null if too few are timed. */
function steadyQuarters(requests: readonly RequestRecord[], level: number): Timed[][] | null {
  const timed = succeeded(requests).flatMap((request): Timed[] => {
    const e2eMs = e2eOf(request);
    return request.sentS === null || e2eMs === null ? [] : [{ sentS: request.sentS, e2eMs, request }];
  });
  // The first requests arrive together at an idle system, and fewer and fewer are in flight with the last ones.
  const steady = timed.sort((a, b) => a.sentS - b.sentS).slice(level, Math.max(level, timed.length - level));
  const size = Math.floor(steady.length / quarters);
  if (size < requestsOfQuarterLeast) return null;
  return Array.from({ length: quarters }, (_, at) => steady.slice(at * size, (at + 1) * size));
}

/** Whether the requests of all parts have the same mean length, so that their latencies can be compared. */
function areAlike(parts: readonly Timed[][], tokens: 'inputTokens' | 'outputTokens'): boolean {
  const means = parts.map((part) => part.reduce((sum, { request }) => sum + (request[tokens] ?? 0), 0) / part.length);
  return Math.max(...means) <= lengthsMost * Math.min(...means);
}

/** The median of some latencies and its standard error, that of a normal distribution. */
function medianOf(part: readonly Timed[]): { median: number; error: number } {
  const latencies = part.map(({ e2eMs }) => e2eMs);
  const mean = latencies.reduce((sum, ms) => sum + ms, 0) / latencies.length;
  const variance = latencies.reduce((sum, ms) => sum + (ms - mean) ** 2, 0) / (latencies.length - 1);
  return { median: percentile(latencies, 50), error: 1.2533 * Math.sqrt(variance / latencies.length) };
}

/** Whether no median is lower than the one before, apart from noise. */
const isRising = (medians: readonly number[]) =>
  medians.every((median, at) => at === 0 || median * equal >= (medians[at - 1] ?? 0));

/** What a run's quarters show about the speed of the system, in order; null if it is constant. */
function changeOf(quarters: readonly { median: number; error: number }[]): string | null {
  const medians = quarters.map(({ median }) => median);
  const [first = 0, last = 0] = [medians[0], medians.at(-1)];
  const between = `from ${figure(first)} ms in the first quarter of the run to ${figure(last)} ms in the last`;
  if (last > changeMost * first && isRising(medians))
    return `The median E2E latency grew ${between}: the system became slower`;
  if (first > changeMost * last && isRising(medians.toReversed()))
    return `The median E2E latency fell ${between}: the system became faster`;
  const ordered = quarters.toSorted((a, b) => a.median - b.median);
  const [low, high] = [ordered[0], ordered.at(-1)];
  if (low === undefined || high === undefined || high.median <= spreadMost * low.median) return null;
  if (high.median - low.median <= errorsMost * Math.hypot(low.error, high.error)) return null;
  return `The median E2E latency of a quarter of the run was between ${figure(low.median)} and ${figure(high.median)} ms: the speed of the system varied`;
}

export const r10ConstantSpeed: Check = {
  id: 'R10',
  code: 'speed_changed',
  title: 'The system keeps its speed during the run',
  rule:
    'With a constant number of requests in flight, the median E2E latencies of the four quarters of the requests are compared. The quarters are ordered by send time and exclude as many requests at the start and at the end as are in flight. ' +
    'Needs 10 timed requests in each quarter, with mean lengths within 10 %. If the medians rise or fall steadily, with 2 % for noise, a factor of more than 1.1 between the first and the last is a warning; otherwise a factor of more than 1.25 between any two that differ by more than 5 standard errors. ' +
    'The system became slower (it grew hot, or its memory filled), became faster (it was not warm), or something else used it, so the figures depend on the length and the time of the run.',
  check({ result: { kind, load, records, extra } }) {
    if (kind !== 'serving' || load.mode !== 'concurrency' || records === null) return 'not_applicable';
    // Conversations grow, so later requests take longer.
    if (extra.multi_turn === true) return 'not_applicable';
    const parts = steadyQuarters(records.requests, load.level);
    if (parts === null || !areAlike(parts, 'inputTokens') || !areAlike(parts, 'outputTokens')) return 'not_applicable';
    const measured = parts.map(medianOf);
    const change = changeOf(measured);
    if (change === null) return 'pass';
    return [
      {
        severity: 'warning',
        message: `${change}, so the figures depend on when and how long it was measured.`,
        evidence: { e2e_ms_quarters: measured.map(({ median }) => median) },
      },
    ];
  },
};
