import { isBoundMetric, isWalked } from '@inferboard/core/ranking/walked';
import type { Database } from '../connection/client.ts';
import { type Asking, asksOfSenders } from './source.ts';

/** The pool for a board: `sorts` if no index has its order, or if each point has to be looked up. */
export function poolFor(
  { reads }: Pick<Database, 'reads'>,
  { metrics, filters }: Pick<Asking, 'metrics' | 'filters'>,
): Database['db'] {
  const isIndexed = metrics.every(isWalked) && filters.prices === undefined;
  const isTested = filters.bounds.every(({ metric }) => isBoundMetric(metric)) && !asksOfSenders(filters);
  return isIndexed && isTested ? reads.db : reads.sorts;
}
