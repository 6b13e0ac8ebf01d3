import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import postgres, { type Sql } from 'postgres';
import { filledTables, type TableName } from './tables.ts';

/** Which rows of each table came with some submissions, all of whose points were new. `t` is the table. */
const conditions: Record<(typeof filledTables)[number], string> = {
  artifacts: 't.sha256 in (select artifact_sha256 from submissions where id = any($1))',
  submissions: 't.id = any($1)',
  systems: `t.id in (select p.system_id from points p join results r on r.point_id = p.id where r.submission_id = any($1))
    and not exists (select 1 from bare_systems b where b.id = t.id)`,
  points: 't.id in (select point_id from results where submission_id = any($1))',
  results: 't.submission_id = any($1)',
  point_statistics: 't.point_id in (select point_id from results where submission_id = any($1))',
};

/** Empty tables of the same columns, constraints and indexes as those that a submission fills. */
export async function createBareTables(sql: Sql): Promise<void> {
  for (const name of filledTables) {
    await sql.unsafe(
      `create table bare_${name} (like ${name} including defaults including constraints including indexes)
        with (autovacuum_enabled = false)`,
    );
  }
  // What a row refers to is looked up in the real tables, where the same rows are: clients that share a system need not
  // wait for each other.
  const references = await sql<{ table: string; definition: string }[]>`
    select conrelid::regclass::text as table, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and conrelid::regclass::text = any(${[...filledTables]})`;
  for (const { table, definition } of references) await sql.unsafe(`alter table bare_${table} add ${definition}`);
}

/** A prepared INSERT into a bare table that takes every value as text. */
interface Insert {
  name: TableName;
  columns: readonly string[];
  text: string;
}

/** The statements that insert one row each, in the order in which tables are filled. */
export async function prepareInserts(sql: Sql): Promise<Insert[]> {
  const rows = await sql<{ name: TableName; column: string; type: string }[]>`
    select c.relname as name, a.attname as column, format_type(a.atttypid, a.atttypmod) as type
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relname = any(${[...filledTables]}) and a.attnum > 0 and not a.attisdropped
    order by a.attnum`;
  return filledTables.map((name) => {
    const of = rows.filter((row) => row.name === name);
    const given = of.map(({ type }, place) => `$${place + 1}::text::${type}`);
    return {
      name,
      columns: of.map(({ column }) => column),
      text: `insert into bare_${name} values (${given.join(', ')})`,
    };
  });
}

/** Rows as text, and how they go in. */
export type TextRows = readonly (readonly [insert: string, values: (string | null)[]])[];

/** All rows of one submission as text. */
export async function readTextRows(sql: Sql, inserts: readonly Insert[], submission: string): Promise<TextRows> {
  const all: [string, (string | null)[]][] = [];
  for (const { name, columns, text } of inserts) {
    const list = columns.map((column) => `t."${column}"::text`).join(', ');
    const rows = await sql
      .unsafe(`select ${list} from ${name} t where ${conditions[name as keyof typeof conditions]}`, [[submission]])
      .values();
    for (const values of rows) all.push([text, values as (string | null)[]]); // every column was cast to text
  }
  return all;
}

/** Inserts rows in one transaction. */
export async function insertBare(sql: Sql, rows: TextRows): Promise<void> {
  await sql.begin(async (tx) => {
    for (const [text, values] of rows) await tx.unsafe(text, values, { prepare: true });
  });
}

/**
 * All rows of one submission in the text format of COPY, by table. A connection for each: where the last row is a large
 * one, the client pauses its socket and forgets to go on.
 */
export async function readCopies(databaseUrl: string, submission: string): Promise<Map<string, Buffer[]>> {
  const copies = new Map<string, Buffer[]>();
  for (const name of filledTables) {
    const sql = postgres(databaseUrl, { max: 1 });
    const where = conditions[name].replaceAll('$1', `array['${submission}']`);
    const stream = await sql.unsafe(`copy (select t.* from ${name} t where ${where}) to stdout`).readable();
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    copies.set(name, chunks);
    await sql.end({ timeout: 0 });
  }
  return copies;
}

/** Copies rows into the bare tables in one transaction. */
export async function copyBare(sql: Sql, copies: ReadonlyMap<string, readonly Buffer[]>): Promise<void> {
  await sql.begin(async (tx) => {
    for (const [name, chunks] of copies) {
      const stream = await tx.unsafe(`copy bare_${name} from stdin`).writable();
      await pipeline(Readable.from(chunks), stream);
    }
  });
}

/** A value as the driver reads it. */
type Value = string | number | boolean | bigint | Date | Uint8Array | object | null;

/** Rows of a table, in memory, as a program has them that is about to store them. */
export interface MemoryRows {
  name: string;
  rows: readonly Readonly<Record<string, Value>>[];
}

/** All rows of one submission as the driver reads them. */
export async function readMemoryRows(sql: Sql, submission: string): Promise<MemoryRows[]> {
  const all: MemoryRows[] = [];
  for (const name of filledTables) {
    const rows = await sql.unsafe(`select t.* from ${name} t where ${conditions[name]}`, [[submission]]);
    all.push({ name, rows });
  }
  return all;
}

const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const escaped = (text: string) => text.replace(/[\\\n\r\t]/g, (character) => escapes[character] ?? character);
const listed = (items: readonly unknown[]) =>
  `{${items.map((item) => `"${String(item).replace(/[\\"]/g, '\\$&')}"`).join(',')}}`;

/** As COPY reads it; arrays of the driver are arrays of the table where `isArray` says so, and documents elsewhere. */
function toCopyText(value: Value, isArray: boolean): string {
  if (value === null) return '\\N';
  if (typeof value === 'string') return escaped(value);
  if (typeof value !== 'object') return String(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `\\\\x${Buffer.from(value).toString('hex')}`;
  return escaped(isArray && Array.isArray(value) ? listed(value) : JSON.stringify(value));
}

/** Columns whose type is an array, as `table.column`. */
export async function findArrays(sql: Sql): Promise<ReadonlySet<string>> {
  const rows = await sql<{ name: string }[]>`
    select c.relname || '.' || a.attname as name from pg_attribute a
    join pg_class c on c.oid = a.attrelid join pg_type t on t.oid = a.atttypid
    where c.relname = any(${[...filledTables]}) and a.attnum > 0 and t.typcategory = 'A'`;
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

/** Parameters of one statement at most. */
const parametersMax = 65_000;

/** Inserts rows from memory with the driver's own helper, as many at once as a statement takes. */
export async function insertMemoryRows(sql: Sql, tables: readonly MemoryRows[]): Promise<void> {
  await sql.begin(async (tx) => {
    for (const { name, rows } of tables) {
      const width = Object.keys(rows[0] ?? {}).length;
      const size = Math.max(1, Math.floor(parametersMax / Math.max(1, width)));
      for (let from = 0; from < rows.length; from += size) {
        await tx`insert into ${tx(`bare_${name}`)} ${tx(rows.slice(from, from + size) as never)}`;
      }
    }
  });
}

/** Empties the bare tables, that the same rows can go in again. */
export async function emptyBareTables(sql: Sql): Promise<void> {
  await sql.unsafe(`truncate ${filledTables.map((name) => `bare_${name}`).join(', ')}`);
}
