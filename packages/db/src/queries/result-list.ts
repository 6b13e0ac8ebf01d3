import type { Filters } from '@inferboard/core/filters/filters';
import { type SQL, sql } from 'drizzle-orm';
import { bigints } from '../bulk.ts';
import type { Queryable } from '../transaction.ts';
import {
  and,
  boundConditions,
  pointConditions,
  resultConditions,
  statusCondition,
  trustCondition,
} from './filter-conditions.ts';
import type { ResultRow, ScenarioRow, SystemRow } from './row-types.ts';

/** Systems and scenarios are fetched once each: thousands of results mostly share a few. */
const resultDocument = sql`
  to_jsonb(t) || jsonb_build_object(
    'system', p.system_id, 'scenario', p.scenario_id, 'kind', p.kind, 'load_mode', p.load_mode,
    'load_level', p.load_level, 'load_detail', p.load_detail,
    'findings', coalesce((
      select jsonb_agg(jsonb_build_object('code', f.code, 'severity', f.severity, 'message', f.message,
        'evidence', f.evidence) order by f.ordinal)
      from findings f where f.result_id = t.id), '[]'::jsonb)) as row`;

const source = sql`
  from results t
  join points p on p.id = t.point_id
  join systems s on s.id = p.system_id
  join scenarios sc on sc.id = p.scenario_id`;

/** A result with the ids of its system and scenario. */
export type ReferringRow = Omit<ResultRow, 'system' | 'scenario'> & { system: string; scenario: number };

/** Results with their systems and scenarios as they are stored, in the same order. */
export async function withFacts(db: Queryable, rows: readonly ReferringRow[]): Promise<ResultRow[]> {
  const systemIds = JSON.stringify([...new Set(rows.map((row) => row.system))]);
  const scenarioIds = [...new Set(rows.map((row) => row.scenario))];
  const [systems, scenarios] = (await Promise.all([
    db.execute(sql`
      select to_jsonb(s) as row from systems s
      where s.id in (select jsonb_array_elements_text(${systemIds}::jsonb))`),
    db.execute(sql`select to_jsonb(sc) as row from scenarios sc where sc.id = any(${bigints(scenarioIds)})`),
  ])) as unknown as [{ row: SystemRow }[], { row: ScenarioRow & { id: number } }[]];
  const systemOf = new Map(systems.map(({ row }) => [row.id, row]));
  const scenarioOf = new Map(scenarios.map(({ row }) => [row.id, row]));
  return rows.flatMap((row) => {
    const [system, scenario] = [systemOf.get(row.system), scenarioOf.get(row.scenario)];
    return system === undefined || scenario === undefined ? [] : [{ ...row, system, scenario }];
  });
}

async function select(db: Queryable, rest: SQL): Promise<ResultRow[]> {
  const rows = (await db.execute(sql`select ${resultDocument} ${source} ${rest}`)) as unknown as {
    row: ReferringRow;
  }[];
  return withFacts(
    db,
    rows.map(({ row }) => row),
  );
}

/** Results that meet the filters, newest first; the order is that of their ids. Pages continue after an id. */
export async function listResults(
  db: Queryable,
  question: { filters: Filters; limit: number; after: string | null },
): Promise<ResultRow[]> {
  const { filters, limit, after } = question;
  const byResult = resultConditions(filters);
  const conditions = [
    statusCondition(filters),
    trustCondition(filters),
    ...pointConditions(filters),
    ...boundConditions(filters.bounds),
  ];
  if (byResult.length > 0) {
    conditions.push(sql`exists (
      select 1 from results r
      join submissions sub on sub.id = r.submission_id
      join accounts a on a.id = sub.account_id
      where r.id = t.id and ${and(byResult)})`);
  }
  if (after !== null) conditions.push(sql`t.id < ${after}`);
  return select(db, sql`where ${and(conditions)} order by t.id desc limit ${limit}`);
}

/** The results of one submission in the order of its artifact. */
export async function listResultsBySubmission(db: Queryable, submissionId: string): Promise<ResultRow[]> {
  return select(db, sql`where t.submission_id = ${submissionId} order by t.ordinal`);
}
