import type { Database } from '../client.ts';
import type { ClaimWindow } from '../point-statistics/claim-window.ts';
import type { RecentResult } from './recent-results.ts';

/** A claim as it was left. */
export interface KnownClaim {
  /** By `claimKey`. */
  key: string;
  /** The transactions that wrote it last, and that summed it up from its results. */
  writtenBy: string;
  summedBy: string;
  results: number;
  window: ClaimWindow | null;
}

/** The newest results of an account at a point, and its claims there that they belong to. */
export interface Remembered {
  pointId: number;
  account: string;
  claims: readonly KnownClaim[];
  recent: readonly RecentResult[];
}

/** Results that are remembered, at most. */
const resultsMost = 10_000;

const keyOf = ({ pointId, account }: Pick<Remembered, 'pointId' | 'account'>) => `${pointId} ${account}`;

/**
 * The newest results at points that this process stored something at lately: points that are busy are not read again with
 * every upload. What is remembered holds as long as the account's claims at the point are those it was remembered with; where
 * they only have more results, those are read.
 */
export class RecentMemory {
  #held = new Map<string, Remembered>();
  #results = 0;

  find(place: Pick<Remembered, 'pointId' | 'account'>): Remembered | null {
    return this.#held.get(keyOf(place)) ?? null;
  }

  /** Keeps what a transaction has left, once it is committed. */
  keep(all: readonly Remembered[]): void {
    for (const one of all) {
      this.#drop(keyOf(one));
      this.#held.set(keyOf(one), one);
      this.#results += one.recent.length;
    }
    // Those that were kept first go first.
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

/** The memory of all who store in a database, in this process. */
export function recentMemoryOf(db: Database['db']): RecentMemory {
  const memory = memories.get(db) ?? new RecentMemory();
  memories.set(db, memory);
  return memory;
}
