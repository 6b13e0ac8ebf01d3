import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getTableName, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Row } from '../connection/rows.ts';
import { toQuery } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { columnList, columnTypes, insertRows, writtenColumns } from './bulk.ts';
import { copyHead, copyTail, putterOf, toBinary } from './copy-binary.ts';

type Layout = Parameters<typeof toBinary>[0];

const layouts = new WeakMap<PgTable, Layout>();

/** All columns except those that the database fills. */
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

/** A running COPY into a table. */
export interface Copy {
  /** Resolves when it accepts more rows. */
  write(rows: readonly Row[]): Promise<void>;
  /** Resolves when all rows are in the table. */
  end(): Promise<void>;
}

/**
 * Inserts rows by COPY, which takes the database half the time of an INSERT: it parses no JSON and works while further rows are
 * produced. Until `end`, the transaction can run nothing else. A value that a row lacks is null; columns with defaults are
 * omitted. `given` lists the columns that rows may have, if known: in tables as wide as the registry most are absent.
 */
export async function openCopy(tx: Transaction, table: PgTable, given?: ReadonlySet<string>): Promise<Copy> {
  const columns = layoutOf(table).filter(([name]) => given?.has(name) ?? true);
  const stream = await tx.$client.unsafe(statementFor(table, columns)).writable();
  const done = finished(stream);
  // Reported to the next call that waits.
  done.catch(() => {});
  stream.write(copyHead);
  return {
    async write(rows) {
      let bytes: Uint8Array;
      try {
        bytes = toBinary(columns, rows);
      } catch (error) {
        // Otherwise the connection would wait for more data, and the end of the transaction for the connection.
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

/** Rows per write. */
const batchRows = 1000;

/**
 * Up to this many rows, an INSERT is faster: the last packet of a COPY is delayed by 40 ms until the database acknowledges the
 * rows. Nagle's algorithm meets delayed acknowledgements, and the client has no setting for it.
 */
export const fewRows = 250;

/** Inserts `expected` rows by the faster method for that number. The constraints of `openCopy` apply. */
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

/** Inserts rows batch by batch while the database stores earlier batches; see `openInsert`. */
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

/** Inserts an array of rows; see `openInsert`. */
export async function copyRows(tx: Transaction, table: PgTable, rows: readonly Row[]): Promise<void> {
  await copyBatches(tx, table, rows.length, batchesOf(rows));
}
