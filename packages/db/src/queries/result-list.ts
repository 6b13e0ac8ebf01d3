import { type Filters, noFilters } from '@inferboard/core/filters/filters';
import { metrics } from '@inferboard/core/metrics/index';
import { askedPointNeeds, asksOfPoints, findAskedPoints } from '@inferboard/core/ranking/asked-points';
import { type SQL, sql } from 'drizzle-orm';
import { bigints, texts } from '../bulk.ts';
import type { Database } from '../client.ts';
import { readPoints } from '../point-index/point-index.ts';
import { takeRows } from '../take-rows.ts';
import type { Queryable } from '../transaction.ts';
import {
  accountCondition,
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

/** No filter asks of results here, so none is ranked. */
const anyMetric = metrics[0] as (typeof metrics)[number];

/**
 * Points whose results are looked at one by one, at most: where more may have what is asked for, walking through all
 * results meets enough of it sooner. Of p among n points, walking to a page meets about limit * n / p, looking p or more.
 */
const pointsMax = (points: number, limit: number) => Math.ceil(Math.sqrt(limit * points) / 2);

/** Uploads of one account whose results are looked at one by one. */
const uploadsMax = 500;

/** Ids begin with the millisecond in which they were made: the least that one of an instant may be, moved by so much. */
function idFrom(instant: string, slack_ms: number): string {
  const ms = Math.max(0, Math.min(Date.parse(instant) + slack_ms, 2 ** 48 - 1));
  return `res_${ms.toString(16).padStart(12, '0')}`;
}

/** A result's id was made after its transaction began, by a clock that may be another: both ways no further than this. */
const longest_ms = 10 * 60_000;

/** How results are looked for. */
interface Narrowed {
  conditions: SQL[];
  /** True where so few are left that all of them are looked at. */
  isFew: boolean;
}

/**
 * What narrows a walk through all results, beside the conditions themselves: the few points or uploads whose results
 * these can only be, and the time.
 */
export async function narrowResults(
  db: Database['db'],
  { filters, limit }: { filters: Filters; limit: number },
): Promise<Narrowed> {
  const conditions: SQL[] = [];
  if (filters.since) conditions.push(sql`t.id >= ${idFrom(filters.since, -longest_ms)}`);
  if (filters.until) conditions.push(sql`t.id < ${idFrom(filters.until, longest_ms)}`);
  const points = asksOfPoints(filters)
    ? await readPoints(
        db,
        { needs: askedPointNeeds(filters), filters: noFilters, ranked: anyMetric },
        (table) => findAskedPoints(table, filters, pointsMax(table.length, limit)),
        async (_, found) => found,
      )
    : null;
  if (points !== null) return { conditions: [...conditions, sql`t.point_id = any(${bigints(points)})`], isFew: true };
  if (filters.account === undefined) return { conditions, isFew: false };
  const uploads = (await db.execute(sql`
    select sub.id from submissions sub join accounts a on a.id = sub.account_id
    where ${accountCondition(filters.account)} limit ${uploadsMax + 1}`)) as unknown as { id: string }[];
  if (uploads.length > uploadsMax) return { conditions, isFew: false };
  const ids = uploads.map(({ id }) => id);
  return { conditions: [...conditions, sql`t.submission_id = any(${texts(ids)})`], isFew: true };
}

/**
 * Results that meet the filters, newest first; the order is that of their ids. Pages continue after an id. `narrowed` is
 * for those who ask for page after page.
 */
export async function listResults(
  db: Database['db'],
  question: { filters: Filters; limit: number; after: string | null },
  narrowed?: Narrowed,
): Promise<ResultRow[]> {
  const { filters, limit, after } = question;
  const byResult = resultConditions(filters);
  const { conditions: narrow, isFew } = narrowed ?? (await narrowResults(db, question));
  const conditions = [
    statusCondition(filters),
    trustCondition(filters),
    ...pointConditions(filters),
    ...boundConditions(filters.bounds),
    ...narrow,
  ];
  if (byResult.length > 0) {
    conditions.push(sql`exists (
      select 1 from results r
      join submissions sub on sub.id = r.submission_id
      join accounts a on a.id = sub.account_id
      where r.id = t.id and ${and(byResult)})`);
  }
  if (after !== null) conditions.push(sql`t.id < ${after}`);
  if (!isFew) return select(db, sql`where ${and(conditions)} order by t.id desc limit ${limit}`);
  // Found first and put in order then: the other way round, all results would be walked through for these few.
  const found = (await db.execute(sql`
    select id from (select t.id ${source} where ${and(conditions)} offset 0) few
    order by id desc limit ${limit}`)) as unknown as { id: string }[];
  const ids = takeRows(found).map(({ id }) => id);
  return ids.length === 0 ? [] : select(db, sql`where t.id = any(${texts(ids)}) order by t.id desc`);
}

/** The results of one submission in the order of its artifact. */
export async function listResultsBySubmission(db: Queryable, submissionId: string): Promise<ResultRow[]> {
  return select(db, sql`where t.submission_id = ${submissionId} order by t.ordinal`);
}
