import type { ResultStatus } from '@inferboard/core/subjects/result';
import type { Source } from '@inferboard/core/subjects/source';
import { sql } from 'drizzle-orm';
import { executeOften } from '../../connection/statement.ts';
import type { Queryable } from '../../connection/transaction.ts';
import { bigints, texts } from '../../copy/bulk.ts';
import { ofClaim } from './filter-conditions.ts';

interface PointKey {
  pointId: number;
  status: ResultStatus;
}

/** Maximum sources of a point: a publication may have one entry per run. */
const sourcesMax = 10;

export const sourcesKey = ({ pointId, status }: PointKey) => `${pointId} ${status}`;

/** Publications of the imported results of the claims that represent these points, by `sourcesKey`. */
export async function listPointSources(db: Queryable, keys: readonly PointKey[]): Promise<Map<string, Source[]>> {
  const rows = await executeOften<PointKey & { sources: Source[] }>(
    db,
    sql`
    select asked.point_id::float8 as "pointId", asked.status, jsonb_agg(f.source) as sources
    from unnest(${bigints(keys.map(({ pointId }) => pointId))}, ${texts(keys.map(({ status }) => status))}) asked (point_id, status)
    join point_statistics t on t.point_id = asked.point_id and t.status = asked.status and t.stands and t.variant = 0
    cross join lateral (
      select distinct r.source from results r
      where ${ofClaim} and r.origin = 'imported' and r.source is not null limit ${sourcesMax}) f
    group by 1, 2`,
  );
  return new Map(rows.map((row) => [sourcesKey(row), row.sources]));
}
