import type { LatencyLimit } from '@inferboard/core/plans/latency-limits';
import type { LoadSummary } from '../measure/records/summarise-load.ts';

export {
  formatLimit,
  type LatencyLimit,
  type RequestLimits,
  readLimits,
  readRequestLimits,
  requestLimitsOf,
} from '@inferboard/core/plans/latency-limits';

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
