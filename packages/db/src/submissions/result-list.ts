import type { Filters } from '@inferboard/core/filters/filters';
import { type SQL, sql } from 'drizzle-orm';
import {
  accountCondition,
  and,
  boundConditions,
  pointConditions,
  resultConditions,
  statusCondition,
  trustCondition,
} from '../boards/lists/filter-conditions.ts';
import type { ResultRow, ScenarioRow, SystemRow } from '../boards/lists/row-types.ts';
import type { Database } from '../connection/client.ts';
import type { Queryable } from '../connection/transaction.ts';
import { bigints, texts } from '../copy/bulk.ts';
import { takeRows } from '../copy/take-rows.ts';

/** Systems and scenarios are read once each, because thousands of results share a few. */
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

/** Reads systems and scenarios by id; undefined for an id that does not exist. */
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

/** Adds systems and scenarios to results, in the same order. */
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

/** Maximum points to search one by one. With more candidates, a scan of all results soon finds enough matches. */
const pointsMax = 2000;

/** Points that match the filters, with any metric; null if there are more than `pointsMax`. */
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

/** Maximum uploads of one account to search one by one. */
const uploadsMax = 500;

/** The lower bound of ids of an instant, shifted by a slack. Ids start with their creation time in milliseconds. */
function idFrom(instant: string, slack_ms: number): string {
  const ms = Math.max(0, Math.min(Date.parse(instant) + slack_ms, 2 ** 48 - 1));
  return `res_${ms.toString(16).padStart(12, '0')}`;
}

/** Maximum difference between a result's id and its transaction's start, for long transactions and clock differences. */
const longest_ms = 10 * 60_000;

/**
 * A necessary condition for results measured before a time, on columns of the result only: it drops the others before the join
 * with their submissions. A result without a time was stored before; an imported one may have the day of its source.
 */
const mayBeBefore = (until: string): SQL =>
  sql`(t.measured_at < ${until}::timestamptz
    or (t.measured_at is null and (t.source is not null or t.id < ${idFrom(until, longest_ms)})))`;

/** A search plan for results. */
interface Narrowed {
  /** The only points or uploads that can match, if few; null if many or unknown. */
  points: readonly number[] | null;
  uploads: readonly string[] | null;
  conditions: SQL[];
}

/** Narrows a scan of all results, in addition to its conditions: to a few points or uploads, and by time. */
export async function narrowResults(db: Database['db'], { filters }: { filters: Filters }): Promise<Narrowed> {
  const conditions: SQL[] = [];
  // A result is stored after it is measured.
  if (filters.since) conditions.push(sql`t.id >= ${idFrom(filters.since, -longest_ms)}`);
  if (filters.until) conditions.push(mayBeBefore(filters.until));
  if (filters.submission !== undefined) return { points: null, uploads: filters.submission, conditions };
  const points = await findPoints(db, filters);
  if (points !== null || filters.account === undefined) return { points, uploads: null, conditions };
  const uploads = (await db.execute(sql`
    select sub.id from submissions sub join accounts a on a.id = sub.account_id
    where ${accountCondition(filters.account)} limit ${uploadsMax + 1}`)) as unknown as { id: string }[];
  return { points, uploads: uploads.length > uploadsMax ? null : uploads.map(({ id }) => id), conditions };
}

/**
 * Results that match the filters, newest first, sorted by id. Pages continue after an id. Pass `narrowed` to reuse the search
 * plan across pages.
 */
export async function listResults(
  db: Database['db'],
  question: { filters: Filters; limit: number; after: string | null },
  narrowed?: Narrowed,
): Promise<ResultRow[]> {
  const { filters, limit, after } = question;
  const { points, uploads, conditions: narrow } = narrowed ?? (await narrowResults(db, question));
  // The tool is a column of the result. If the uploads were found by account, the account needs no further condition.
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
 * The newest results of some points. Those results belong to the points whose newest result is the most recent. The query reads
 * one row per point and status, then further rows of the first `limit` points only.
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
 * Ids of the newest results of some uploads. Within an upload, ids follow artifact order. Opens uploads by their newest result,
 * doubling their number until the next one has no newer result.
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

/** Results by id, newest first. */
async function selectAll(db: Queryable, ids: readonly string[]): Promise<ResultRow[]> {
  return ids.length === 0 ? [] : select(db, sql`where t.id = any(${texts(ids)}) order by t.id desc`);
}

/** The results of a submission in artifact order; with a limit, the first ones. */
export async function listResultsBySubmission(
  db: Queryable,
  submissionId: string,
  limit: number | null = null,
): Promise<ResultRow[]> {
  return select(db, sql`where t.submission_id = ${submissionId} order by t.ordinal limit ${limit}`);
}

/** A single result in any status. */
export async function findResult(db: Queryable, id: string): Promise<ResultRow | null> {
  const [row] = await select(db, sql`where t.id = ${id}`);
  return row ?? null;
}
