import { performance } from 'node:perf_hooks';
import type { Clock } from '../../wire/transport.ts';

/** A single pair taken cold was off by up to 35 us. */
const pairs = 300;

/**
 * The system's monotonic clock in ms at the zero of this thread's `performance.now()`, to about a microsecond. Every
 * thread has its own zero.
 */
export function sampleOrigin(): number {
  let best = Number.POSITIVE_INFINITY;
  let origin = 0;
  for (let pair = 0; pair < pairs; pair++) {
    const before = performance.now();
    const system = process.hrtime.bigint();
    const after = performance.now();
    if (after - before >= best) continue;
    best = after - before;
    origin = Number(system) / 1e6 - (before + after) / 2;
  }
  return origin;
}

/** Milliseconds since a zero that can be moved; at first that of the thread. */
export class RunClock implements Clock {
  #zero = 0;

  now(): number {
    return performance.now() - this.#zero;
  }

  /** Moves the zero to a time of the system's monotonic clock, in ms. */
  startAt(monotonicMs: number): void {
    this.#zero = monotonicMs - sampleOrigin();
  }
}
