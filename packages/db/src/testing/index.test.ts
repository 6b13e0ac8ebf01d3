import { expect, inject, test } from 'vitest';
import { createTestDatabase, useTestDatabase, withConnection, withDatabase } from './index.ts';

const testDatabase = useTestDatabase();

test('many databases can be cloned simultaneously, and are isolated', async () => {
  const databases = await Promise.all(Array.from({ length: 8 }, createTestDatabase));
  expect(new Set(databases.map(({ database }) => database)).size).toBe(8);
  const [first, second] = databases;
  await withConnection(first?.url ?? '', async (sql) => {
    await sql`create table mine (id int)`;
  });
  const seen = await withConnection(second?.url ?? '', (sql) => sql`select to_regclass('mine') as name`);
  expect(seen).toEqual([{ name: null }]);
  await Promise.all(databases.map((database) => database.drop()));
  const left = await withConnection(
    inject('databaseAdminUrl'),
    (sql) => sql`select datname from pg_database where datname = any(${databases.map(({ database }) => database)})`,
  );
  expect(left).toEqual([]);
});

test('a database can be dropped while clients are connected', async () => {
  const database = await createTestDatabase();
  await withConnection(database.url, async (sql) => {
    await sql`select 1`;
    await database.drop();
  });
});

// A connection to the template would make every clone fail.
test('the template accepts no connections', async () => {
  const url = withDatabase(testDatabase.url, inject('databaseTemplate'));
  await expect(withConnection(url, (sql) => sql`select 1`)).rejects.toThrow('not currently accepting connections');
});
