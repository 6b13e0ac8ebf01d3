import type { Metric } from '@inferboard/core/metrics/index';
import { assumedFactors, type PooledCv } from '@inferboard/core/statistics/pooled-cv';
import { type SQL, sql } from 'drizzle-orm';
import { behindRow } from './filter-conditions.ts';

/** A tool with its pooled scatter and the ends of an assumed interval as multiples of the value. */
export interface Assumption {
  tool: string;
  pooled: PooledCv;
  factors: [number, number];
}

/** The tools whose repeated points tell how a single measurement scatters, the widest last. */
export function toAssumptions(variations: ReadonlyMap<string, PooledCv>): Assumption[] {
  return [...variations]
    .map(([tool, pooled]): Assumption => ({ tool, pooled, factors: assumedFactors(pooled) }))
    .sort((a, b) => a.factors[1] - b.factors[1]);
}

function array(type: 'text' | 'double precision', values: readonly (string | number)[]): SQL {
  const items = values.map((value) => sql`${value}`);
  return sql`array[${sql.join(items, sql`, `)}]::${sql.raw(type)}[]`;
}

/**
 * For the single measurement that `t` is, the place (from 1) of its tool among the assumptions, the widest of several
 * tools. Null for what was repeated, for a summary of unknown n and where no tool has a repeated point. `t` has the
 * columns of `behindRow` and `figures`, its packed statistics of the metric. It looks the results up each time it is read.
 */
export function assumedPlace(assumptions: readonly Assumption[], rankBy: Metric): SQL {
  if (assumptions.length === 0) return sql`null::int`;
  const tools = array(
    'text',
    assumptions.map(({ tool }) => tool),
  );
  return sql`
    case when t.figures ->> 'n' = '1' and t.figures -> 'ci95' is null then (
      select max(array_position(${tools}, r.tool)) from results r
      where r.point_id = t.point_id and r.status = t.status and r.copy_of is null and ${behindRow(rankBy)}) end`;
}

/** The low (0) or high (1) end of the interval that `t.assumed`, a place, stands for, as a multiple of the value. */
export function assumedFactor(assumptions: readonly Assumption[], end: 0 | 1): SQL {
  const ends = assumptions.map(({ factors }) => factors[end]);
  return sql`(${array('double precision', ends)})[t.assumed]`;
}
