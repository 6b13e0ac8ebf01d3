import type { Database } from '../connection/client.ts';
import type { ClaimWindow } from '../point-statistics/claim-window.ts';
import type { RecentResult } from '../submissions/recent-results.ts';

/** The cached state of a claim. */
export interface KnownClaim {
  /** Key: `claimKey`. */
  key: string;
  /** Ids of the transactions that last wrote the claim and last computed it from its results. */
  writtenBy: string;
  summedBy: string;
  results: number;
  window: ClaimWindow | null;
}

/** The newest results of an account at a point, and the claims that contain them. */
export interface Remembered {
  pointId: number;
  account: string;
  claims: readonly KnownClaim[];
  recent: readonly RecentResult[];
}

/** Maximum number of cached results. */
const resultsMost = 10_000;

const keyOf = ({ pointId, account }: Pick<Remembered, 'pointId' | 'account'>) => `${pointId} ${account}`;

/**
 * Caches the newest results at points that this process wrote recently, so that uploads to busy points do not read them again.
 * An entry is valid while the account's claims at the point are unchanged. If they only gained results, the new results are
 * read.
 */
export class RecentMemory {
  #held = new Map<string, Remembered>();
  #results = 0;

  find(place: Pick<Remembered, 'pointId' | 'account'>): Remembered | null {
    return this.#held.get(keyOf(place)) ?? null;
  }

  /** Caches what a transaction wrote. Call it after the commit. */
  keep(all: readonly Remembered[]): void {
    for (const one of all) {
      this.#drop(keyOf(one));
      this.#held.set(keyOf(one), one);
      this.#results += one.recent.length;
    }
    // Evict the oldest entries first.
    for (const key of this.#held.keys()) {
      if (this.#results <= resultsMost) break;
      this.#drop(key);
    }
  }

  #drop(key: string): void {
    this.#results -= this.#held.get(key)?.recent.length ?? 0;
    this.#held.delete(key);
  }
}

const memories = new WeakMap<Database['db'], RecentMemory>();

/** The cache for a database, shared by all writers in this process. */
export function recentMemoryOf(db: Database['db']): RecentMemory {
  const memory = memories.get(db) ?? new RecentMemory();
  memories.set(db, memory);
  return memory;
}
