import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Transaction } from './client.ts';
import { codesOf, isConflict } from './errors.ts';

export type { Transaction };

/** Whatever can run a query: the pool, or a transaction. */
export type Queryable = Database['db'] | Transaction;

/** How often a transaction is tried again that others made fail. */
const retriesMax = 3;

/** Runs work in one transaction, and once more where others made it fail: all of it is there after the commit, or none. */
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

/** True where a statement failed only because an earlier one of its transaction did. */
const isAftermath = (error: unknown): boolean => [...codesOf(error)].includes('25P02');

/**
 * Statements of one transaction that are sent without waiting for each other's answers, and what follows from those.
 * Waits for all of it even where some fails: what went on after the end of the transaction would be sent to a connection
 * that belongs to others by then. Throws what failed first, whatever its place in the list.
 */
export async function atOnce<T extends readonly unknown[] | []>(
  work: T,
): Promise<{ -readonly [P in keyof T]: Awaited<T[P]> }> {
  // drizzle runs a query each time it is awaited: each becomes one promise here.
  const running = work.map((each) => Promise.resolve(each));
  for (const outcome of await Promise.allSettled(running)) {
    if (outcome.status === 'rejected' && !isAftermath(outcome.reason)) throw outcome.reason;
  }
  return (await Promise.all(running)) as { -readonly [P in keyof T]: Awaited<T[P]> };
}

/** What a caller adds to the transaction of a change, once it is made and before it is committed. */
export type Done = (tx: Transaction) => Promise<void>;
export const nothingMore: Done = async () => {};
