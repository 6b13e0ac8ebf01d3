import type { Database } from '../../packages/db/src/connection/client.ts';

type Sql = Database['sql'];

/** Ignored: rate limits, change counters and sums of other tables, and the last use of a key. */
const ignoredTables = new Set([
  'rate_limits',
  'data_versions',
  'board_systems',
  'board_totals',
  'boards',
  'tool_scatter',
]);
const ignoredColumn = 'last_used_at';

async function listTables(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public' order by 1`;
  return rows.map(({ name }) => name).filter((name) => !ignoredTables.has(name));
}

/** All rows of all tables, as table and MD5 of the row. */
export async function readState(sql: Sql): Promise<Set<string>> {
  const tables = await listTables(sql);
  const rows = await Promise.all(
    tables.map(
      (table) => sql<{ row: string }[]>`
      select ${table}::text || ' ' || md5((to_jsonb(t) - ${ignoredColumn}::text)::text) as row from ${sql(table)} t`,
    ),
  );
  return new Set(rows.flat().map(({ row }) => row));
}

/** Tables with added or removed rows between two states, each with a sign. */
export function changes(before: ReadonlySet<string>, after: ReadonlySet<string>): { gone: string[]; came: string[] } {
  const tableOf = (row: string) => row.slice(0, row.indexOf(' '));
  const only = (these: ReadonlySet<string>, those: ReadonlySet<string>) => [
    ...new Set([...these].filter((row) => !those.has(row)).map(tableOf)),
  ];
  return { gone: only(before, after), came: only(after, before) };
}

/** Names of columns with secrets that no response may contain. */
const secretName = /(^|_)(hash|secret|ciphertext|encrypted|credential|api_key|token)(_|$)/;

/** All values of such a column, bytes in hexadecimal. */
export async function readSecrets(sql: Sql): Promise<string[]> {
  const columns = await sql<{ table: string; column: string }[]>`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = 'public' and data_type in ('text', 'bytea')`;
  const secret = columns.filter(({ column }) => secretName.test(column));
  const values = await Promise.all(
    secret.map(
      ({ table, column }) => sql<{ value: string }[]>`
      select t.${sql(column)}::text as value from ${sql(table)} t where t.${sql(column)} is not null`,
    ),
  );
  return values.flat().map(({ value }) => value.replace(/^\\x/, ''));
}
