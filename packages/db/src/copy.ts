import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getTableName, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { columnList, columnTypes, insertRows, writtenColumns } from './bulk.ts';
import { copyHead, copyTail, putterOf, toBinary } from './copy-binary.ts';
import type { Row } from './rows.ts';
import { clientOf, toQuery } from './statement.ts';
import type { Transaction } from './transaction.ts';

type Layout = Parameters<typeof toBinary>[0];

const layouts = new WeakMap<PgTable, Layout>();

/** All columns but those that the database fills. */
function layoutOf(table: PgTable): Layout {
  const layout =
    layouts.get(table) ??
    writtenColumns(table).map((name) => [name, putterOf(columnTypes(table).get(name) ?? '')] as const);
  layouts.set(table, layout);
  return layout;
}

function statementFor(table: PgTable, columns: Layout): string {
  const names = columnList(columns.map(([name]) => name));
  return toQuery(sql`copy ${sql.identifier(getTableName(table))} (${names}) from stdin (format binary)`).sql;
}

/** Rows on their way into a table. */
export interface Copy {
  /** Resolves when more can be taken. */
  write(rows: readonly Row[]): Promise<void>;
  /** Resolves when all are in the table. */
  end(): Promise<void>;
}

/**
 * Inserts rows by COPY, which takes the database half the time of an INSERT: it parses no document, and works while rows are
 * still made. Until `end` the transaction can run nothing else. A value that a row lacks is null; columns with defaults
 * are left to them. `given` are the columns that rows may have, where that is known: of a table as wide as the registry
 * most are missing.
 */
export async function openCopy(tx: Transaction, table: PgTable, given?: ReadonlySet<string>): Promise<Copy> {
  const columns = layoutOf(table).filter(([name]) => given?.has(name) ?? true);
  const stream = await clientOf(tx).unsafe(statementFor(table, columns)).writable();
  const done = finished(stream);
  // Reported to the next request that waits.
  done.catch(() => {});
  stream.write(copyHead);
  return {
    async write(rows) {
      let bytes: Uint8Array;
      try {
        bytes = toBinary(columns, rows);
      } catch (error) {
        // Without it the connection would wait for the rest, and whoever ends the transaction for the connection.
        stream.destroy(error instanceof Error ? error : new Error(String(error)));
        throw error;
      }
      if (!stream.write(bytes)) await Promise.race([once(stream, 'drain'), done]);
      await nextTurn();
    },
    async end() {
      stream.end(copyTail);
      await done;
    },
  };
}

/** Rows that are written at once. */
const batchRows = 1000;

/**
 * Rows up to which an INSERT is done sooner: the end of a COPY leaves only when the database has acknowledged the rows,
 * which it delays by 40 ms (Nagle's algorithm meets delayed acknowledgements; the client has no setting for it).
 */
export const fewRows = 250;

/** Inserts `expected` rows, the fast way for their number; what holds of `openCopy` holds here. */
export async function openInsert(
  tx: Transaction,
  table: PgTable,
  expected: number,
  given?: ReadonlySet<string>,
): Promise<Copy> {
  if (expected > fewRows) return await openCopy(tx, table, given);
  return {
    write: async (rows) => void (await insertRows(tx, table, rows)),
    end: async () => {},
  };
}

/** Inserts rows that are made batch by batch while the database stores those before, as `openInsert` does. */
export async function copyBatches(
  tx: Transaction,
  table: PgTable,
  expected: number,
  batches: Iterable<readonly Row[]>,
): Promise<void> {
  if (expected === 0) return;
  const insert = await openInsert(tx, table, expected);
  for (const batch of batches) await insert.write(batch);
  await insert.end();
}

function* batchesOf(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let start = 0; start < rows.length; start += batchRows) yield rows.slice(start, start + batchRows);
}

/** Inserts rows that are all there, as `openInsert` does. */
export async function copyRows(tx: Transaction, table: PgTable, rows: readonly Row[]): Promise<void> {
  await copyBatches(tx, table, rows.length, batchesOf(rows));
}
