import { type SQL, sql } from 'drizzle-orm';
import type { Database, Transaction } from '../client.ts';
import { takeRows } from '../take-rows.ts';

/** Postgres ends a transaction that we left alone for so long: we would have ended it before, were we still there. */
const idle_ms = 90_000;

/** A reader did not take all of a snapshot in time. */
export class SnapshotExpired extends Error {}

/**
 * Runs reads of one moment, whatever others commit meanwhile, on a connection of its own. Whoever stops reading early
 * must `return` the generator, as `for await` does: that gives the connection back.
 */
export async function* streamSnapshot<T>(
  db: Database['db'],
  read: (tx: Transaction) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const opened = Promise.withResolvers<Transaction>();
  const ended = Promise.withResolvers<void>();
  // The transaction lasts as long as its callback does, which is until the reader is done.
  const transaction = db.transaction(
    async (tx) => {
      // No query: the moment that is read is that of the reader's first.
      await tx.execute(sql.raw(`set local idle_in_transaction_session_timeout = ${idle_ms}`));
      opened.resolve(tx);
      await ended.promise;
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
  transaction.catch(opened.reject);
  try {
    yield* read(await opened.promise);
  } finally {
    ended.resolve();
    // Nothing was written, so nothing is lost if the end fails; a read that failed has told its own error.
    await transaction.catch(() => {});
  }
}

/**
 * The rows of a query, chunk by chunk as they are taken, by a cursor of the transaction's. They keep the query's order.
 *
 * @throws SnapshotExpired once `lasts_ms` have passed and rows are left
 */
export async function* streamRows<T>(
  tx: Transaction,
  query: SQL,
  { chunkRows, lasts_ms }: { chunkRows: number; lasts_ms: number },
): AsyncGenerator<T[]> {
  const expires = performance.now() + lasts_ms;
  await tx.execute(sql`declare streamed no scroll cursor for ${query}`);
  let isFailed = false;
  try {
    for (;;) {
      // The query answers these rows.
      const answer = (await tx.execute(
        sql`fetch forward ${sql.raw(String(chunkRows))} from streamed`,
      )) as unknown as T[];
      const rows = takeRows(answer);
      if (rows.length > 0) yield rows;
      if (rows.length < chunkRows) return;
      if (performance.now() > expires) throw new SnapshotExpired('The rows were not read in time.');
    }
  } catch (error) {
    isFailed = true;
    throw error;
  } finally {
    // A transaction that failed takes no more statements, and ends its cursors.
    if (!isFailed) await tx.execute(sql`close streamed`);
  }
}
