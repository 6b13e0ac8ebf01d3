import type { onRequestFamilies } from '@inferboard/core/metrics/index';

type AskedName = (typeof onRequestFamilies)[number]['base'];

/** A request whose response has a value that no result stores. */
export interface Ask {
  /** Path of the GET request, with the names of its parameters in braces. */
  path: string;
  /** The required query, in the same format. */
  query: string;
  /** Path of the value in the response; `[]` means every item of a list. */
  field: string;
  /** Other facts needed to interpret the value; null if there are none. */
  note: string | null;
}

/** The request for each metric that is computed from the caller's price, limit or baseline. */
export const asks: Record<AskedName, Ask> = {
  max_safe_queue: {
    path: '/v1/systems/{id}/report',
    query: 'ttft_limit_s={seconds}',
    field: 'burst.max_safe_queue[].answer',
    note: 'One for each scenario with measured bursts. `bound` states how reliable it is.',
  },
  speedup_vs_baseline: {
    path: '/v1/compare',
    query: 'system={baseline}&system={id}',
    field: 'points[].metrics[].figures[].compared.ratio',
    note: 'The value itself if more is better; its inverse if less is better.',
  },
  usd_per_mtok_output: {
    path: '/v1/best',
    query: 'rank_by=usd_per_mtok_output',
    field: 'data[].usd_per_mtok_output',
    note: 'At the prices of a dated list, or at your own with price[{gpu}]={price}; also on /v1/leaderboard and /v1/pareto.',
  },
};

/** The request for a metric of this name; null for other names. */
export function findAsk(name: string): Ask | null {
  const found = Object.entries(asks).find(([asked]) => asked === name);
  return found?.[1] ?? null;
}
