import { setImmediate as nextTurn } from 'node:timers/promises';
import { getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm';
import { toSnakeCase } from 'drizzle-orm/casing';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Row } from '../connection/rows.ts';
import { prepared, value } from '../connection/statement.ts';
import { atOnce, type Queryable } from '../connection/transaction.ts';

/** Rows per statement: enough for speed, and small enough for one parameter. */
const chunkRows = 1000;

/** An object whose statements all run in the caller's transaction or connection. */
export interface Executor {
  execute(query: SQL): PromiseLike<unknown>;
}

const typesOf = new WeakMap<PgTable, ReadonlyMap<string, string>>();

/** SQL types of the columns, by database name. */
export function columnTypes(table: PgTable): ReadonlyMap<string, string> {
  const types =
    typesOf.get(table) ??
    new Map(Object.values(getTableColumns(table)).map((column) => [toSnakeCase(column.name), column.getSQLType()]));
  typesOf.set(table, types);
  return types;
}

/**
 * Column names as one SQL fragment: assembling a statement from hundreds of fragments can take longer than running it. Never
 * pass user input.
 *
 * @param each formats a column from its quoted name
 */
export function columnList(columns: Iterable<string>, each: (quoted: string, column: string) => string = String): SQL {
  return sql.raw(Array.from(columns, (column) => each(`"${column}"`, column)).join(', '));
}

/**
 * Inserts any number of rows as JSON, with one parameter per statement regardless of width. Names only columns that some row
 * has: in tables as wide as the registry most are absent, and defaults apply to them. Returns the `returning` columns of the
 * inserted rows.
 */
export async function insertRows<T = never>(
  tx: Executor,
  table: PgTable,
  rows: readonly Row[],
  options: { onConflictDoNothing?: boolean; returning?: readonly (keyof T & string)[] } = {},
): Promise<T[]> {
  const types = columnTypes(table);
  const conflict = options.onConflictDoNothing ? sql`on conflict do nothing` : sql``;
  const returning = options.returning ? sql`returning ${columnList(options.returning)}` : sql``;
  const running: Promise<unknown>[] = [];
  for (let start = 0; start < rows.length; start += chunkRows) {
    const chunk = rows.slice(start, start + chunkRows);
    const given = new Set(chunk.flatMap((row) => Object.keys(row)));
    const columns = [...types.keys()].filter((column) => given.has(column));
    const names = columnList(columns);
    const typed = typedColumns(table, columns);
    const statement = sql`
      insert into ${sql.identifier(getTableName(table))} (${names})
      select ${names} from jsonb_to_recordset(${JSON.stringify(chunk)}::jsonb) as given (${typed})
      ${conflict} ${returning}`;
    const storing = Promise.resolve(tx.execute(statement));
    // The error is reported below, with later ones.
    storing.catch(() => {});
    running.push(storing);
    // All chunks are in flight at once, in order: the database works on one while the next is serialized. Yielding sends it
    // now; otherwise the client would copy all pending data with every added statement.
    if (start + chunkRows < rows.length) await nextTurn();
  }
  return ((await atOnce(running)) as T[][]).flat();
}

/** The columns of a table that the database does not fill. */
export const writtenColumns = (table: PgTable): string[] =>
  Object.values(getTableColumns(table))
    .filter((column) => !column.hasDefault && column.generatedIdentity === undefined)
    .map((column) => toSnakeCase(column.name));

/** Columns with types, for the record definition of JSON rows. */
export function typedColumns(table: PgTable, columns: Iterable<string>): SQL {
  const types = columnTypes(table);
  return columnList(columns, (quoted, column) => `${quoted} ${types.get(column)}`);
}

/** Describes the rows that a prepared statement inserts. */
export interface Insertion {
  table: PgTable;
  /** All columns are named; a column that a row lacks becomes null. */
  columns: readonly string[];
  /** The `on conflict` clause. */
  onConflict?: SQL;
}

/** Inserts the rows of a prepared statement's JSON parameter. */
export function insertionOf({ table, columns, onConflict = sql`` }: Insertion, name: string): SQL {
  const names = columnList(columns);
  return sql`
    insert into ${sql.identifier(getTableName(table))} (${names})
    select ${names} from jsonb_to_recordset(${value(name)}::jsonb) as given (${typedColumns(table, columns)})
    ${onConflict}`;
}

/** A prepared statement that inserts rows as JSON. */
export function preparedInsert(insertion: Insertion): (db: Queryable, rows: readonly Row[]) => Promise<void> {
  const insert = prepared<{ rows: string }>(insertionOf(insertion, 'rows'));
  return async (db, rows) => {
    const running: Promise<unknown>[] = [];
    for (let start = 0; start < rows.length; start += chunkRows)
      running.push(insert(db, { rows: JSON.stringify(rows.slice(start, start + chunkRows)) }));
    await atOnce(running);
  };
}

/** Ids as array text: a single parameter, while the client would create one per id. */
export const idArray = (ids: readonly number[]): string => `{${ids.join(',')}}`;

/** Words as array text. */
export const wordArray = (words: readonly string[]): string =>
  `{${words.map((word) => JSON.stringify(word)).join(',')}}`;

/** Ids as one parameter, for any number of them. */
export const bigints = (ids: readonly number[]): SQL => sql`${idArray(ids)}::bigint[]`;

/** Small ids as one parameter. */
export const ints = (ids: readonly number[]): SQL => sql`${idArray(ids)}::int[]`;

/** Words as one parameter, for any number of them. */
export const texts = (words: readonly string[]): SQL => sql`${wordArray(words)}::text[]`;
