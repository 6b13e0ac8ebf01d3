import type { Metrics } from '@inferboard/core/adapters/adapter';
import { type Figure, figuresOf, type StatedResult } from '@inferboard/core/claims/figures';
import { metricNames } from '@inferboard/core/metrics/index';
import { sql } from 'drizzle-orm';
import { columnList } from '../bulk.ts';

/** All metrics of a result `r` as one array: reading a column each takes the client many times as long. */
export const metricArray = sql`to_json(array[${columnList(metricNames, (quoted) => `r.${quoted}`)}])`;

/** A stored result whose figures are compared with those of others. */
export interface StatedRow extends Pick<StatedResult, 'definitions' | 'repeats'> {
  values: readonly (number | null)[];
  derived: readonly string[];
}

/** The metrics of `metricArray` that are not null. */
export function readMetrics(values: readonly (number | null)[], derived: readonly string[] = []): Metrics {
  const omitted = new Set(derived);
  const metrics: Metrics = {};
  for (const [place, value] of values.entries()) {
    const name = metricNames[place];
    if (value !== null && name !== undefined && !omitted.has(name)) metrics[name] = value;
  }
  return metrics;
}

/** What a stored result states, without what we derived from it. */
export function storedFigures(
  { values, derived, definitions, repeats }: StatedRow,
  load: StatedResult['load'],
): Figure[] {
  return figuresOf({ metrics: readMetrics(values, derived), definitions, repeats, load });
}
