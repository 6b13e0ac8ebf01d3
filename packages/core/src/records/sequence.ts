import type { RequestRecord } from '../records.ts';
import { percentile } from '../statistics/percentile.ts';
import { e2eOf, succeeded } from './measure.ts';

/** Requests that are kept of a sequence: more would say no more. */
export const sequenceMost = 64;
/** Fewer agree by chance. */
export const sequenceLeast = 20;
/** How far the latencies of a request may be apart in one and the same sequence. */
export const sequenceTolerance = 0.01;

/** TTFT and end-to-end latency in ms of one request after the other, as they were sent. */
export type RequestSequence = readonly (readonly [ttftMs: number, e2eMs: number])[];

/** Far finer than the tolerance, and short when written. */
const kept = (ms: number) => Number(ms.toPrecision(5));

const isNear = (a: number, b: number) => Math.abs(a - b) <= sequenceTolerance * Math.max(Math.abs(a), Math.abs(b));

/**
 * True where the first tokens scatter beyond the tolerance: half of them or more are further than 1 % from their median.
 * Two honest runs of a server that takes the same time for every request agree; of one that scatters so, with normally
 * distributed noise, a pair agrees with chance 0.37 at most, and twenty pairs with 2e-9.
 */
function tellsApart(sequence: RequestSequence): boolean {
  const ttfts = sequence.map(([ttftMs]) => ttftMs);
  const middle = percentile(ttfts, 50);
  return ttfts.filter((ttftMs) => isNear(ttftMs, middle)).length <= ttfts.length / 2;
}

/**
 * What tells a run from every other: how long each of its first successful requests took. Null of fewer than 20 that have
 * both latencies, and where the first tokens came after so even a time that any other run would look the same.
 */
export function requestSequence(requests: readonly RequestRecord[]): RequestSequence | null {
  const good = succeeded(requests);
  const sent = good.every(({ sentS }) => sentS !== null)
    ? good.toSorted((a, b) => (a.sentS ?? 0) - (b.sentS ?? 0))
    : good;
  const sequence: [number, number][] = [];
  for (const request of sent.slice(0, sequenceMost)) {
    const e2eMs = e2eOf(request);
    if (request.ttftMs === null || e2eMs === null) return null;
    sequence.push([kept(request.ttftMs), kept(e2eMs)]);
  }
  return sequence.length < sequenceLeast || !tellsApart(sequence) ? null : sequence;
}

/**
 * True where two runs are one that was sent again, its figures shifted a little or not: both latencies of every request
 * agree within 1 %.
 */
export function isSameSequence(a: RequestSequence, b: RequestSequence): boolean {
  return (
    a.length === b.length &&
    a.every(([ttftMs, e2eMs], place) => {
      const other = b[place];
      return other !== undefined && isNear(ttftMs, other[0]) && isNear(e2eMs, other[1]);
    })
  );
}
