import type { Filters } from '@inferboard/core/filters/filters';
import type { Database } from '../client.ts';
import { listResults, narrowResults } from './result-list.ts';
import type { ResultRow } from './row-types.ts';

/** Results fetched at once: what a stream holds in memory, however long it gets. */
const chunkRows = 100;

/**
 * Results that meet the filters, newest first, chunk by chunk as they are taken; each comes once. No connection is held
 * while a reader takes his time: each chunk is a query, and the next one is under way while one is worked on.
 */
export async function* streamResults(db: Database['db'], filters: Filters): AsyncGenerator<ResultRow[]> {
  const narrowed = await narrowResults(db, { filters });
  const read = (after: string | null) => {
    const rows = listResults(db, { filters, limit: chunkRows, after }, narrowed);
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
