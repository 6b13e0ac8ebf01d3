import { type SQL, sql } from 'drizzle-orm';
import type { Database, Transaction } from '../connection/client.ts';
import { takeRows } from '../copy/take-rows.ts';

/** PostgreSQL ends a transaction that is idle for this long. A live process ends it earlier. */
const idle_ms = 90_000;

/** A reader did not read a snapshot within the time limit. */
export class SnapshotExpired extends Error {}

/**
 * Runs reads in one snapshot on a separate connection, regardless of concurrent commits. A caller that stops early must
 * `return` the generator, as `for await` does, to release the connection.
 */
export async function* streamSnapshot<T>(
  db: Database['db'],
  read: (tx: Transaction) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const opened = Promise.withResolvers<Transaction>();
  const ended = Promise.withResolvers<void>();
  // The transaction lasts as long as its callback, which waits until the reader is done.
  const transaction = db.transaction(
    async (tx) => {
      // Does not take the snapshot; the reader's first query does.
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
    // Nothing was written, so a failed end loses nothing. A failed read has thrown its own error.
    await transaction.catch(() => {});
  }
}

/**
 * Streams the rows of a query in chunks, through a cursor of the transaction, in the query's order.
 *
 * @throws SnapshotExpired if rows are left after `lasts_ms`
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
      // The cast matches the query's row type.
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
    // A failed transaction accepts no statements, and closes its cursors.
    if (!isFailed) await tx.execute(sql`close streamed`);
  }
}
