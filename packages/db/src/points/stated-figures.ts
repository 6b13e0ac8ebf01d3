import type { Metrics } from '@inferboard/core/adapters/adapter';
import { type Figure, figuresOf, type StatedResult } from '@inferboard/core/claims/figures';
import { metricNames } from '@inferboard/core/metrics/index';
import { sql } from 'drizzle-orm';
import { columnList } from '../copy/bulk.ts';

/** All metrics of a result `r` as one array: parsing one column per metric takes the client many times as long. */
export const metricArray = sql`to_json(array[${columnList(metricNames, (quoted) => `r.${quoted}`)}])`;

/** A stored result to compare with other results. */
export interface StatedRow extends Pick<StatedResult, 'definitions' | 'repeats'> {
  values: readonly (number | null)[];
  derived: readonly string[];
}

/** The non-null metrics of `metricArray`. */
export function readMetrics(values: readonly (number | null)[], derived: readonly string[] = []): Metrics {
  const omitted = new Set(derived);
  const metrics: Metrics = {};
  for (const [place, value] of values.entries()) {
    const name = metricNames[place];
    if (value !== null && name !== undefined && !omitted.has(name)) metrics[name] = value;
  }
  return metrics;
}

/** The values that a stored result states, without derived ones. */
export function storedFigures(
  { values, derived, definitions, repeats }: StatedRow,
  load: StatedResult['load'],
): Figure[] {
  return figuresOf({ metrics: readMetrics(values, derived), definitions, repeats, load });
}
