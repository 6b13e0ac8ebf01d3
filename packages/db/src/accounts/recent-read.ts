import { atOnce, type Transaction } from '../connection/transaction.ts';
import { type ClaimSummary, newestMost } from '../point-statistics/claim-summary.ts';
import { ClaimWindow } from '../point-statistics/claim-window.ts';
import { claimKey, readClaimsAt } from '../points/point-statistics-read.ts';
import { listRecent, type RecentResult } from '../submissions/recent-results.ts';
import type { CachedClaim, RecentEntry, RecentResultsCache } from './recent-results-cache.ts';

/** An account at a point. */
export interface AccountPlace {
  pointId: number;
  account: string;
}

/** Stored points: all claims, and the newest results of the accounts that add to them. */
export interface StoredPoints {
  claims: ClaimSummary[];
  recentAt: Map<number, RecentResult[]>;
  /** Claims whose newest results are cached; key: `claimKey`. */
  windows: Map<string, ClaimWindow>;
}

/** The state of a cached entry relative to the database: unchanged, with added results, or invalid. */
function compare({ claims }: RecentEntry, stored: readonly ClaimSummary[]): 'same' | 'grown' | 'other' {
  const byKey = new Map(stored.map((claim) => [claimKey(claim), claim]));
  const isKept = claims.every(({ key, summedBy }) => byKey.get(key)?.summedBy === summedBy);
  const isSame =
    claims.length === stored.length && claims.every(({ key, writtenBy }) => byKey.get(key)?.writtenBy === writtenBy);
  if (isSame) return 'same';
  return isKept && claims.length > 0 ? 'grown' : 'other';
}

/**
 * Number of cached results among whose ids new results are looked for. A result that is stored later may have an earlier id.
 */
const overlap = 64;

/** The id after which new results are looked for, and the ids of cached results behind it, which are not read again. */
const newSince = ({ recent }: RecentEntry): { after: string; known: string[] } => ({
  after: recent.at(-overlap)?.id ?? '',
  known: recent.slice(-overlap).map(({ id }) => id),
});

/** Merges cached results with newer ones; null if some of the new results were not read. */
function catchUp(
  { pointId, account, claims, recent }: RecentEntry,
  stored: readonly ClaimSummary[],
  read: readonly RecentResult[],
): Pick<RecentEntry, 'recent' | 'claims'> | null {
  const fresh = read.filter(({ contribution: of }) => of.pointId === pointId && of.account === account);
  const byKey = Map.groupBy(fresh, ({ contribution }) => claimKey(contribution));
  const before = new Map(claims.map((claim) => [claim.key, claim]));
  const caughtUp: CachedClaim[] = [];
  for (const claim of stored) {
    const key = claimKey(claim);
    const added = (byKey.get(key) ?? []).map(({ contribution }) => contribution);
    const last = before.get(key);
    if (claim.results !== (last?.results ?? 0) + added.length) return null;
    const window = last?.window ?? (last === undefined ? ClaimWindow.of([]) : null);
    caughtUp.push({
      ...{ key, writtenBy: claim.writtenBy ?? '', summedBy: claim.summedBy ?? '', results: claim.results },
      window: window?.with(added) ?? null,
    });
  }
  const all = [...recent, ...fresh].sort((a, b) => (a.id < b.id ? -1 : 1));
  return { claims: caughtUp, recent: all.slice(-newestMost) };
}

/** Reads the stored state of points. For cached results, reads only newer ones. */
export async function readPoints(
  tx: Transaction,
  asked: readonly AccountPlace[],
  cache: RecentResultsCache | null,
): Promise<StoredPoints> {
  if (asked.length === 0) return { claims: [], recentAt: new Map(), windows: new Map() };
  const known = asked.map((place) => cache?.find(place) ?? null).filter((one) => one !== null);
  const unknown = asked.filter((place) => !cache?.find(place));
  const [claims, first] = await atOnce([
    readClaimsAt(tx, [...new Set(asked.map(({ pointId }) => pointId))]),
    unknown.length === 0 ? [] : listRecent(tx, unknown),
  ]);
  const claimsAt = Map.groupBy(claims, ({ pointId }) => pointId);
  const ofPlace = ({ pointId, account }: AccountPlace) =>
    (claimsAt.get(pointId) ?? []).filter((claim) => claim.account === account);
  const states = Map.groupBy(known, (one) => compare(one, ofPlace(one)));
  const grown = states.get('grown') ?? [];
  const since =
    grown.length === 0
      ? []
      : await listRecent(
          tx,
          grown.map((one) => ({ ...one, ...newSince(one) })),
        );
  const current: Pick<RecentEntry, 'recent' | 'claims'>[] = [...(states.get('same') ?? [])];
  const others = states.get('other') ?? [];
  for (const one of grown) {
    const now = catchUp(one, ofPlace(one), since);
    if (now === null) others.push(one);
    else current.push(now);
  }
  const again = others.length === 0 ? [] : await listRecent(tx, others);
  const recent = [...first, ...current.flatMap((one) => one.recent), ...again];
  const windows = current.flatMap((one) =>
    one.claims.flatMap(({ key, window }) => (window === null ? [] : [[key, window] as const])),
  );
  return {
    claims,
    recentAt: Map.groupBy(recent, ({ contribution }) => contribution.pointId),
    windows: new Map(windows),
  };
}
