import type { Filters } from '@inferboard/core/filters/filters';
import type { Source } from '@inferboard/core/subjects/source';
import { sql } from 'drizzle-orm';
import {
  and,
  boundConditions,
  pointConditions,
  someResult,
  statusCondition,
  trustCondition,
} from '../boards/lists/filter-conditions.ts';
import type { LoadColumns, ScenarioRow, SystemRow } from '../boards/lists/row-types.ts';
import { executeOften } from '../connection/statement.ts';
import type { Queryable } from '../connection/transaction.ts';

/** The representative claim for one system and task. */
export interface QualityRow {
  point_id: number;
  system: SystemRow;
  scenario: ScenarioRow;
  load: LoadColumns;
  score: number | null;
  perplexity: number | null;
  kl_divergence: number | null;
  /** Number of items or tokens behind each metric, and their standard deviation. */
  spreads: Record<string, [n: number | null, sd: number | null, ...unknown[]]>;
  status: string;
  trust: string;
  findings: number;
  /** Fields of the first result, such as a standard error that the tool reports without the number of items. */
  extra: Record<string, string | number | boolean>;
  result_id: string;
  submission_id: string;
  tool: string;
  /** The publication, if an operator imported the claim. */
  source: Source | null;
  measured_at: string | null;
}

/** Evaluations that match the filters: each task of each system once, in the order of the first submission. */
export async function listQuality(
  db: Queryable,
  { filters, limit, after }: { filters: Filters; limit: number; after: number | null },
): Promise<QualityRow[]> {
  return await executeOften<QualityRow>(
    db,
    sql`
    select p.id::float8 as point_id, to_json(s) as system, to_json(sc) as scenario,
      json_build_object('load_mode', p.load_mode, 'load_level', p.load_level, 'load_detail', p.load_detail, 'kind', p.kind) as load,
      t.score, t.perplexity, t.kl_divergence, t.spreads, t.status, t.trust, t.findings,
      r.extra, case when r.origin = 'imported' then r.source end as source, r.id as result_id, r.submission_id, r.tool, to_json(r.measured_at) #>> '{}' as measured_at
    from points p
    join systems s on s.id = p.system_id
    join scenarios sc on sc.id = p.scenario_id
    join point_statistics t on t.point_id = p.id and t.stands and t.variant = 0
    join results r on r.id = t.first_result_id
    where p.kind = 'quality' and p.id > ${after ?? 0} and ${and([
      statusCondition(filters),
      trustCondition(filters),
      ...pointConditions(filters),
      ...someResult(filters),
      ...boundConditions(filters.bounds),
    ])}
    order by p.id, t.status
    limit ${limit}`,
  );
}
