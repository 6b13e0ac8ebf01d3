import { rateSchedule } from '../../packages/loadgen/src/pacing/arrivals.ts';
import type { Load } from './loads.ts';

/** Due times of a bursty trace in whole ms, as in Mooncake's, ascending. */
export function traceTimes({ pace, requests }: Load): number[] {
  if (pace.mode !== 'open') throw new RangeError('a trace is replayed at a rate');
  return Array.from(rateSchedule(pace.rate, requests, { burstiness: 0.3, seed: 7 }), Math.round);
}

/** A trace with prompts of 256 to 8192 tokens, as JSON lines. */
export function traceOf(load: Load): string {
  return traceTimes(load)
    .map((timestamp, place) =>
      JSON.stringify({
        timestamp,
        input_length: 256 * 2 ** (place % 6),
        output_length: load.tokens,
        hash_ids: [place % 5, place],
      }),
    )
    .join('\n');
}
