import type { Metric } from '@inferboard/core/metrics/index';
import { mergePooledCv, type PooledCv } from '@inferboard/core/statistics/pooled-cv';
import { sql } from 'drizzle-orm';
import type { Queryable } from '../transaction.ts';
import { behindRow } from './filter-conditions.ts';

/** How much repetitions of one point scatter with one tool and one formula of a metric. `groups` counts points. */
export interface ToolVariation extends PooledCv {
  tool: string;
  definition: string | null;
}

/**
 * Pooled coefficient of variation of a metric over all accepted points that were repeated, by tool and formula, in no
 * order. Whatever a board filters, the answer is the same. A point that several tools measured is left out: its scatter
 * is that between tools.
 */
export async function listToolVariations(db: Queryable, metric: Metric): Promise<ToolVariation[]> {
  const value = sql`t.${sql.identifier(metric.name)}`;
  return (await db.execute(sql`
    select one.tool, t.definitions ->> ${metric.family.base}::text as definition,
      sqrt(sum((f.n - 1) * (f.sd / ${value}) ^ 2) / sum(f.n - 1)) as cv, sum(f.n - 1) as df, count(*)::int as groups
    from point_statistics t
    cross join lateral jsonb_to_record(t.statistics -> ${metric.name}::text) f (n double precision, sd double precision)
    cross join lateral (
      select min(r.tool) as tool from results r
      where r.point_id = t.point_id and r.status = t.status and r.copy_of is null and ${behindRow(metric)}
      having min(r.tool) = max(r.tool)) one
    where t.status = 'accepted' and ${value} > 0 and f.n >= 2 and f.sd is not null
    group by 1, 2`)) as unknown as ToolVariation[];
}

/** Variation by tool, of the formulas that are ranked together; null: of all. */
export function poolByTool(
  variations: readonly ToolVariation[],
  definitionIds: readonly string[] | null,
): Map<string, PooledCv> {
  const ranked = variations.filter(
    ({ definition }) => definitionIds === null || (definition !== null && definitionIds.includes(definition)),
  );
  return new Map(
    [...Map.groupBy(ranked, ({ tool }) => tool)].flatMap(([tool, parts]) => {
      const pooled = mergePooledCv(parts);
      return pooled === null ? [] : [[tool, pooled] as const];
    }),
  );
}
