import type { Filters } from '@inferboard/core/filters/filters';
import { type SQL, sql } from 'drizzle-orm';
import { bigints, texts } from '../bulk.ts';
import type { Database } from '../client.ts';
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

/**
 * Points whose newest results are looked at one by one, at most: where more may have what is asked for, walking through
 * all results meets enough of it soon.
 */
const pointsMax = 2000;

/** Points that meet the filters, with any metric; null where they are more than are looked at one by one. */
async function findPoints(db: Queryable, filters: Filters): Promise<number[] | null> {
  const conditions = pointConditions(filters);
  if (conditions.length === 0) return null;
  const rows = (await db.execute(sql`
    select p.id::float8 as id from points p
    join systems s on s.id = p.system_id
    join scenarios sc on sc.id = p.scenario_id
    where ${and(conditions)} limit ${pointsMax + 1}`)) as unknown as { id: number }[];
  return rows.length > pointsMax ? null : rows.map(({ id }) => id);
}

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
  /** The few points, or uploads, that can have them; null where they are many or unknown. */
  points: readonly number[] | null;
  uploads: readonly string[] | null;
  conditions: SQL[];
}

/**
 * What narrows a walk through all results, beside the conditions themselves: the few points or uploads whose results
 * these can only be, and the time.
 */
export async function narrowResults(db: Database['db'], { filters }: { filters: Filters }): Promise<Narrowed> {
  const conditions: SQL[] = [];
  if (filters.since) conditions.push(sql`t.id >= ${idFrom(filters.since, -longest_ms)}`);
  if (filters.until) conditions.push(sql`t.id < ${idFrom(filters.until, longest_ms)}`);
  if (filters.submission !== undefined) return { points: null, uploads: filters.submission, conditions };
  const points = await findPoints(db, filters);
  if (points !== null || filters.account === undefined) return { points, uploads: null, conditions };
  const uploads = (await db.execute(sql`
    select sub.id from submissions sub join accounts a on a.id = sub.account_id
    where ${accountCondition(filters.account)} limit ${uploadsMax + 1}`)) as unknown as { id: string }[];
  return { points, uploads: uploads.length > uploadsMax ? null : uploads.map(({ id }) => id), conditions };
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
  const { points, uploads, conditions: narrow } = narrowed ?? (await narrowResults(db, question));
  // The tool stands in the result; the uploads were found by the account, where nobody named them.
  const account = uploads === null || filters.submission !== undefined ? filters.account : undefined;
  const byResult = resultConditions({ ...filters, tool: undefined, account });
  const conditions = [statusCondition(filters), trustCondition(filters), ...boundConditions(filters.bounds), ...narrow];
  if (filters.tool) conditions.push(sql`t.tool = any(${texts(filters.tool)})`);
  if (byResult.length > 0) {
    conditions.push(sql`exists (
      select 1 from results r
      join submissions sub on sub.id = r.submission_id
      join accounts a on a.id = sub.account_id
      where r.id = t.id and ${and(byResult)})`);
  }
  if (after !== null) conditions.push(sql`t.id < ${after}`);
  if (points !== null) return selectAll(db, await findIds(db, newestOfPoints(points, filters, conditions, limit)));
  const ofPoints = pointConditions(filters);
  conditions.push(...ofPoints);
  if (uploads !== null) {
    const from = ofPoints.length === 0 ? sql`from results t` : source;
    return selectAll(db, await newestOfUploads(db, uploads, { from, where: and(conditions) }, limit));
  }
  return select(db, sql`where ${and(conditions)} order by t.id desc limit ${limit}`);
}

/**
 * The newest results of some points: they are of the points whose own newest are the newest, as many points as results
 * are wanted. One row is read of each point and standing, and more of those points alone.
 */
function newestOfPoints(
  points: readonly number[],
  { include }: Filters,
  conditions: readonly SQL[],
  limit: number,
): SQL {
  const ofStanding = (point: SQL, status: string, most: number) => sql`
    (select t.id from results t where t.point_id = ${point} and t.status = ${status} and ${and(conditions)}
    order by t.id desc limit ${most})`;
  const ofPoint = (point: SQL, most: number) => sql`
    (select id from (${sql.join(
      ['accepted', ...include].map((status) => ofStanding(point, status, most)),
      sql` union all `,
    )}) each order by id desc limit ${most})`;
  return sql`
    select id from (
      select asked.point from unnest(${bigints(points)}) asked(point)
      cross join lateral ${ofPoint(sql`asked.point`, 1)} newest
      order by newest.id desc limit ${limit}) top
    cross join lateral ${ofPoint(sql`top.point`, limit)} own
    order by id desc limit ${limit}`;
}

/**
 * Ids of the newest results of some uploads. In an upload the order of ids is that of the artifact. Uploads are opened by
 * their newest result, twice as many each time, until the next one has nothing newer than what was found.
 */
async function newestOfUploads(
  db: Queryable,
  uploads: readonly string[],
  { from, where }: { from: SQL; where: SQL },
  limit: number,
): Promise<string[]> {
  const ofUploads = (ids: readonly string[], most: number) => sql`
    select asked.upload, own.id from unnest(${texts(ids)}) asked(upload)
    cross join lateral (
      select t.id ${from} where t.submission_id = asked.upload and ${where}
      order by t.ordinal desc limit ${most}) own
    order by own.id desc`;
  const heads = takeRows((await db.execute(ofUploads(uploads, 1))) as unknown as { upload: string; id: string }[]);
  let found: string[] = [];
  let opened = 0;
  for (let more = 1; opened < heads.length; more *= 2) {
    const last = found.length < limit ? '' : (found.at(-1) ?? '');
    const next = heads.slice(opened, opened + more).filter(({ id }) => id > last);
    if (next.length === 0) break;
    const upload = next.map((head) => head.upload);
    found = [...found, ...(await findIds(db, ofUploads(upload, limit)))].sort().reverse().slice(0, limit);
    opened += more;
  }
  return found;
}

async function findIds(db: Queryable, finding: SQL): Promise<string[]> {
  return takeRows((await db.execute(finding)) as unknown as { id: string }[]).map(({ id }) => id);
}

/** Results by their ids, newest first. */
async function selectAll(db: Queryable, ids: readonly string[]): Promise<ResultRow[]> {
  return ids.length === 0 ? [] : select(db, sql`where t.id = any(${texts(ids)}) order by t.id desc`);
}

/** The results of one submission in the order of its artifact; the first of them, where a limit is given. */
export async function listResultsBySubmission(
  db: Queryable,
  submissionId: string,
  limit: number | null = null,
): Promise<ResultRow[]> {
  return select(db, sql`where t.submission_id = ${submissionId} order by t.ordinal limit ${limit}`);
}

/** One result, in any status. */
export async function findResult(db: Queryable, id: string): Promise<ResultRow | null> {
  const [row] = await select(db, sql`where t.id = ${id}`);
  return row ?? null;
}
