import type { Database } from '../connection/client.ts';
import type { ClaimWindow } from '../point-statistics/claim-window.ts';
import type { RecentResult } from '../submissions/recent-results.ts';

/** The cached state of a claim. */
export interface CachedClaim {
  /** Key: `claimKey`. */
  key: string;
  /** Ids of the transactions that last wrote the claim and last computed it from its results. */
  writtenBy: string;
  summedBy: string;
  results: number;
  window: ClaimWindow | null;
}

/** The newest results of an account at a point, and the claims that contain them. */
export interface RecentEntry {
  pointId: number;
  account: string;
  claims: readonly CachedClaim[];
  recent: readonly RecentResult[];
}

/** Maximum number of cached results. */
const resultsMax = 10_000;

const keyOf = ({ pointId, account }: Pick<RecentEntry, 'pointId' | 'account'>) => `${pointId} ${account}`;

/**
 * Caches the newest results at points that this process wrote recently, so that uploads to busy points do not read them again.
 * An entry is valid while the account's claims at the point are unchanged. If they only gained results, the new results are
 * read.
 */
export class RecentResultsCache {
  #entries = new Map<string, RecentEntry>();
  #results = 0;

  find(place: Pick<RecentEntry, 'pointId' | 'account'>): RecentEntry | null {
    return this.#entries.get(keyOf(place)) ?? null;
  }

  /** Caches what a transaction wrote. Call it after the commit. */
  store(all: readonly RecentEntry[]): void {
    for (const one of all) {
      this.#drop(keyOf(one));
      this.#entries.set(keyOf(one), one);
      this.#results += one.recent.length;
    }
    // Evict the oldest entries first.
    for (const key of this.#entries.keys()) {
      if (this.#results <= resultsMax) break;
      this.#drop(key);
    }
  }

  #drop(key: string): void {
    this.#results -= this.#entries.get(key)?.recent.length ?? 0;
    this.#entries.delete(key);
  }
}

const caches = new WeakMap<Database['db'], RecentResultsCache>();

/** The cache for a database, shared by all writers in this process. */
export function recentResultsCacheOf(db: Database['db']): RecentResultsCache {
  const cache = caches.get(db) ?? new RecentResultsCache();
  caches.set(db, cache);
  return cache;
}
