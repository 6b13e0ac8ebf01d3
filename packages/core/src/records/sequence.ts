import type { RequestRecord } from '../records.ts';
import { percentile } from '../statistics/percentile.ts';
import { e2eOf, succeeded } from './measure.ts';

/** Maximum requests of a sequence; more would not add evidence. */
export const sequenceMost = 64;
/** Minimum requests; fewer agree by chance. */
export const sequenceLeast = 20;
/** Maximum relative difference between a request's latencies in equal sequences. */
export const sequenceTolerance = 0.01;

/** TTFT and end-to-end latency in ms of successive requests, in send order. */
export type RequestSequence = readonly (readonly [ttftMs: number, e2eMs: number])[];

/** Far more precise than the tolerance, and short in text form. */
const kept = (ms: number) => Number(ms.toPrecision(5));

const isNear = (a: number, b: number) => Math.abs(a - b) <= sequenceTolerance * Math.max(Math.abs(a), Math.abs(b));

/**
 * True if TTFT scatters beyond the tolerance: at least half of the values are more than 1 % from their median. Two honest
 * runs agree if the server takes the same time for every request. With this scatter and normally distributed noise, a pair
 * agrees with chance 0.37 at most, and twenty pairs with 2e-9.
 */
function tellsApart(sequence: RequestSequence): boolean {
  const ttfts = sequence.map(([ttftMs]) => ttftMs);
  const middle = percentile(ttfts, 50);
  return ttfts.filter((ttftMs) => isNear(ttftMs, middle)).length <= ttfts.length / 2;
}

/**
 * Identifies a run by the latencies of its first successful requests. Null if fewer than 20 have both latencies, or if TTFT
 * is so even that any other run would look the same.
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
 * The difference between two sequences of one run: each latency of the second is that of the first x `factor` + `shiftMs`.
 */
export interface SequenceMatch {
  factor: number;
  shiftMs: number;
}

/** Maximum relative difference of latencies after fitting a common factor or shift. */
const fittedTolerance = 0.001;
/** Maximum distance of the common factor from 1. */
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
 * Returns how the second run was derived from the first; null if it was not. Both latencies of every request must agree
 * within 1 % unchanged, or within 0.1 % after fitting. A fit is a common factor within 10 % of 1, or a common shift. After
 * fitting, honest runs with the same request pattern agree far better, so the tolerance is smaller. With a scatter of only
 * 0.1 % per latency, the 40 latencies of twenty requests agree with chance 1e-11.
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

/** True if one run is the other sent again, unchanged or with slightly or uniformly changed latencies. */
export const isSameSequence = (a: RequestSequence, b: RequestSequence): boolean => matchSequences(a, b) !== null;
