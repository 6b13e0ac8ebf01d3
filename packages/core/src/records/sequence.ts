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

/** How two sequences that are one run are apart: every latency of the second is that of the first x `factor` + `shiftMs`. */
export interface SequenceMatch {
  factor: number;
  shiftMs: number;
}

/** How far the latencies of a request may be apart where a common factor or shift was found first. */
const fittedTolerance = 0.001;
/** How far the common factor may be from 1. */
const factorMost = 0.1;

function agreeAfter(a: RequestSequence, b: RequestSequence, { factor, shiftMs }: SequenceMatch, tolerance: number) {
  const isNear = (one: number, other: number) =>
    Math.abs(one * factor + shiftMs - other) <= tolerance * Math.max(one * factor + shiftMs, other);
  return a.every(([ttftMs, e2eMs], place) => {
    const [otherTtftMs, otherE2eMs] = b[place] ?? [Number.NaN, Number.NaN];
    return isNear(ttftMs, otherTtftMs) && isNear(e2eMs, otherE2eMs);
  });
}

/**
 * How the second of two runs was made of the first, null where it wasn't: both latencies of every request agree within 1 %
 * as they are, or within 0.1 % after a common factor within 10 % of 1 or a shift that all share. Fitted, two honest runs
 * with the same pattern of requests agree far better than as they are, so less is left to them: with a scatter of
 * only 0.1 % for each latency, the 40 of twenty requests agree with chance 1e-11.
 */
export function matchSequences(a: RequestSequence, b: RequestSequence): SequenceMatch | null {
  if (a.length === 0 || a.length !== b.length) return null;
  const same = { factor: 1, shiftMs: 0 };
  if (agreeAfter(a, b, same, sequenceTolerance)) return same;
  const middleOf = (of: (one: number, other: number) => number) =>
    percentile(
      a.map(([, e2eMs], place) => of(e2eMs, b[place]?.[1] ?? Number.NaN)),
      50,
    );
  const scaled = { factor: middleOf((one, other) => other / one), shiftMs: 0 };
  const isWithin = Math.abs(scaled.factor - 1) <= factorMost * (1 + 1e-4);
  if (isWithin && agreeAfter(a, b, scaled, fittedTolerance)) return scaled;
  const shifted = { factor: 1, shiftMs: middleOf((one, other) => other - one) };
  return agreeAfter(a, b, shifted, fittedTolerance) ? shifted : null;
}

/** True where two runs are one that was sent again, its latencies changed a little or all alike. */
export const isSameSequence = (a: RequestSequence, b: RequestSequence): boolean => matchSequences(a, b) !== null;
