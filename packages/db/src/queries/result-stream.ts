import type { Filters } from '@inferboard/core/filters/filters';
import type { Queryable } from '../transaction.ts';
import { listResults } from './result-list.ts';
import type { ResultRow } from './row-types.ts';

/** Results fetched at once: what a stream holds in memory, however long it gets. */
const chunkRows = 100;

/**
 * Results that meet the filters, newest first, chunk by chunk as they are taken; each comes once. No connection is held
 * while a reader takes his time: each chunk is a query, and the next one is under way while one is worked on.
 */
export async function* streamResults(db: Queryable, filters: Filters): AsyncGenerator<ResultRow[]> {
  const read = (after: string | null) => {
    const rows = listResults(db, { filters, limit: chunkRows, after });
    // A failure is told when the chunk is asked for, which may be never.
    rows.catch(() => {});
    return rows;
  };
  let next: Promise<ResultRow[]> | null = read(null);
  while (next !== null) {
    const rows: ResultRow[] = await next;
    const last = rows.at(-1);
    next = rows.length < chunkRows || last === undefined ? null : read(last.id);
    if (rows.length > 0) yield rows;
  }
}
