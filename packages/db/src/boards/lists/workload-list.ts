import { metrics } from '@inferboard/core/metrics/index';
import { sql } from 'drizzle-orm';
import type { Database } from '../../connection/client.ts';
import { executeOften } from '../../connection/statement.ts';
import type { LoadColumns, ScenarioRow } from './row-types.ts';

/** A workload with accepted results, and one of its scenarios and loads. */
export interface WorkloadRow extends LoadColumns {
  scenario: ScenarioRow;
  systems: number;
  /** Number of claims at its points. */
  claims: number;
  /** Number of distinct metrics. */
  metrics: number;
}

/** Lists all workloads, those with the most systems first. */
export async function listWorkloads(db: Database['db']): Promise<WorkloadRow[]> {
  const held = sql.join(
    metrics.map(({ name }) => sql`bool_or(t.${sql.identifier(name)} is not null)::int`),
    sql` + `,
  );
  return await executeOften<WorkloadRow>(
    db,
    sql`
    select p.kind, p.load_mode, p.load_level, p.load_detail, to_jsonb(sc) as scenario, w.systems, w.claims, w.metrics
    from (
      select p.workload, p.kind, min(p.id) as point, count(distinct p.system_id)::int as systems,
        count(distinct (t.point_id, t.account_id, t.own_trust))::int as claims, ${held} as metrics
      from points p
      join point_statistics t on t.point_id = p.id
      where t.status = 'accepted' and p.workload is not null
      group by p.workload, p.kind) w
    join points p on p.id = w.point
    join scenarios sc on sc.id = p.scenario_id
    order by w.systems desc, w.claims desc, w.workload, p.kind`,
  );
}
