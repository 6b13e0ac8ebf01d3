import type { askedFamilies } from '@inferboard/core/metrics/index';

type AskedName = (typeof askedFamilies)[number]['base'];

/** A question whose answer is a figure that no result holds. */
export interface Ask {
  /** Path of the GET, with the names of what goes into it in braces. */
  path: string;
  /** What the query must say, in the same way. */
  query: string;
  /** Where in the answer the figure stands; `[]` is every item of a list. */
  field: string;
  /** What else to know to read it there; null if nothing. */
  note: string | null;
}

/** Where each metric can be asked for that is made from a caller's price, limit or baseline. */
export const asks: Record<AskedName, Ask> = {
  max_safe_queue: {
    path: '/v1/systems/{id}/report',
    query: 'ttft_limit_s={seconds}',
    field: 'burst.max_safe_queue[].answer',
    note: 'One for each scenario whose bursts were measured; `bound` says how far to trust it.',
  },
  speedup_vs_baseline: {
    path: '/v1/compare',
    query: 'system={baseline}&system={id}',
    field: 'points[].metrics[].figures[].compared.ratio',
    note: 'As it stands where more is better; 1 over it where less is.',
  },
  usd_per_mtok_output: {
    path: '/v1/best',
    query: 'rank_by=usd_per_mtok_output',
    field: 'data[].usd_per_mtok_output',
    note: 'At the prices of a dated list, or at your own with price[{gpu}]={price}; also on /v1/leaderboard and /v1/pareto.',
  },
};

/** The question behind a name, null for a name that is none of these. */
export function findAsk(name: string): Ask | null {
  const found = Object.entries(asks).find(([asked]) => asked === name);
  return found?.[1] ?? null;
}
