import type { KnownLoad } from '@inferboard/core/subjects/load';
import { rateSchedule } from './arrivals.ts';

/** A number of requests kept in flight: the next one starts when one has ended. */
export interface ClosedPacer {
  kind: 'closed';
  inFlight: number;
  requests: number;
  /** When the requests of the first wave are due, in ms since the start; as many as may be in flight. */
  firstWaveMs: Float64Array;
}

/** Sends every request at its time, independent of earlier responses. */
export interface OpenPacer {
  kind: 'open';
  requests: number;
  /** When each request is due, in ms since the start, in order. */
  dueMs: Float64Array;
  /** Requests that may be in flight at once; a request that is due waits, and that wait counts. Null: no cap. */
  inFlightMax: number | null;
}

export type Pacer = ClosedPacer | OpenPacer;

/** How a closed loop begins. */
export interface FirstWave {
  /**
   * Ms over which the first requests are spread evenly. 0, the default, starts all at once; anything else changes what
   * is measured (there is no burst of prefills at the start) and must be stated with the result.
   */
  staggerMs: number;
}

function checkWhole(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 1) throw new RangeError(`${name} must be a whole number above 0`);
}

/** A closed loop of `requests` requests with `inFlight` of them at a time, fewer where there are fewer. */
export function closedLoop(
  inFlight: number,
  requests: number,
  { staggerMs }: FirstWave = { staggerMs: 0 },
): ClosedPacer {
  checkWhole('inFlight', inFlight);
  checkWhole('requests', requests);
  if (!(staggerMs >= 0 && staggerMs < Number.POSITIVE_INFINITY)) throw new RangeError('staggerMs must be 0 or more');
  const width = Math.min(inFlight, requests);
  const firstWaveMs = new Float64Array(width).map((_, index) => (index * staggerMs) / width);
  return { kind: 'closed', inFlight, requests, firstWaveMs };
}

/** How many requests of a closed loop may start now. The first wave is the schedule's. */
export function closedLoopStarts(pacer: ClosedPacer, { started, ended }: { started: number; ended: number }): number {
  return Math.max(0, Math.min(pacer.inFlight - (started - ended), pacer.requests - started));
}

/** All requests at once. */
export function burst(requests: number): OpenPacer {
  checkWhole('requests', requests);
  return { kind: 'open', requests, dueMs: new Float64Array(requests), inFlightMax: null };
}

/**
 * The pacer of a load. A burst and a batch send all requests at once; a rate without burstiness is Poisson, as
 * in the tools whose results are compared with ours.
 */
export function pacerOf(load: KnownLoad, { requests, seed }: { requests: number; seed: number }): Pacer {
  if (load.mode === 'concurrency') return closedLoop(load.level, requests);
  if (load.mode !== 'rate') return burst(requests);
  const inFlightMax = load.maxConcurrency ?? null;
  if (inFlightMax !== null) checkWhole('maxConcurrency', inFlightMax);
  const dueMs = rateSchedule(load.level, requests, { burstiness: load.burstiness ?? 1, seed });
  return { kind: 'open', requests, dueMs, inFlightMax };
}
