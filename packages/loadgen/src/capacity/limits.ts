import { type LatencyLimit, readLimits } from '@inferboard/core/plans/latency-limits';
import type { LoadSummary } from '../measure/records/summarise-load.ts';

export { formatLimit, type LatencyLimit, readLimits } from '@inferboard/core/plans/latency-limits';

/** Limits on single requests, in ms, in the words of the native format's `slo`. */
export type RequestLimits = Partial<Record<'ttft_ms' | 'itl_ms' | 'tpot_ms' | 'e2e_ms', number>>;

/** The latency that a limit is about; null if no request has one. In an open loop it counts from when a request was due. */
export function valueUnder({ metric, statistic }: LatencyLimit, { latencies }: Pick<LoadSummary, 'latencies'>) {
  const of = {
    ttft: latencies.ttft_from_due ?? latencies.ttft_from_sent,
    tpot: latencies.tpot_per_token,
    itl: latencies.itl_per_chunk,
    e2e: latencies.e2e_from_due ?? latencies.e2e_from_sent,
  };
  return of[metric]?.[statistic] ?? null;
}

/**
 * Reads limits on single requests such as `ttft<500,tpot<30`.
 *
 * @throws RangeError on text that is not a list of them
 */
export function readRequestLimits(text: string): RequestLimits {
  return requestLimitsOf(readLimits(text.replaceAll('<', '_max<').replaceAll('_max<=', '_max<')));
}

/** What the limits ask of a single request: the lowest of each metric over all statistics. */
export function requestLimitsOf(limits: readonly LatencyLimit[]): RequestLimits {
  const least: RequestLimits = {};
  for (const { metric, ms } of limits) least[`${metric}_ms`] = Math.min(ms, least[`${metric}_ms`] ?? ms);
  return least;
}
