// Stores the rows of submissions again with the bare driver, into tables of the same shape.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Sql } from 'postgres';
import { filledTables, rankedTables } from '../scale/fill/tables.ts';
import type { Statement } from './bare-clients.ts';

/** Tables for submissions and the facts of their points, including the rows that boards read. */
export const ownTables = filledTables;
export const allTables = [...filledTables, ...rankedTables] as const;
/** Tables that a result at a known point adds rows to. */
export const tablesOfKnownPoint = ['artifacts', 'submissions', 'results'] as const;

type TableName = (typeof allTables)[number];

/** For each table, the rows that some submissions ($1) created, each once with the first of them. */
const sources: Record<TableName, string> = {
  artifacts:
    'join (select id as submission, artifact_sha256 from submissions where id = any($1)) f on f.artifact_sha256 = t.sha256',
  submissions: 'join (select id as submission from submissions where id = any($1)) f on f.submission = t.id',
  systems: `join (
    select p.system_id, min(r.submission_id) as submission from results r join points p on p.id = r.point_id
    where r.submission_id = any($1) group by 1) f on f.system_id = t.id`,
  points: ofPoints('id'),
  results: 'join (select id as submission from submissions where id = any($1)) f on f.submission = t.submission_id',
  point_statistics: ofPoints('point_id'),
  board_figures: ofPoints('point_id'),
  board_points: ofPoints('point_id'),
  board_rows: ofPoints('point_id'),
};

function ofPoints(column: string): string {
  return `join (
    select point_id as of, min(submission_id) as submission from results where submission_id = any($1) group by 1) f
    on f.of = t.${column}`;
}

const fromTable = (name: TableName) => `from ${name} t ${sources[name]}`;

/** Empty tables with the columns, constraints and indexes of the tables that a submission fills. */
export async function createBareTables(sql: Sql): Promise<void> {
  await dropBareTables(sql);
  for (const name of allTables) {
    await sql.unsafe(
      `create table bare_${name} (like ${name} including defaults including constraints including indexes)
        with (autovacuum_enabled = false)`,
    );
  }
  // References are looked up in the real tables, which have the same rows. Clients that share a system therefore do not wait
  // for each other.
  const references = await sql<{ table: string; definition: string }[]>`
    select conrelid::regclass::text as table, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and conrelid::regclass::text = any(${[...allTables]})`;
  for (const { table, definition } of references) await sql.unsafe(`alter table bare_${table} add ${definition}`);
}

export async function dropBareTables(sql: Sql): Promise<void> {
  await sql.unsafe(`drop table if exists ${allTables.map((name) => `bare_${name}`).join(', ')}`);
}

/** Truncates the bare tables, so that the same rows can be inserted again. */
export async function emptyBareTables(sql: Sql): Promise<void> {
  await sql.unsafe(`truncate ${allTables.map((name) => `bare_${name}`).join(', ')}`);
}

interface Column {
  name: string;
  type: string;
}

async function readColumns(sql: Sql, table: TableName): Promise<Column[]> {
  return sql<Column[]>`
    select a.attname as name, format_type(a.atttypid, a.atttypmod) as type
    from pg_attribute a where a.attrelid = ${table}::regclass and a.attnum > 0 and not a.attisdropped
    order by a.attnum`;
}

/** One INSERT of some rows that takes all values as text. */
function insertOf(table: TableName, columns: readonly Column[], rows: readonly (string | null)[][]): Statement {
  let given = 0;
  const lists = rows.map(() => `(${columns.map(({ type }) => `$${++given}::text::${type}`).join(', ')})`);
  return { text: `insert into bare_${table} values ${lists.join(', ')}`, values: rows.flat() };
}

/** The statements that store each submission's rows again: one INSERT for each table. */
export async function readInserts(
  sql: Sql,
  submissions: readonly string[],
  tables: readonly TableName[],
): Promise<Statement[][]> {
  const inserts = new Map<string, Statement[]>(submissions.map((id) => [id, []]));
  for (const name of tables) {
    const columns = await readColumns(sql, name);
    const list = columns.map((column) => `t."${column.name}"::text`).join(', ');
    const rows = await sql.unsafe(`select f.submission, ${list} ${fromTable(name)}`, [[...submissions]]).values();
    for (const [submission, of] of Map.groupBy(rows as (string | null)[][], ([id]) => id ?? ''))
      inserts.get(submission)?.push(
        insertOf(
          name,
          columns,
          of.map((row) => row.slice(1)),
        ),
      );
  }
  return [...inserts.values()];
}

/** A value as the driver returns it. */
type Value = string | number | boolean | bigint | Date | Uint8Array | object | null;

/** Rows of a table in memory, as in a program that is about to store them. */
export interface MemoryRows {
  name: TableName;
  rows: readonly Readonly<Record<string, Value>>[];
}

/** All rows of one submission as the driver returns them. */
export async function readMemoryRows(
  sql: Sql,
  submission: string,
  tables: readonly TableName[],
): Promise<MemoryRows[]> {
  const all: MemoryRows[] = [];
  for (const name of tables)
    all.push({ name, rows: await sql.unsafe(`select t.* ${fromTable(name)}`, [[submission]]) });
  return all;
}

const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const escaped = (text: string) => text.replace(/[\\\n\r\t]/g, (character) => escapes[character] ?? character);
const listed = (items: readonly unknown[]) =>
  `{${items.map((item) => `"${String(item).replace(/[\\"]/g, '\\$&')}"`).join(',')}}`;

/** A value in COPY format. Arrays become SQL arrays if `isArray` is set, otherwise JSON. */
function toCopyText(value: Value, isArray: boolean): string {
  if (value === null) return '\\N';
  if (typeof value === 'string') return escaped(value);
  if (typeof value !== 'object') return String(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `\\\\x${Buffer.from(value).toString('hex')}`;
  return escaped(isArray && Array.isArray(value) ? listed(value) : JSON.stringify(value));
}

/** Columns with an array type, as `table.column`. */
export async function findArrays(sql: Sql): Promise<ReadonlySet<string>> {
  const rows = await sql<{ name: string }[]>`
    select c.relname || '.' || a.attname as name from pg_attribute a
    join pg_class c on c.oid = a.attrelid join pg_type t on t.oid = a.atttypid
    where c.relname = any(${[...allTables]}) and a.attnum > 0 and t.typcategory = 'A'`;
  return new Set(rows.map(({ name }) => name));
}

function* copyLines({ name, rows }: MemoryRows, arrays: ReadonlySet<string>): Generator<string> {
  const columns = Object.keys(rows[0] ?? {}).map((column) => [column, arrays.has(`${name}.${column}`)] as const);
  for (let from = 0; from < rows.length; from += 500) {
    yield rows
      .slice(from, from + 500)
      .map((row) => `${columns.map(([column, isArray]) => toCopyText(row[column] ?? null, isArray)).join('\t')}\n`)
      .join('');
  }
}

/** Copies rows from memory into the bare tables in one transaction. */
export async function copyMemoryRows(
  sql: Sql,
  tables: readonly MemoryRows[],
  arrays: ReadonlySet<string>,
): Promise<void> {
  await sql.begin(async (tx) => {
    for (const table of tables) {
      const stream = await tx.unsafe(`copy bare_${table.name} from stdin`).writable();
      await pipeline(Readable.from(copyLines(table, arrays)), stream);
    }
  });
}
