import type { Metric } from '@inferboard/core/metrics/index';
import type { Load } from '@inferboard/core/subjects/load';
import type { ResultStatus, Trust } from '@inferboard/core/subjects/result';
import { type SQL, sql } from 'drizzle-orm';
import type { SystemRow } from '../boards/lists/row-types.ts';
import type { Queryable } from '../connection/transaction.ts';

/** The best accepted value of a metric by one formula. */
export interface BestValue {
  value: number;
  /** Null if the metric has one formula. */
  definition: string | null;
  trust: Trust;
  /** The workload and load that it was measured with. */
  workload: string;
  load_mode: Load['mode'];
  load_level: number | null;
}

export interface SystemBadge {
  system: SystemRow;
  best: BestValue[];
  /** The statuses of its results, for any metric. */
  statuses: ResultStatus[];
}

/** Sort direction of a metric: better values first. */
export const betterFirst = ({ family }: Metric): SQL => (family.direction === 'lower' ? sql`asc` : sql`desc`);

/** A system with its best accepted value of a metric by each formula; null if it does not exist. */
export async function findSystemBadge(db: Queryable, id: string, metric: Metric): Promise<SystemBadge | null> {
  const value = sql`t.${sql.identifier(metric.name)}`;
  const rows = (await db.execute(sql`
    select to_jsonb(s) as system,
      coalesce((select jsonb_agg(best) from (
        select distinct on (definition) value, definition, trust, workload, load_mode, load_level from (
          select ${value} as value, t.definitions ->> ${metric.family.base}::text as definition, t.trust, p.id, p.workload,
            p.load_mode, p.load_level
          from points p join point_statistics t on t.point_id = p.id
          where p.system_id = s.id and p.kind = ${metric.family.kind} and t.stands and t.status = 'accepted' and ${value} is not null
        ) one
        order by definition, value ${betterFirst(metric)}, id) best), '[]') as best,
      array(select distinct t.status from points p join point_statistics t on t.point_id = p.id
        where p.system_id = s.id) as statuses
    from systems s where s.id = ${id}`)) as unknown as SystemBadge[];
  return rows[0] ?? null;
}
