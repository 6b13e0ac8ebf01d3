import type { CheckedResult } from '@inferboard/core/subjects/result';
import { type AccountPlace, readPoints, type StoredPoints } from '../accounts/recent-read.ts';
import type { CachedClaim, RecentEntry, RecentResultsCache } from '../accounts/recent-results-cache.ts';
import type { Transaction } from '../connection/transaction.ts';
import { type ClaimSummary, newestMost } from '../point-statistics/claim-summary.ts';
import type { ClaimWindow } from '../point-statistics/claim-window.ts';
import { toContribution } from '../point-statistics/contribution.ts';
import { judgeSummaries } from '../point-statistics/judge.ts';
import { type Addition, claimKey } from '../points/point-statistics-read.ts';
import type { Located } from '../points/point-upsert.ts';
import { type ClaimUpdate, type NewResult, trustOf } from '../submissions/new-result.ts';
import { asRecent, findSameRun, isCompared, type RecentResult } from '../submissions/recent-results.ts';
import { isSameJudgement } from './choose-representatives.ts';
import { sumUp, sumUpWithAdditions } from './claim-sum.ts';

/** The effect of new results on claims. */
export interface ClaimChanges {
  /** New claims. */
  made: ClaimUpdate[];
  /** Stored claims that gained results. */
  grown: ClaimUpdate[];
  /** Stored claims that other claims changed. */
  changed: { before: ClaimSummary; after: ClaimSummary }[];
  /** Entries to cache after the commit. */
  cacheEntries: RecentEntry[];
}

/** The cache of a transaction. */
export interface TransactionCache {
  cache: RecentResultsCache;
  /** Id of the transaction. */
  xid: string;
}

/** Number of points to read and compute at once. */
const pointsAtOnce = 200;

function addTo(addition: Addition, result: CheckedResult, place: Parameters<typeof toContribution>[1]): void {
  addition.results.push(toContribution(result, place));
  for (const { severity } of result.findings) {
    if (severity === 'unchecked') continue;
    addition.findings += 1;
    if (severity !== 'info') addition.warnings += 1;
  }
}

const newClaim = (key: ClaimUpdate['key'], stored: ClaimSummary | null): ClaimUpdate => ({
  key,
  stored,
  added: { results: [], findings: 0, warnings: 0 },
  now: null,
  isStale: false,
});

const keyOf = ({ place, accountId, result }: NewResult): ClaimUpdate['key'] => ({
  pointId: place.id,
  status: result.status,
  account: accountId,
  ownTrust: result.trust,
});

const placeOf = ({ pointId, status }: ClaimUpdate['key']) => `${pointId} ${status}`;

/** A claim including all additions so far. */
export const sumOf = (claim: ClaimUpdate): ClaimSummary =>
  claim.now !== null && !claim.isStale ? claim.now : sumUp(claim.added);

/** True if the catalogue has the model, GPU and quantization: two unspecified values may differ. */
function isNamed({ factsOf }: Located, { place }: NewResult): boolean {
  const { system } = factsOf(place);
  return system.model_id !== null && system.gpu_id !== null && system.quantization_id !== null;
}

/** Points with their claims and the newest results of the accounts that add to them. */
interface Points {
  claims: Map<string, ClaimUpdate>;
  /** Key: point and status. */
  beside: Map<string, ClaimUpdate[]>;
  recentAt: Map<number, RecentResult[]>;
  /** The newest results of claims, if known, including additions. */
  windows: Map<string, ClaimWindow | null>;
}

/** Distinct pairs of account and point. */
function placesOf(results: readonly NewResult[]): AccountPlace[] {
  const places = results.map(({ place, accountId }) => ({ pointId: place.id, account: accountId }));
  return [...new Map(places.map((place) => [`${place.pointId} ${place.account}`, place])).values()];
}

function toPoints({ claims: stored, recentAt, windows }: StoredPoints): Points {
  const claims = stored.map((claim) => newClaim(claim, claim));
  return {
    claims: new Map(claims.map((claim) => [claimKey(claim.key), claim])),
    beside: Map.groupBy(claims, ({ key }) => placeOf(key)),
    ...{ recentAt, windows },
  };
}

/** Cache entries for points that were known. Claims written now get the id of this transaction. */
function cacheEntriesOf(
  { claims, recentAt, windows }: Points,
  places: readonly AccountPlace[],
  xid: string,
): RecentEntry[] {
  const isWritten = ({ stored, now, added }: ClaimUpdate) =>
    stored === null || added.results.length > 0 || (now !== null && !isSameJudgement(stored, now));
  const claimsAt = Map.groupBy(claims.values(), ({ key }) => key.pointId);
  return places.map(({ pointId, account }) => ({
    ...{ pointId, account, recent: recentAt.get(pointId) ?? [] },
    claims: (claimsAt.get(pointId) ?? [])
      .filter(({ key }) => key.account === account)
      .map((claim): CachedClaim => {
        const key = claimKey(claim.key);
        return {
          ...{ key, window: windows.get(key) ?? null },
          writtenBy: isWritten(claim) ? xid : (claim.stored?.writtenBy ?? ''),
          summedBy: claim.stored === null ? xid : (claim.stored.summedBy ?? ''),
          results: (claim.stored?.results ?? 0) + claim.added.results.length,
        };
      }),
  }));
}

/** Adds the results of one upload to the claims of their points. Returns the claims that grew. */
function join({ claims, beside, recentAt }: Points, upload: readonly NewResult[]): Set<ClaimUpdate> {
  const grown = new Set<ClaimUpdate>();
  for (const one of upload) {
    // A known copy remains one.
    one.first ??= findSameRun(recentAt.get(one.place.id) ?? [], one);
    if (one.first !== null) continue;
    const key = keyOf(one);
    const known = claims.get(claimKey(key));
    const claim = known ?? newClaim(key, null);
    if (known === undefined) {
      claims.set(claimKey(key), claim);
      beside.set(placeOf(key), [...(beside.get(placeOf(key)) ?? []), claim]);
    }
    addTo(claim.added, one.result, { id: one.id, pointId: one.place.id, account: one.accountId });
    claim.isStale = true;
    one.claim = claim;
    grown.add(claim);
  }
  return grown;
}

/**
 * Adds uploads to the claims of their points one after the other, so that each sees the earlier ones, stored or not. The caller
 * must hold the points' locks unless this transaction created the points. Sets each result's original, claim and trust.
 */
export async function addToClaims(
  tx: Transaction,
  uploads: readonly (readonly NewResult[])[],
  located: Located,
  caching: TransactionCache | null,
): Promise<ClaimChanges> {
  const changes: ClaimChanges = { made: [], grown: [], changed: [], cacheEntries: [] };
  const all = uploads.flat();
  const ids = [...new Set(all.map(({ place }) => place.id))];
  const isRead = ({ place, first }: NewResult) => first === null && !located.created.has(place.id);
  for (let start = 0; start < ids.length; start += pointsAtOnce) {
    const batch = new Set(ids.slice(start, start + pointsAtOnce));
    const inBatch = ({ place }: NewResult) => batch.has(place.id);
    const parts = ids.length <= pointsAtOnce ? uploads : uploads.map((upload) => upload.filter(inBatch));
    const places = placesOf(parts.flat().filter(isRead));
    const points = toPoints(await readPoints(tx, places, caching?.cache ?? null));
    const recentOf = new Map(points.recentAt);
    const windowOf = new Map(points.windows);
    const sum = async (claim: ClaimUpdate) => {
      const key = claimKey(claim.key);
      if (claim.isStale || claim.now === null) {
        const window = windowOf.get(key) ?? null;
        const at = window === null ? (recentOf.get(claim.key.pointId) ?? []) : [];
        const recent = at.map(({ contribution }) => contribution).filter((one) => claimKey(one) === key);
        const grown = await sumUpWithAdditions(tx, claim, { recent, window });
        claim.now = grown.sum;
        points.windows.set(key, grown.window);
      }
      claim.isStale = false;
      return claim.now;
    };
    for (const upload of parts) {
      const grown = join(points, upload);
      const named = new Map(upload.map((one) => [one.place.id, one]));
      for (const place of new Set([...grown].map(({ key }) => placeOf(key)))) {
        const beside = points.beside.get(place) ?? [];
        const [first] = beside;
        const one = first && named.get(first.key.pointId);
        if (beside.length < 2 || one === undefined) continue;
        const sums: ClaimSummary[] = [];
        for (const claim of beside) sums.push(await sum(claim));
        const judged = judgeSummaries(sums, isNamed(located, one));
        for (const [at, claim] of beside.entries()) claim.now = judged[at] ?? claim.now;
      }
      for (const one of upload) {
        one.trust = one.claim !== null && !one.claim.isStale ? trustOf(one) : one.result.trust;
        const isLast = uploads.length === 1 && caching === null;
        if (isLast || one.first !== null || !isCompared(one.result.status)) continue;
        const recent = points.recentAt.get(one.place.id) ?? [];
        points.recentAt.set(one.place.id, [...recent, asRecent(one)].slice(-newestMost));
      }
    }
    for (const claim of points.claims.values()) {
      const isGrown = claim.added.results.length > 0;
      if (claim.stored === null) changes.made.push(claim);
      else if (isGrown) {
        await sum(claim);
        changes.grown.push(claim);
      } else if (claim.now !== null && !isSameJudgement(claim.stored, claim.now)) {
        changes.changed.push({ before: claim.stored, after: claim.now });
      }
    }
    if (caching !== null) changes.cacheEntries.push(...cacheEntriesOf(points, places, caching.xid));
  }
  return changes;
}
