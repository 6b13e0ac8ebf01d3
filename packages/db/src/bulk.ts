import { setImmediate as nextTurn } from 'node:timers/promises';
import { getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm';
import { toSnakeCase } from 'drizzle-orm/casing';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Row } from './rows.ts';
import { prepared, value } from './statement.ts';
import { atOnce, type Queryable } from './transaction.ts';

/** Rows per statement: large enough to be fast, small enough for one parameter. */
const chunkRows = 1000;

/** An object any of whose statements run in the caller's transaction or connection. */
export interface Executor {
  execute(query: SQL): PromiseLike<unknown>;
}

const typesOf = new WeakMap<PgTable, ReadonlyMap<string, string>>();

/** The SQL type of each column, by its name in the database. */
export function columnTypes(table: PgTable): ReadonlyMap<string, string> {
  const types =
    typesOf.get(table) ??
    new Map(Object.values(getTableColumns(table)).map((column) => [toSnakeCase(column.name), column.getSQLType()]));
  typesOf.set(table, types);
  return types;
}

/**
 * Columns of our own tables as one piece of a statement: put together from hundreds of pieces, a statement takes longer to
 * make than most take to answer. Never for a name that came from without.
 *
 * @param each what stands for a column, from its quoted name
 */
export function columnList(columns: Iterable<string>, each: (quoted: string, column: string) => string = String): SQL {
  return sql.raw(Array.from(columns, (column) => each(`"${column}"`, column)).join(', '));
}

/**
 * Inserts rows of any number as JSON: one parameter a statement whatever the width. Only columns that a row has are
 * named: of a table as wide as the registry most are missing, and defaults apply to them. Answers the columns asked for in
 * `returning`, of the rows that were not there.
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
    // Told below, with those that follow.
    storing.catch(() => {});
    running.push(storing);
    // All are under way at once, in order: the database works on one chunk while the next becomes text. It leaves now; the
    // client would copy all that waits with every statement that joins it.
    if (start + chunkRows < rows.length) await nextTurn();
  }
  return ((await atOnce(running)) as T[][]).flat();
}

/** The columns of a table that the database does not fill. */
export const writtenColumns = (table: PgTable): string[] =>
  Object.values(getTableColumns(table))
    .filter((column) => !column.hasDefault && column.generatedIdentity === undefined)
    .map((column) => toSnakeCase(column.name));

/** Columns with their types, as a set of records from JSON is declared. */
export function typedColumns(table: PgTable, columns: Iterable<string>): SQL {
  const types = columnTypes(table);
  return columnList(columns, (quoted, column) => `${quoted} ${types.get(column)}`);
}

/** Rows of a table that a prepared statement inserts. */
export interface Insertion {
  table: PgTable;
  /** All of them are named: one that a row lacks becomes null. */
  columns: readonly string[];
  /** What the insertion ends with. */
  onConflict?: SQL;
}

/** Inserts the rows that are the JSON of a prepared statement's value. */
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

/** Ids as the text of an array: one parameter, where the client would make one of each. */
export const idArray = (ids: readonly number[]): string => `{${ids.join(',')}}`;

/** Words as the text of an array. */
export const wordArray = (words: readonly string[]): string =>
  `{${words.map((word) => JSON.stringify(word)).join(',')}}`;

/** Ids as one parameter, whatever their number. */
export const bigints = (ids: readonly number[]): SQL => sql`${idArray(ids)}::bigint[]`;

/** Small ids as one parameter. */
export const ints = (ids: readonly number[]): SQL => sql`${idArray(ids)}::int[]`;

/** Words as one parameter, whatever their number. */
export const texts = (words: readonly string[]): SQL => sql`${wordArray(words)}::text[]`;
