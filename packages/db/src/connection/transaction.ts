import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Transaction } from './client.ts';
import { codesOf, isConflict } from './errors.ts';

export type { Transaction };

/** Runs queries: the pool or a transaction. */
export type Queryable = Database['db'] | Transaction;

/** Maximum retries of a transaction that failed because of concurrent ones. */
const retriesMax = 3;

/** Runs work in one transaction, and retries it if concurrent transactions made it fail. The work is atomic. */
export async function transact<T>(db: Database['db'], work: (tx: Transaction) => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await db.transaction(work);
    } catch (error) {
      if (attempt === retriesMax || !isConflict(error)) throw error;
      await sleep(20 * 2 ** attempt * (0.5 + Math.random()));
    }
  }
}

/** True if a statement failed only because an earlier one of its transaction did. */
const isAftermath = (error: unknown): boolean => [...codesOf(error)].includes('25P02');

/**
 * Runs statements of one transaction without waiting for each response, and work that depends on them. Waits for all of them
 * even if one fails: a statement after the end of the transaction would run on a connection that another caller has by then.
 * Throws the first failure in time.
 */
export async function atOnce<T extends readonly unknown[] | []>(
  work: T,
): Promise<{ -readonly [P in keyof T]: Awaited<T[P]> }> {
  // drizzle runs a query each time it is awaited, so each is converted to one promise.
  const running = work.map((each) => Promise.resolve(each));
  for (const outcome of await Promise.allSettled(running)) {
    if (outcome.status === 'rejected' && !isAftermath(outcome.reason)) throw outcome.reason;
  }
  return (await Promise.all(running)) as { -readonly [P in keyof T]: Awaited<T[P]> };
}

/** Work that a caller adds to a change's transaction, before the commit. */
export type Done = (tx: Transaction) => Promise<void>;
export const nothingMore: Done = async () => {};
