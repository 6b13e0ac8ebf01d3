import type { ResultStatus } from '@inferboard/core/result';
import { sql } from 'drizzle-orm';
import { bigints } from '../bulk.ts';
import { copyBatches, copyRows } from '../copy.ts';
import { drawUntil } from '../draw-until.ts';
import { mergeStandings } from '../point-statistics/merge.ts';
import { hasSeveralAccounts, replicationOf } from '../point-statistics/replication.ts';
import {
  type Contribution,
  resultsWithMedianMax,
  type Standing,
  toStanding,
  toStatisticsRows,
} from '../point-statistics/standing.ts';
import type { Row } from '../rows.ts';
import { pointStatistics } from '../schema/index.ts';
import type { Transaction } from '../transaction.ts';
import { lockPoints } from './point-lock.ts';
import {
  type Addition,
  batches,
  keyOf,
  type Place,
  perStatus,
  readAdditions,
  readMax,
  readStandings,
} from './point-statistics-read.ts';
import type { PointStatisticsRow } from './row-types.ts';
import { retellTrust, type Verdict } from './trust-retell.ts';

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

/** Those of the points whose systems are named in full: what is called unspecified twice need not be the same. */
async function findNamed(tx: Transaction, pointIds: readonly number[]): Promise<Set<number>> {
  if (pointIds.length === 0) return new Set();
  const rows = (await tx.execute(sql`
    select p.id from points p join systems s on s.id = p.system_id
    where p.id = any(${bigints(pointIds)})
      and s.model_id is not null and s.gpu_id is not null and s.quantization_id is not null`)) as unknown as {
    id: string;
  }[];
  return new Set(rows.map(({ id }) => Number(id)));
}

/** Sums up what is at each place, and says whose figures others measured as well. */
async function sumUp(tx: Transaction, additions: readonly Addition[]): Promise<Standing[]> {
  const shared = additions.filter(({ results }) => hasSeveralAccounts(results));
  const named = await findNamed(
    tx,
    shared.flatMap(({ results }) => results.slice(0, 1).map(({ pointId }) => pointId)),
  );
  return additions.map(({ results, findings, warnings }) => {
    const replication = named.has(results[0]?.pointId ?? -1) ? replicationOf(results) : null;
    return toStanding(results, { findings, warnings }, replication);
  });
}

/** Every result as one value, whatever its tool averaged. */
const oncePerResult = ({ results, ...doubts }: Addition): Addition => ({
  ...doubts,
  results: results.map((result) => ({ ...result, repeats: null })),
});

const isFlooded = ({ stored }: Place) => stored > readMax;

/**
 * Sums up a place that has more results than a statement should read: part by part, each result as one value. Whether
 * accounts measured the same is judged by the first part.
 */
async function sumUpInParts(tx: Transaction, place: Place, except: string | null): Promise<Standing | null> {
  let standing: Standing | null = null;
  let after = '';
  for (;;) {
    const part = (await readAdditions(tx, [place], except, { after, most: readMax })).get(keyOf(place));
    if (part === undefined) return standing;
    after = part.results.at(-1)?.id ?? after;
    const [sum] = await sumUp(tx, [oncePerResult(part)]);
    if (sum === undefined) throw new Error('a part of no results');
    standing = standing === null ? sum : mergeStandings(standing, sum);
    if (standing === null) throw new Error('values that count once each do not add up');
  }
}

/** Standings that take the place of others, and what follows from them for the trust of results. */
interface Recount {
  gone: readonly Place[];
  standings: readonly Standing[];
  /** Points at which another account measured what this submission's did. */
  replicated: ReadonlySet<number>;
  /** Verdicts as they were, and others. */
  known: readonly Verdict[];
  changed: readonly Verdict[];
}

/** Points that hold results already: each is locked, and summed up anew from all its results if they are not many. */
async function addToKnownPoints(
  tx: Transaction,
  additions: readonly Addition[],
  submission: { id: string; accountId: string },
): Promise<Recount> {
  const byKey = new Map(additions.flatMap((addition) => addition.results.slice(0, 1).map((r) => [keyOf(r), addition])));
  const pointIds = [...new Set(additions.flatMap(({ results }) => results.slice(0, 1).map((r) => r.pointId)))];
  await lockPoints(tx, pointIds);
  const sizes = (await tx.execute(sql`
    select point_id, status, results, replication from point_statistics
    where point_id = any(${bigints(pointIds)}) and variant = 0`)) as unknown as PointStatisticsRow[];
  const places = sizes
    .map(
      (row): Place => ({
        pointId: Number(row.point_id),
        status: row.status,
        stored: row.results,
        replicated: row.replication?.replicated ?? [],
      }),
    )
    .filter((place) => byKey.has(keyOf(place)));
  const added = (place: Place) => byKey.get(keyOf(place)) ?? { results: [], findings: 0, warnings: 0 };
  const isLarge = (place: Place) => place.stored + added(place).results.length > resultsWithMedianMax;

  const standings: Standing[] = [];
  const toRead = places.filter((place) => !isLarge(place));
  const large = places.filter(isLarge);
  const flooded = new Set(places.filter(isFlooded).map(keyOf));
  for (const batch of batches(large.map((place) => ({ ...place, stored: 1 })))) {
    const stored = await readStandings(tx, batch);
    const sums = await sumUp(
      tx,
      batch.map((place) => (flooded.has(keyOf(place)) ? oncePerResult(added(place)) : added(place))),
    );
    for (const [index, place] of batch.entries()) {
      const [standing, sum] = [stored.get(keyOf(place)), sums[index]];
      const merged = standing === undefined || sum === undefined ? null : mergeStandings(standing, sum);
      if (merged !== null) standings.push(merged);
      else toRead.push({ ...place, stored: standing?.results ?? 0 });
    }
  }
  for (const place of toRead.filter(isFlooded)) {
    const stored = await sumUpInParts(tx, place, submission.id);
    const [sum] = await sumUp(tx, [oncePerResult(added(place))]);
    const merged = stored === null || sum === undefined ? sum : mergeStandings(stored, sum);
    if (merged) standings.push(merged);
  }
  for (const batch of batches(toRead.filter((place) => !isFlooded(place)))) {
    const stored = await readAdditions(tx, batch, submission.id);
    const all = batch.map((place) => together(stored.get(keyOf(place)), added(place)));
    standings.push(...(await sumUp(tx, all)));
  }
  const stored = new Map(places.map((place) => [keyOf(place), place]));
  const first = [...byKey].filter(([key]) => !stored.has(key)).map(([, addition]) => addition);
  standings.push(...(await sumUp(tx, first)));

  const verdicts = standings.map((standing) => ({
    pointId: standing.pointId,
    replicated: standing.replication?.replicated ?? [],
    before: stored.get(keyOf(standing))?.replicated ?? [],
  }));
  const isAsBefore = ({ replicated, before }: (typeof verdicts)[number]) => replicated.join() === before.join();
  const known = verdicts.filter((verdict) => isAsBefore(verdict) && verdict.replicated.length > 0);
  const changed = verdicts.filter((verdict) => !isAsBefore(verdict));
  const replicated = verdicts.filter((verdict) => verdict.replicated.includes(submission.accountId));
  return { gone: places, standings, replicated: new Set(replicated.map(({ pointId }) => pointId)), known, changed };
}

/** Points summed up at once: the database stores them while the next are summed up. */
const batchPoints = 100;

function* inBatches<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < all.length; start += batchPoints) yield all.slice(start, start + batchPoints);
}

/** The rows of points that nobody else has measured. */
function* freshRows(additions: readonly Addition[]): Generator<Row[]> {
  for (const batch of inBatches(additions))
    yield batch.flatMap(({ results, findings, warnings }) =>
      toStatisticsRows(toStanding(results, { findings, warnings })),
    );
}

/** The rows of points that were summed up already. */
function* rowsOf(standings: readonly Standing[]): Generator<Row[]> {
  for (const batch of inBatches(standings)) yield batch.flatMap(toStatisticsRows);
}

function* inTurn<T>(...sources: readonly Iterable<T>[]): Generator<T> {
  for (const source of sources) yield* source;
}

/**
 * Takes the results of a submission into the statistics of their points, in the caller's transaction, once `stored` says
 * that they are in the table. Points in `created` were made by this transaction: nobody else sees them yet, so all their
 * results are at hand, and they are summed up while `stored` is waited for. `writing` is all that the transaction still
 * does: nothing else may run in it until then.
 */
export async function addToPointStatistics(
  tx: Transaction,
  submission: { id: string; accountId: string },
  additions: readonly Addition[],
  created: ReadonlySet<number>,
  stored: Promise<void>,
): Promise<{ replicated: ReadonlySet<number>; writing: Promise<void> }> {
  const isNew = ({ results }: Addition) => results.every(({ pointId }) => created.has(pointId));
  const known = additions.filter((addition) => !isNew(addition));
  const fresh = freshRows(additions.filter(isNew));
  const ahead = await drawUntil(stored, fresh);
  const recount = known.length === 0 ? null : await addToKnownPoints(tx, known, submission);
  const write = async () => {
    if (recount !== null)
      await perStatus(tx, recount.gone, (at) => sql`delete from point_statistics t where ${at(sql`t`)}`);
    const standings = recount?.standings ?? [];
    const points = additions.length - known.length + standings.length;
    await copyBatches(tx, pointStatistics, points, inTurn(ahead, fresh, rowsOf(standings)));
    await retellTrust(tx, recount?.known ?? [], submission.id);
    await retellTrust(tx, recount?.changed ?? [], null);
  };
  return { replicated: recount?.replicated ?? new Set(), writing: write() };
}

/** Computes the statistics of points anew from their stored results, in the caller's transaction. */
export async function refreshPointStatistics(tx: Transaction, pointIds: readonly number[]): Promise<void> {
  const ids = [...new Set(pointIds)];
  await lockPoints(tx, ids);
  const counts = (await tx.execute(sql`
    select point_id, status, count(*)::int as stored from results
    where point_id = any(${bigints(ids)}) and copy_of is null group by 1, 2`)) as unknown as {
    point_id: string;
    status: ResultStatus;
    stored: number;
  }[];
  const gone = (await tx.execute(sql`
    delete from point_statistics where point_id = any(${bigints(ids)}) returning point_id, replication`)) as unknown as {
    point_id: string;
    replication: unknown;
  }[];
  const held = new Set(counts.map(({ point_id }) => Number(point_id)));
  const emptied = ids.filter((id) => !held.has(id));
  if (emptied.length > 0) {
    await tx.execute(sql`update points set emptied_in = pg_current_xact_id() where id = any(${bigints(emptied)})`);
  }
  const verdicts = new Map<number, readonly string[]>(
    gone.filter(({ replication }) => replication !== null).map(({ point_id }) => [Number(point_id), []]),
  );
  const places = counts.map(
    ({ point_id, status, stored }): Place => ({ pointId: Number(point_id), status, stored, replicated: [] }),
  );
  const store = async (standings: readonly Standing[]) => {
    for (const { pointId, replication } of standings) {
      if (replication !== null) verdicts.set(pointId, replication.replicated);
    }
    await copyRows(tx, pointStatistics, standings.flatMap(toStatisticsRows));
  };
  for (const place of places.filter(isFlooded)) {
    const standing = await sumUpInParts(tx, place, null);
    if (standing !== null) await store([standing]);
  }
  for (const batch of batches(places.filter((place) => !isFlooded(place)))) {
    const stored = await readAdditions(tx, batch, null);
    await store(await sumUp(tx, [...stored.values()]));
  }
  await retellTrust(
    tx,
    [...verdicts].map(([pointId, replicated]) => ({ pointId, replicated })),
    null,
  );
}
