import { type SQL, sql } from 'drizzle-orm';
import type { Row } from './rows.ts';

/** Rows per statement: large enough to be fast, small enough for one parameter. */
const chunkRows = 2000;

/** An object any of whose statements run in the caller's transaction or connection. */
export interface Executor {
  execute(query: SQL): PromiseLike<unknown>;
}

/**
 * Inserts rows of any number through `jsonb_populate_recordset`: one parameter a statement whatever the width. Only
 * the named columns are set, so that defaults apply to the others. Answers the columns asked for in `returning`, of the
 * rows that were not there.
 */
export async function insertRows<T = never>(
  tx: Executor,
  table: string,
  columns: readonly string[],
  rows: readonly Row[],
  options: { onConflictDoNothing?: boolean; returning?: readonly (keyof T & string)[] } = {},
): Promise<T[]> {
  const list = (given: readonly string[]) =>
    sql.join(
      given.map((column) => sql.identifier(column)),
      sql`, `,
    );
  const names = list(columns);
  const conflict = options.onConflictDoNothing ? sql`on conflict do nothing` : sql``;
  const returning = options.returning ? sql`returning ${list(options.returning)}` : sql``;
  const returned: T[] = [];
  let running: Promise<unknown> = Promise.resolve([]);
  for (let start = 0; start < rows.length; start += chunkRows) {
    const chunk = JSON.stringify(rows.slice(start, start + chunkRows));
    // The database works on one chunk while the next becomes text.
    returned.push(...((await running) as T[]));
    running = Promise.resolve(
      tx.execute(sql`
        insert into ${sql.identifier(table)} (${names})
        select ${names} from jsonb_populate_recordset(null::${sql.identifier(table)}, ${chunk}::jsonb)
        ${conflict} ${returning}`),
    );
    // Heard by the await of the next round at the latest; until then nobody listens.
    running.catch(() => {});
  }
  returned.push(...((await running) as T[]));
  return returned;
}

/** Ids as one parameter, whatever their number: the client would make one of each. */
export function bigints(ids: readonly number[]): SQL {
  return sql`${`{${ids.join(',')}}`}::bigint[]`;
}
