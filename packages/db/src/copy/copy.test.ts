import { sql } from 'drizzle-orm';
import { bigint, doublePrecision, integer, jsonb, pgTable, smallint, text, timestamp } from 'drizzle-orm/pg-core';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type Database } from '../connection/client.ts';
import type { Row } from '../connection/rows.ts';
import type { Transaction } from '../connection/transaction.ts';
import { useTestDatabase } from '../testing/index.ts';
import { insertRows } from './bulk.ts';
import { copyRows, openCopy } from './copy.ts';

const testDatabase = useTestDatabase();
let database: Database;
beforeAll(async () => {
  database = createDatabase(testDatabase.url);
  await database.sql`
    create table things (place int not null, name text, words text[], facts jsonb, value double precision,
      count int check (count > 0), large bigint, small smallint, seen_at timestamptz, made_at timestamptz not null default '2026-01-01T00:00:00Z')`;
});
afterAll(() => database.close());

const things = pgTable('things', {
  place: integer().notNull(),
  name: text(),
  words: text().array(),
  facts: jsonb(),
  value: doublePrecision(),
  count: integer(),
  large: bigint({ mode: 'number' }),
  small: smallint(),
  seenAt: timestamp({ withTimezone: true, mode: 'string' }),
  madeAt: timestamp({ withTimezone: true, mode: 'string' }).notNull().defaultNow(),
});

/** Text that the database accepts: no U+0000 and no lone surrogates. */
const words = fc
  .oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom('\\', '\t', '\n', '\r', '"', '{', '}', ',', 'N', ' ', 'é') }),
  )
  .filter((value) => !value.includes('\0'));
const optional = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });
/** Instants in any time zone, with up to microsecond precision. */
const instants = fc
  .tuple(
    fc.date({ min: new Date('1900-01-01T00:00:00Z'), max: new Date('2200-01-01T00:00:00Z'), noInvalidDate: true }),
    fc.stringMatching(/^(?:\.\d{1,6})?$/),
    fc.constantFrom('Z', '+02:00', '-11:30'),
  )
  .map(([date, fraction, zone]) => `${date.toISOString().slice(0, 19)}${fraction}${zone}`);
const rowsOfAnything = fc.array(
  fc.record({
    name: optional(
      fc.oneof(
        words,
        fc.string({ unit: 'grapheme', minLength: 30, maxLength: 9000 }).filter((value) => !value.includes('\0')),
      ),
    ),
    words: optional(fc.array(words)),
    facts: optional(fc.oneof(fc.dictionary(words, fc.oneof(words, fc.integer(), fc.constant(null))), fc.array(words))),
    value: optional(fc.double({ noNaN: true, noDefaultInfinity: true })),
    count: optional(fc.integer({ min: 1, max: 2 ** 31 - 1 })),
    large: optional(fc.maxSafeInteger()),
    small: optional(fc.integer({ min: -(2 ** 15) + 1, max: 2 ** 15 - 1 })),
    seen_at: optional(instants),
  }),
  { maxLength: 40 },
);

async function stored(put: (rows: Row[]) => Promise<unknown>, rows: Row[]): Promise<unknown[]> {
  await database.sql`truncate things`;
  await put(rows.map((row, place) => ({ place, ...row })));
  return [...(await database.sql`select * from things order by place`)];
}

/** Uses COPY even for few rows. */
async function copyAll(tx: Transaction, rows: readonly Row[]): Promise<void> {
  const copy = await openCopy(tx, things);
  await copy.write(rows);
  await copy.end();
}

test('stores the same rows with INSERT and COPY', async () => {
  await fc.assert(
    fc.asyncProperty(rowsOfAnything, async (rows) => {
      const inserted = await stored((given) => insertRows(database.db, things, given), rows);
      const copied = await stored((given) => database.db.transaction((tx) => copyAll(tx, given)), rows);
      expect(copied).toEqual(inserted);
    }),
    { numRuns: 100 },
  );
});

test('stores many rows completely and in order', async () => {
  const rows = Array.from({ length: 5500 }, (_, place) => ({ name: `${place}\n`, value: place / 7 }));
  expect(await stored((given) => database.db.transaction((tx) => copyRows(tx, things, given)), rows)).toMatchObject(
    rows,
  );
});

test('fails the transaction for a row that the table rejects, and keeps the connection usable', async () => {
  await database.sql`truncate things`;
  const rows = Array.from({ length: 3000 }, (_, place) => ({ place, count: place === 2500 ? -1 : 1 }));
  await expect(database.db.transaction((tx) => copyRows(tx, things, rows))).rejects.toThrow(/things_count_check/);
  // So few that the database validates them after all have been sent.
  const one = database.db.transaction((tx) => copyAll(tx, [{ place: 1, count: -1 }]));
  await expect(one).rejects.toThrow(/things_count_check/);
  for (const unfit of [{ count: 2 ** 31 }, { count: 1.5 }, { words: 'one' }, { seen_at: 'yesterday' }]) {
    await expect(database.db.transaction((tx) => copyAll(tx, [{ place: 1 }, unfit]))).rejects.toThrow(/expected/i);
  }
  await expect(
    database.db.transaction(async (tx) => {
      await copyAll(tx, [{ place: 1 }]);
      throw new Error('changed my mind');
    }),
  ).rejects.toThrow('changed my mind');
  const [row] = (await database.db.execute(sql`select count(*)::int as n from things`)) as unknown as { n: number }[];
  expect(row?.n).toBe(0);
});
