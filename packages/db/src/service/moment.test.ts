import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertAccount } from '../accounts/account.ts';
import { createDatabase, type Database } from '../connection/client.ts';
import { value } from '../connection/statement.ts';
import { useTestDatabase } from '../testing/index.ts';
import { atOneMoment, preparedForMoment } from './moment.ts';

const place = useTestDatabase();
let database: Database;
beforeAll(() => {
  database = createDatabase(place.url, { poolSize: 2 });
});
afterAll(() => database.close());

/** A new number each time the statement runs. */
const drawn = preparedForMoment<{ of: string }, { number: number }>(
  sql`select random() as number, ${value('of')}::text as named`,
);
const drawIn = (of: string, from = database) =>
  atOneMoment(from.db, async (tx) => (await drawn(tx, { of }))[0]?.number);

test('runs a statement once per version of the results and parameters', async () => {
  const first = await drawIn('a');
  expect(await drawIn('a')).toBe(first);
  expect(await drawIn('b')).not.toBe(first);
  await insertAccount(database.db, 'Somebody');
  expect(await drawIn('a')).not.toBe(first);
});

test('keeps the version of a snapshot during other writes', async () => {
  const before = await drawIn('a');
  const within = await atOneMoment(database.db, async (tx) => {
    await tx.execute(sql`select`);
    await insertAccount(database.db, 'Somebody else');
    return (await drawn(tx, { of: 'a' }))[0]?.number;
  });
  expect(within).toBe(before);
  expect(await drawIn('a')).not.toBe(before);
});

test('shares no rows between databases or other transactions', async () => {
  const other = createDatabase(place.url, { poolSize: 1 });
  try {
    expect(await drawIn('a', other)).not.toBe(await drawIn('a'));
  } finally {
    await other.close();
  }
  const [outside] = await drawn(database.db, { of: 'a' });
  expect(outside?.number).not.toBe(await drawIn('a'));
});

test('returns a row again after a caller removed it from the list', async () => {
  await atOneMoment(database.db, async (tx) => (await drawn(tx, { of: 'c' })).pop());
  expect(await drawIn('c')).toBeTypeOf('number');
});

test('runs a statement once for simultaneous transactions', async () => {
  const numbers = await Promise.all(['d', 'd'].map((of) => drawIn(of)));
  expect(numbers[0]).toBeTypeOf('number');
  expect(numbers[1]).toBe(numbers[0]);
});

test('runs a statement again if it failed in the transaction that ran it first', async () => {
  const slow = preparedForMoment<Record<string, never>, { number: number }>(sql`
    select random() as number from pg_sleep(0.8)`);
  const canceled = atOneMoment(database.db, async (tx) => {
    await tx.execute(sql`set local statement_timeout = 600`);
    return slow(tx, {});
  });
  canceled.catch(() => {});
  await expect
    .poll(async () => {
      const running = await database.sql`
        select from pg_stat_activity where state = 'active' and query like '%random()%pg_sleep(0.8)%' and pid <> pg_backend_pid()`;
      return running.length;
    })
    .toBe(1);
  const waiting = atOneMoment(database.db, (tx) => slow(tx, {}));
  await expect(canceled).rejects.toThrow();
  expect((await waiting)[0]?.number).toBeTypeOf('number');
});
