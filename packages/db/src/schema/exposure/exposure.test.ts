import { expect, test } from 'vitest';
import { useTestDatabase, withConnection } from '../../testing/index.ts';
import { privateTables } from './private-tables.ts';
import { publicTables } from './public-tables.ts';

const database = useTestDatabase();

interface Column {
  table: string;
  column: string;
  /** The column is not null and has no default. */
  needed: boolean;
}

const readColumns = () =>
  withConnection(
    database.url,
    (sql) => sql<Column[]>`
      select table_name as table, column_name as column,
        is_nullable = 'NO' and column_default is null and is_identity = 'NO' as needed
      from information_schema.columns where table_schema = 'public'`,
  );

// An undeclared column would be published with the next dump, or be missing from it.
test('declares every column of every table as public or private, in packages/db/src/schema/exposure', async () => {
  const stored = (await readColumns())
    .filter(({ table }) => !privateTables.includes(table))
    .map(({ table, column }) => `${table}.${column}`);
  const declared = publicTables.flatMap(({ name, declared }) => declared.map((column) => `${name}.${column}`));
  expect(declared.toSorted()).toEqual(stored.toSorted());
});

test('gives every required column of a restored row a value', async () => {
  const columns = await readColumns();
  const missing = publicTables.flatMap(({ name, columns: open, standIns }) =>
    columns
      .filter(({ table, needed }) => table === name && needed)
      .map(({ column }) => column)
      .filter((column) => !open.includes(column) && !standIns.some((standIn) => standIn.column === column))
      .map((column) => `${name}.${column}`),
  );
  expect(missing).toEqual([]);
});

test('makes no column with a secret name public', () => {
  const telling = /secret|credential|password|hash$|_box|key_id|^base_url$|proof/;
  const open = publicTables.flatMap(({ name, columns }) => columns.map((column) => ({ name, column })));
  expect(open.filter(({ column }) => telling.test(column))).toEqual([]);
});
