import { type MetricName, metricNames } from '@inferboard/core/metrics/index';
import type { ResultStatus } from '@inferboard/core/result';
import { type SQL, sql } from 'drizzle-orm';
import { bigints, insertRows } from '../bulk.ts';
import { mergeStandings } from '../point-statistics/merge.ts';
import type { PackedRow } from '../point-statistics/packed.ts';
import {
  type Contribution,
  type Doubts,
  readStanding,
  resultsWithMedianMax,
  type Standing,
  toStanding,
  toStatisticsRows,
} from '../point-statistics/standing.ts';
import { pointStatistics } from '../schema/index.ts';
import type { Transaction } from '../transaction.ts';
import type { PointStatisticsRow } from './row-types.ts';

/** Stored results read back by one statement at most, roughly. */
const readMax = 20_000;

/** A point and a status, with how many results it has stored. */
interface Place {
  pointId: number;
  status: ResultStatus;
  stored: number;
}

/** New results of one point and status, with their findings. */
export interface Addition extends Doubts {
  results: Contribution[];
}

const keyOf = ({ pointId, status }: { pointId: number; status: string }) => `${pointId} ${status}`;

/**
 * Locks points in the order of their ids, so that simultaneous submissions to one point see each other's results and
 * never deadlock (a plain `for update` would: inserting a result already shares a lock on its point's key).
 */
async function lockPoints(tx: Transaction, pointIds: readonly number[]): Promise<void> {
  await tx.execute(sql`select id from points where id = any(${bigints(pointIds)}) order by id for no key update`);
}

/** Runs one statement for each status: `= any` over ids of one status always goes by the index. */
async function perStatus<T>(
  tx: Transaction,
  places: readonly Place[],
  statement: (at: (table: SQL) => SQL) => SQL,
): Promise<T[]> {
  const rows: T[] = [];
  for (const [status, of] of Map.groupBy(places, (place) => place.status)) {
    const ids = bigints(of.map((place) => place.pointId));
    const at = (table: SQL) => sql`${table}.point_id = any(${ids}) and ${table}.status = ${status}`;
    rows.push(...((await tx.execute(statement(at))) as unknown as T[]));
  }
  return rows;
}

/** Places whose results together fit one statement; a place that does not is alone. */
function batches(places: readonly Place[]): Place[][] {
  const all: Place[][] = [];
  let room = 0;
  for (const place of places) {
    const last = all.at(-1);
    if (last !== undefined && place.stored <= room) last.push(place);
    else {
      all.push([place]);
      room = readMax;
    }
    room -= place.stored;
  }
  return all;
}

const valueArray = sql`to_json(array[${sql.join(
  metricNames.map((name) => sql`r.${sql.identifier(name)}`),
  sql`, `,
)}])`;

interface StoredContribution extends Omit<Contribution, 'pointId' | 'values' | 'repeats'>, Doubts {
  point_id: string;
  repeats: Contribution['repeats'];
  values: (number | null)[];
}

/** What is stored of the results at these places, leaving out one submission; results in the order of their ids. */
async function readAdditions(
  tx: Transaction,
  places: readonly Place[],
  except: string | null,
): Promise<Map<string, Addition>> {
  const others = except === null ? sql`true` : sql`r.submission_id <> ${except}`;
  const additions = new Map<string, Addition>();
  const rows = await perStatus<StoredContribution>(
    tx,
    places,
    (at) => sql`
      select r.id, r.point_id, r.status, r.trust, r.definitions, r.derived, r.repeats, ${valueArray} as values,
        jsonb_array_length(r.findings) as findings,
        jsonb_array_length(jsonb_path_query_array(r.findings, '$[*] ? (@.severity != "info")')) as warnings
      from results r where ${at(sql`r`)} and ${others} and r.copy_of is null order by r.id`,
  );
  for (const { point_id, values, repeats, findings, warnings, ...row } of rows) {
    const result: Contribution = {
      ...row,
      pointId: Number(point_id),
      repeats: repeats === null ? null : { n: repeats.n ?? null, sd: repeats.sd, samples: repeats.samples ?? null },
      values: values.flatMap((value, place): [MetricName, number][] => {
        const name = metricNames[place];
        return value === null || name === undefined ? [] : [[name, value]];
      }),
    };
    const addition = additions.get(keyOf(result)) ?? { results: [], findings: 0, warnings: 0 };
    additions.set(keyOf(result), addition);
    addition.results.push(result);
    addition.findings += findings;
    addition.warnings += warnings;
  }
  return additions;
}

function together(stored: Addition | undefined, added: Addition): Addition {
  if (stored === undefined) return added;
  const byId = (a: Contribution, b: Contribution) => (a.id < b.id ? -1 : 1);
  return {
    // Somebody else's later id may have been stored first.
    results: [...stored.results, ...added.results].sort(byId),
    findings: stored.findings + added.findings,
    warnings: stored.warnings + added.warnings,
  };
}

const summed = ({ results, findings, warnings }: Addition) => toStanding(results, { findings, warnings });

async function readStandings(tx: Transaction, places: readonly Place[]): Promise<Map<string, Standing>> {
  const rows = await perStatus<{ row: PackedRow }>(
    tx,
    places,
    (at) => sql`
      select to_jsonb(t) as row from point_statistics t where ${at(sql`t`)} order by variant`,
  );
  const keyed = Map.groupBy(rows, ({ row }) => keyOf({ pointId: row.point_id, status: row.status }));
  return new Map([...keyed].map(([key, of]) => [key, readStanding(of.map(({ row }) => row))]));
}

async function replaceStandings(tx: Transaction, gone: readonly Place[], standings: Standing[]): Promise<void> {
  await perStatus(tx, gone, (at) => sql`delete from point_statistics t where ${at(sql`t`)}`);
  await insertRows(tx, pointStatistics, standings.flatMap(toStatisticsRows));
}

/** Points that hold results already: each is locked, and summed up anew from all its results if they are not many. */
async function addToKnownPoints(tx: Transaction, additions: readonly Addition[], submissionId: string): Promise<void> {
  const byKey = new Map(additions.flatMap((addition) => addition.results.slice(0, 1).map((r) => [keyOf(r), addition])));
  const pointIds = [...new Set(additions.flatMap(({ results }) => results.slice(0, 1).map((r) => r.pointId)))];
  await lockPoints(tx, pointIds);
  const sizes = (await tx.execute(sql`
    select point_id, status, results from point_statistics
    where point_id = any(${bigints(pointIds)}) and variant = 0`)) as unknown as PointStatisticsRow[];
  const places = sizes
    .map((row): Place => ({ pointId: Number(row.point_id), status: row.status, stored: row.results }))
    .filter((place) => byKey.has(keyOf(place)));
  const added = (place: Place) => byKey.get(keyOf(place)) ?? { results: [], findings: 0, warnings: 0 };
  const isLarge = (place: Place) => place.stored + added(place).results.length > resultsWithMedianMax;

  const standings: Standing[] = [];
  const toRead = places.filter((place) => !isLarge(place));
  for (const large of batches(places.filter(isLarge).map((place) => ({ ...place, stored: 1 })))) {
    const stored = await readStandings(tx, large);
    for (const place of large) {
      const standing = stored.get(keyOf(place));
      const merged = standing === undefined ? null : mergeStandings(standing, summed(added(place)));
      if (merged === null) toRead.push({ ...place, stored: standing?.results ?? 0 });
      else standings.push(merged);
    }
  }
  for (const batch of batches(toRead)) {
    const stored = await readAdditions(tx, batch, submissionId);
    standings.push(...batch.map((place) => summed(together(stored.get(keyOf(place)), added(place)))));
  }
  const stored = new Set(places.map(keyOf));
  const first = [...byKey].filter(([key]) => !stored.has(key)).map(([, addition]) => summed(addition));
  await replaceStandings(tx, places, [...standings, ...first]);
}

/**
 * Takes the stored results of a submission into the statistics of their points, in the caller's transaction. Points in
 * `created` were made by this transaction: nobody else sees them yet, so all their results are at hand.
 */
export async function addToPointStatistics(
  tx: Transaction,
  submissionId: string,
  additions: readonly Addition[],
  created: ReadonlySet<number>,
): Promise<void> {
  const isNew = ({ results }: Addition) => results.every(({ pointId }) => created.has(pointId));
  const known = additions.filter((addition) => !isNew(addition));
  await insertRows(
    tx,
    pointStatistics,
    additions.filter(isNew).flatMap((addition) => toStatisticsRows(summed(addition))),
  );
  if (known.length > 0) await addToKnownPoints(tx, known, submissionId);
}

/** Computes the statistics of points anew from their stored results, in the caller's transaction. */
export async function refreshPointStatistics(tx: Transaction, pointIds: readonly number[]): Promise<void> {
  const ids = [...new Set(pointIds)];
  await lockPoints(tx, ids);
  const counts = (await tx.execute(sql`
    select point_id, status, count(*)::int as stored from results
    where point_id = any(${bigints(ids)}) and copy_of is null group by 1, 2`)) as unknown as (Omit<Place, 'pointId'> & {
    point_id: string;
  })[];
  await tx.execute(sql`delete from point_statistics where point_id = any(${bigints(ids)})`);
  for (const batch of batches(counts.map(({ point_id, ...rest }) => ({ ...rest, pointId: Number(point_id) })))) {
    const stored = await readAdditions(tx, batch, null);
    await insertRows(
      tx,
      pointStatistics,
      [...stored.values()].flatMap((addition) => toStatisticsRows(summed(addition))),
    );
  }
}
