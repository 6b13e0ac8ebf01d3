import { sql } from 'drizzle-orm';
import { rankPoints } from '../boards/rank-points.ts';
import { bigints } from '../bulk.ts';
import { copyBatches, copyRows } from '../copy.ts';
import { drawUntil } from '../draw-until.ts';
import {
  type ClaimKey,
  type ClaimSummary,
  resultsWithMedianMax,
  summariseClaim,
  toStatisticsRows,
} from '../point-statistics/claim-summary.ts';
import { mergeClaims } from '../point-statistics/merge.ts';
import type { Row } from '../rows.ts';
import { pointStatistics } from '../schema/index.ts';
import type { Transaction } from '../transaction.ts';
import { judgePoints, type Settled, updateSettled } from './claims-settle.ts';
import { lockPoints } from './point-lock.ts';
import {
  type Addition,
  batches,
  claimKey,
  perAccount,
  readAdditions,
  readClaims,
  readClaimsAt,
  readMax,
  type StoredClaim,
} from './point-statistics-read.ts';

function together(stored: Addition | undefined, added: Addition): Addition {
  if (stored === undefined) return added;
  return {
    // A later id may have been stored first.
    results: [...stored.results, ...added.results].sort((a, b) => (a.id < b.id ? -1 : 1)),
    findings: stored.findings + added.findings,
    warnings: stored.warnings + added.warnings,
  };
}

const sumUp = ({ results, findings, warnings }: Addition) => summariseClaim(results, { findings, warnings });

/** Every result as one value, whatever its tool averaged. */
const oncePerResult = ({ results, ...doubts }: Addition): Addition => ({
  ...doubts,
  results: results.map((result) => ({ ...result, repeats: null })),
});

const isFlooded = ({ stored }: StoredClaim) => stored > readMax;

/** Sums up a claim that has more results than a statement should read: part by part, each result as one value. */
async function sumUpInParts(tx: Transaction, claim: StoredClaim, except: string | null): Promise<ClaimSummary | null> {
  let summary: ClaimSummary | null = null;
  let after = '';
  for (;;) {
    const part = (await readAdditions(tx, [claim], except, { after, most: readMax })).get(claimKey(claim));
    if (part === undefined) return summary;
    after = part.results.at(-1)?.id ?? after;
    const sum = sumUp(oncePerResult(part));
    summary = summary === null ? sum : mergeClaims(summary, sum);
    if (summary === null) throw new Error('values that count once each do not add up');
  }
}

const emptyAddition: Addition = { results: [], findings: 0, warnings: 0 };

/** The claims that a submission adds to at points that are known, summed up anew or, where they are large, merged. */
async function sumUpTouched(
  tx: Transaction,
  byKey: ReadonlyMap<string, Addition>,
  claims: readonly StoredClaim[],
  submissionId: string,
): Promise<ClaimSummary[]> {
  const added = (claim: ClaimKey) => byKey.get(claimKey(claim)) ?? emptyAddition;
  const isLarge = (claim: StoredClaim) => claim.stored + added(claim).results.length > resultsWithMedianMax;
  const summaries: ClaimSummary[] = [];
  const toRead = claims.filter((claim) => !isLarge(claim));
  const large = claims.filter(isLarge);
  const known = await readClaims(tx, large);
  for (const claim of large) {
    const stored = known.get(claimKey(claim));
    const more = isFlooded(claim) ? oncePerResult(added(claim)) : added(claim);
    const merged = stored === undefined ? null : mergeClaims(stored, sumUp(more));
    if (merged !== null) summaries.push(merged);
    else toRead.push(claim);
  }
  for (const claim of toRead.filter(isFlooded)) {
    const stored = await sumUpInParts(tx, claim, submissionId);
    const sum = sumUp(oncePerResult(added(claim)));
    summaries.push((stored === null ? null : mergeClaims(stored, sum)) ?? sum);
  }
  for (const batch of batches(toRead.filter((claim) => !isFlooded(claim)))) {
    const stored = await readAdditions(tx, batch, submissionId);
    summaries.push(...batch.map((claim) => sumUp(together(stored.get(claimKey(claim)), added(claim)))));
  }
  const stored = new Set(claims.map(claimKey));
  return [...summaries, ...[...byKey].filter(([key]) => !stored.has(key)).map(([, addition]) => sumUp(addition))];
}

/** Claims that take the place of others, and what follows for other claims of their points. */
interface Recount {
  gone: readonly ClaimKey[];
  settled: Settled;
}

/** Points that hold results already: each is locked, and its claims are judged beside each other. */
async function addToKnownPoints(
  tx: Transaction,
  additions: readonly Addition[],
  submission: { id: string; accountId: string },
): Promise<Recount> {
  const byKey = new Map(additions.flatMap((of) => of.results.slice(0, 1).map((first) => [claimKey(first), of])));
  const pointIds = [...new Set(additions.flatMap(({ results }) => results.slice(0, 1).map((r) => r.pointId)))];
  await lockPoints(tx, pointIds);
  const sizes = (await tx.execute(sql`
    select point_id::int as "pointId", status, account_id as account, own_trust as "ownTrust", results as stored
    from point_statistics
    where point_id = any(${bigints(pointIds)}) and account_id = ${submission.accountId}
      and variant = 0`)) as unknown as StoredClaim[];
  const gone = sizes.filter((claim) => byKey.has(claimKey(claim)));
  const touched = await sumUpTouched(tx, byKey, gone, submission.id);
  const untouched = (await readClaimsAt(tx, pointIds)).filter((claim) => !byKey.has(claimKey(claim)));
  return { gone, settled: await judgePoints(tx, touched, untouched) };
}

/** Points summed up at once: the database stores them while the next are summed up. */
const batchPoints = 100;

function* inBatches<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < all.length; start += batchPoints) yield all.slice(start, start + batchPoints);
}

/** The rows of claims that are alone at their points. */
function* freshRows(additions: readonly Addition[]): Generator<Row[]> {
  for (const batch of inBatches(additions)) yield batch.flatMap((addition) => toStatisticsRows(sumUp(addition)));
}

/** The rows of claims that were summed up already. */
function* rowsOf(claims: readonly ClaimSummary[]): Generator<Row[]> {
  for (const batch of inBatches(claims)) yield batch.flatMap(toStatisticsRows);
}

function* inTurn<T>(...sources: readonly Iterable<T>[]): Generator<T> {
  for (const source of sources) yield* source;
}

/**
 * Takes the results of a submission into the statistics of their claims, in the caller's transaction, once `stored` says
 * that they are in the table. Points in `created` were made by this transaction: nobody else sees them yet, so all their
 * results are at hand, and they are summed up while `stored` is waited for. `writing` is all that the transaction still
 * does: nothing else may run in it until then. `replicated` are the keys of claims that another account replicated.
 */
export async function addToPointStatistics(
  tx: Transaction,
  submission: { id: string; accountId: string },
  additions: readonly Addition[],
  created: ReadonlySet<number>,
  stored: Promise<void>,
): Promise<{ replicated: ReadonlySet<string>; writing: Promise<void> }> {
  // An account with two kinds of evidence at a new point has two claims there, which are judged like any others.
  const claimsAt = Map.groupBy(additions, ({ results }) => `${results[0]?.pointId} ${results[0]?.status}`);
  const isAlone = ({ results }: Addition) =>
    results.every(({ pointId }) => created.has(pointId)) &&
    claimsAt.get(`${results[0]?.pointId} ${results[0]?.status}`)?.length === 1;
  const known = additions.filter((addition) => !isAlone(addition));
  const fresh = freshRows(additions.filter(isAlone));
  const ahead = await drawUntil(stored, fresh);
  const recount = known.length === 0 ? null : await addToKnownPoints(tx, known, submission);
  const write = async () => {
    if (recount !== null)
      await perAccount(tx, recount.gone, (at) => sql`delete from point_statistics t where ${at(sql`t`)}`);
    const touched = recount?.settled.touched ?? [];
    const points = additions.length - known.length + touched.length;
    await copyBatches(tx, pointStatistics, points, inTurn(ahead, fresh, rowsOf(touched)));
    if (recount !== null) await updateSettled(tx, recount.settled);
    await rankPoints(
      tx,
      additions.flatMap(({ results }) => results.slice(0, 1).map(({ pointId }) => pointId)),
    );
  };
  const replicated = (recount?.settled.touched ?? []).filter(({ trust }) => trust === 'replicated').map(claimKey);
  return { replicated: new Set(replicated), writing: write() };
}

/** Computes the statistics of points anew from their stored results, in the caller's transaction. */
export async function refreshPointStatistics(tx: Transaction, pointIds: readonly number[]): Promise<void> {
  const ids = [...new Set(pointIds)];
  await lockPoints(tx, ids);
  const claims = (await tx.execute(sql`
    select point_id::int as "pointId", status, account_id as account, own_trust as "ownTrust", count(*)::int as stored
    from results where point_id = any(${bigints(ids)}) and copy_of is null
    group by 1, 2, 3, 4`)) as unknown as StoredClaim[];
  await tx.execute(sql`delete from point_statistics where point_id = any(${bigints(ids)})`);
  // What does not count any more is trusted for itself again.
  await tx.execute(sql`
    update results set trust = own_trust
    where point_id = any(${bigints(ids)}) and (status <> 'accepted' or copy_of is not null) and trust <> own_trust`);
  const summaries: ClaimSummary[] = [];
  for (const claim of claims.filter(isFlooded)) {
    const summary = await sumUpInParts(tx, claim, null);
    if (summary !== null) summaries.push(summary);
  }
  for (const batch of batches(claims.filter((claim) => !isFlooded(claim)))) {
    summaries.push(...[...(await readAdditions(tx, batch, null)).values()].map(sumUp));
  }
  const settled = await judgePoints(tx, summaries, []);
  await copyRows(tx, pointStatistics, settled.touched.flatMap(toStatisticsRows));
  await updateSettled(tx, settled);
  await rankPoints(tx, ids);
}
