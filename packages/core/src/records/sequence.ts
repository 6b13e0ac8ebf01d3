import type { RequestRecord } from '../records.ts';
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

/**
 * What tells a run from every other: how long each of its first successful requests took. Null of fewer than 20 that have
 * both latencies.
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
  return sequence.length < sequenceLeast ? null : sequence;
}

const isNear = (a: number, b: number) => Math.abs(a - b) <= sequenceTolerance * Math.max(Math.abs(a), Math.abs(b));

/**
 * True where two runs are one that was sent again, its figures shifted a little or not: both latencies of every request
 * agree within 1 %. A server that takes the same time for every request cannot be told from a copy of itself.
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
