import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useTestDatabase } from '../testing/index.ts';
import { createDatabase, type Database } from './client.ts';
import { prepared, value } from './statement.ts';

const place = useTestDatabase();
let database: Database;
beforeAll(() => {
  database = createDatabase(place.url, { poolSize: 1 });
});
afterAll(() => database.close());

const addAll = prepared<{ of: string; more: number }, { sum: number }>(
  sql`select sum(n)::int + ${value('more')}::int as sum from jsonb_array_elements_text(${value('of')}::jsonb) as t(text), lateral (select text::int) as v(n)`,
);

test('prepares a statement once per connection, within and outside of transactions', async () => {
  expect(await addAll(database.db, { of: '[1,2]', more: 3 })).toMatchObject([{ sum: 6 }]);
  await database.db.transaction(async (tx) => {
    const sums = await Promise.all([4, 5, 6].map((more) => addAll(tx, { of: '[1]', more })));
    expect(sums.map(([row]) => row?.sum)).toEqual([5, 6, 7]);
  });
  const rows = await database.db.$client.unsafe(
    `select count(*)::int as n from pg_prepared_statements where statement like '%jsonb_array_elements_text%'`,
  );
  expect(rows).toMatchObject([{ n: 1 }]);
});

test('throws for a missing value', async () => {
  await expect(addAll(database.db, { of: '[]' } as never)).rejects.toThrow('more');
});
