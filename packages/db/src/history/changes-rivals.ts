import type { Metric } from '@inferboard/core/metrics/index';
import { sql } from 'drizzle-orm';
import { executeOften } from '../connection/statement.ts';
import type { Queryable } from '../connection/transaction.ts';
import { sameModelAndGpu } from './history-lineage.ts';

/** A point with the result that set its value, and its possible competitors. */
export interface Contender {
  resultId: string;
  pointId: number;
  submissionId: string;
  definition: string | null;
  /** In the metric's unit. */
  value: number;
}

/** The best point for a contender's model, GPU and scenario among those stored before or together with it. */
export interface Rival {
  /** The contender's result. */
  of: string;
  pointId: number;
  /** Whether it is another point of the contender's system. */
  isOwn: boolean;
  value: number;
  /** Whether it belongs to the same submission and is better. */
  isBeside: boolean;
}

/**
 * For each contender, the accepted point it had to beat by the same formula: the best older one, or a better one of the same
 * submission. None for the first contender. Reads points best first, up to the first one that counts.
 */
export async function listRivals(
  db: Queryable,
  { contenders, metric }: { contenders: readonly Contender[]; metric: Metric },
): Promise<Rival[]> {
  const value = sql`t.${sql.identifier(metric.name)}`;
  const isLower = metric.family.direction === 'lower';
  const direction = isLower ? sql`asc` : sql`desc`;
  const isBetter = isLower ? sql`best.value < w.value` : sql`best.value > w.value`;
  const ofDefinition = sql`t.definitions ->> ${metric.family.base}::text is not distinct from w.definition`;
  return executeOften<Rival>(
    db,
    sql`
    select w."resultId" as of, rival.point_id::int as "pointId", rival.system_id = p.system_id as "isOwn", rival.value,
      rival.submission_id = w."submissionId" as "isBeside"
    from jsonb_to_recordset(${JSON.stringify(contenders)}::jsonb)
      as w ("resultId" text, "pointId" bigint, "submissionId" text, definition text, value double precision)
    join points p on p.id = w."pointId"
    join systems s on s.id = p.system_id
    cross join lateral (
      select best.*, first.submission_id
      from (
        select q.id as point_id, q.system_id, t.account_id, t.own_trust, ${value} as value
        from systems f
        join points q on q.system_id = f.id and q.scenario_id = p.scenario_id and q.kind = p.kind and q.id <> p.id
        join point_statistics t on t.point_id = q.id
        where ${sameModelAndGpu} and t.stands and t.status = 'accepted' and ${value} is not null and ${ofDefinition}
        order by ${value} ${direction}, q.id
      ) best
      cross join lateral (
        select t.id, t.submission_id from results t
        where t.point_id = best.point_id and t.account_id = best.account_id and t.own_trust = best.own_trust
          and t.status = 'accepted' and t.copy_of is null and ${value} is not null
          and ${ofDefinition}
        order by t.id limit 1
      ) first
      where case when first.submission_id = w."submissionId"
        then ${isBetter} or (best.value = w.value and first.id < w."resultId")
        else first.id < w."resultId" end
      order by best.value ${direction}, best.point_id
      limit 1
    ) rival`,
  );
}
