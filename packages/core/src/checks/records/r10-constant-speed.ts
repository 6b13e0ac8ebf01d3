import { e2eOf, succeeded } from '../../records/measure.ts';
import type { RequestRecord } from '../../records.ts';
import { percentile } from '../../statistics/percentile.ts';
import { type Check, figure } from '../check.ts';

const quarters = 4;
const requestsOfQuarterLeast = 10;
const changeMost = 1.1;
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

/** Whether no part is faster than the one before, apart from noise. */
const isRising = (medians: readonly number[]) =>
  medians.every((median, at) => at === 0 || median * equal >= (medians[at - 1] ?? 0));

export const r10ConstantSpeed: Check = {
  id: 'R10',
  code: 'speed_changed',
  title: 'The system keeps its speed during the run',
  rule:
    'With a constant number of requests in flight, the median E2E latencies of the first and the last quarter of the requests may differ by at most a factor of 1.1. The quarters are ordered by send time and exclude as many requests at the start and at the end as are in flight. ' +
    'Needs 10 timed requests in each quarter, with mean lengths within 10 %. A larger factor is a warning if the medians of the four quarters rise or fall steadily, with 2 % for noise: the system became slower (it grew hot, or its memory filled) or faster (it was not warm, or something else used it), so the figures depend on the length of the run.',
  check({ result: { kind, load, records, extra } }) {
    if (kind !== 'serving' || load.mode !== 'concurrency' || records === null) return 'not_applicable';
    // Conversations grow, so later requests take longer.
    if (extra.multi_turn === true) return 'not_applicable';
    const parts = steadyQuarters(records.requests, load.level);
    if (parts === null || !areAlike(parts, 'inputTokens') || !areAlike(parts, 'outputTokens')) return 'not_applicable';
    const medians = parts.map((part) =>
      percentile(
        part.map(({ e2eMs }) => e2eMs),
        50,
      ),
    );
    const [first = 0, last = 0] = [medians[0], medians.at(-1)];
    const isSlower = last > changeMost * first && isRising(medians);
    const isFaster = first > changeMost * last && isRising(medians.toReversed());
    if (!isSlower && !isFaster) return 'pass';
    return [
      {
        severity: 'warning',
        message: `The median E2E latency ${isSlower ? 'grew' : 'fell'} from ${figure(first)} ms in the first quarter of the run to ${figure(last)} ms in the last: the system became ${isSlower ? 'slower' : 'faster'}, so the figures depend on the length of the run.`,
        evidence: { e2e_ms_first_quarter: first, e2e_ms_last_quarter: last, ratio: last / first },
      },
    ];
  },
};
