import type { Filters } from '@inferboard/core/filters/filters';
import { type SQL, sql } from 'drizzle-orm';
import { bigints, texts } from '../bulk.ts';
import { takeRows } from '../take-rows.ts';
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
  (select to_json(document) from (
    select t.*, p.system_id as system, p.scenario_id as scenario, p.kind, p.load_mode, p.load_level, p.load_detail
  ) document) as row`;

const source = sql`
  from results t
  join points p on p.id = t.point_id
  join systems s on s.id = p.system_id
  join scenarios sc on sc.id = p.scenario_id`;

/** A result with the ids of its system and scenario. */
type ReferringRow = Omit<ResultRow, 'system' | 'scenario'> & { system: string; scenario: number };

/** The systems and scenarios of these ids as they are stored; undefined where there is none. */
export async function readFacts(
  db: Queryable,
  ids: { systems: readonly string[]; scenarios: readonly number[] },
): Promise<(system: string, scenario: number) => Pick<ResultRow, 'system' | 'scenario'> | undefined> {
  const systemIds = [...new Set(ids.systems)];
  const scenarioIds = [...new Set(ids.scenarios)];
  const [systems, scenarios] = (await Promise.all([
    db.execute(sql`select to_jsonb(s) as row from systems s where s.id = any(${texts(systemIds)})`),
    db.execute(sql`select to_jsonb(sc) as row from scenarios sc where sc.id = any(${bigints(scenarioIds)})`),
  ])) as unknown as [{ row: SystemRow }[], { row: ScenarioRow & { id: number } }[]];
  const systemOf = new Map(takeRows(systems).map(({ row }) => [row.id, row]));
  const scenarioOf = new Map(takeRows(scenarios).map(({ row }) => [row.id, row]));
  return (systemId, scenarioId) => {
    const [system, scenario] = [systemOf.get(systemId), scenarioOf.get(scenarioId)];
    return system === undefined || scenario === undefined ? undefined : { system, scenario };
  };
}

/** Results with their systems and scenarios, in the same order. */
async function withFacts(db: Queryable, rows: readonly ReferringRow[]): Promise<ResultRow[]> {
  const factsOf = await readFacts(db, {
    systems: rows.map((row) => row.system),
    scenarios: rows.map((row) => row.scenario),
  });
  return rows.flatMap((row) => {
    const facts = factsOf(row.system, row.scenario);
    return facts === undefined ? [] : [{ ...row, ...facts }];
  });
}

async function select(db: Queryable, rest: SQL): Promise<ResultRow[]> {
  const rows = (await db.execute(sql`select ${resultDocument} ${source} ${rest}`)) as unknown as {
    row: ReferringRow;
  }[];
  return withFacts(
    db,
    takeRows(rows).map(({ row }) => row),
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
