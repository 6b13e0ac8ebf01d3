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
 * the named columns are set, so that defaults apply to the others.
 */
export async function insertRows(
  tx: Executor,
  table: string,
  columns: readonly string[],
  rows: readonly Row[],
  options: { onConflictDoNothing?: boolean } = {},
): Promise<void> {
  const names = sql.join(
    columns.map((column) => sql.identifier(column)),
    sql`, `,
  );
  const conflict = options.onConflictDoNothing ? sql`on conflict do nothing` : sql``;
  for (let start = 0; start < rows.length; start += chunkRows) {
    const chunk = JSON.stringify(rows.slice(start, start + chunkRows));
    await tx.execute(sql`
      insert into ${sql.identifier(table)} (${names})
      select ${names} from jsonb_populate_recordset(null::${sql.identifier(table)}, ${chunk}::jsonb)
      ${conflict}`);
  }
}
