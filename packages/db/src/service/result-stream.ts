import type { Filters } from '@inferboard/core/filters/filters';
import type { ResultRow } from '../boards/lists/row-types.ts';
import type { Database } from '../connection/client.ts';
import { listResults, narrowResults } from '../submissions/result-list.ts';

/** Results per query, which bounds a stream's memory. */
const chunkRows = 100;

/**
 * Streams results that match the filters in chunks, newest first, each once. No connection is held between chunks: each is a
 * separate query, and the next one runs while the caller processes the current one.
 */
export async function* streamResults(db: Database['db'], filters: Filters): AsyncGenerator<ResultRow[]> {
  const narrowed = await narrowResults(db, { filters });
  const read = (after: string | null) => {
    const rows = listResults(db, { filters, limit: chunkRows, after }, narrowed);
    // The error is thrown when the caller requests the chunk, which may never happen.
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
