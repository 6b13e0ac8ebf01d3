import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type Database } from '../connection/client.ts';
import { useTestDatabase } from '../testing/index.ts';
import { takeQuota, takeQuotas } from './rate-limit.ts';

const place = useTestDatabase();
let database: Database;
beforeAll(() => {
  database = createDatabase(place.url, { poolSize: 8 });
});
afterAll(() => database.close());

/** One permit per 1000 hours, so that none is restored during a test. */
const quota = { name: 'test', quota: 10, windowS: 36_000_000 };
/** Seconds, minus the duration of the test. */
const almost = (seconds: number) => expect.toSatisfy((value: number) => value <= seconds && value > seconds - 3000);
const take = (caller: string, cost?: number) => takeQuota(database.db, caller, quota, cost);
/** Advances the time of a caller. */
const wait = (caller: string, seconds: number) => database.sql`
  update rate_limits set busy_until = busy_until - make_interval(secs => ${seconds}) where key = ${`test ${caller}`}`;

describe('a quota', () => {
  test('is consumed by each call, with the remaining number', async () => {
    for (const remaining of [9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
      expect(await take('one')).toMatchObject({ isAllowed: true, remaining });
    expect(await take('one')).toEqual({ isAllowed: false, remaining: 0, resetS: almost(3_600_000) });
  });

  test('is refilled continuously', async () => {
    for (let i = 0; i < 11; i++) await take('patient');
    await wait('patient', 3_590_000);
    expect((await take('patient')).isAllowed).toBe(false);
    await wait('patient', 20_000);
    expect(await take('patient')).toMatchObject({ isAllowed: true, remaining: 0 });
    expect((await take('patient')).isAllowed).toBe(false);
    await wait('patient', 72_000_000);
    expect(await take('patient')).toMatchObject({ isAllowed: true, remaining: 9 });
  });

  test('is shared by simultaneous calls, and separate for each caller', async () => {
    const taken = await Promise.all(Array.from({ length: 200 }, () => take('crowd')));
    expect(taken.filter(({ isAllowed }) => isAllowed)).toHaveLength(10);
    expect((await take('somebody else')).isAllowed).toBe(true);
  });

  test('allows a cost in full or not at all', async () => {
    expect(await take('heavy', 7)).toMatchObject({ isAllowed: true, remaining: 3 });
    expect(await take('heavy', 4)).toEqual({ isAllowed: false, remaining: 3, resetS: almost(3_600_000) });
    expect(await take('heavy', 3)).toMatchObject({ isAllowed: true, remaining: 0 });
    // A take larger than the quota could never succeed, so its cost is capped.
    expect(await take('heaviest', 1000)).toMatchObject({ isAllowed: true, remaining: 0 });
    expect(await take('heaviest', 1000)).toEqual({ isAllowed: false, remaining: 0, resetS: almost(36_000_000) });
  });

  test('that is exhausted does not consume other quotas of the same call', async () => {
    const [calls, bytes] = [quota, { ...quota, name: 'bytes', quota: 100 }];
    const both = (cost: number) =>
      takeQuotas(database.db, [
        { caller: 'both', quota: calls },
        { caller: 'both', quota: bytes, cost },
      ]);
    expect(await both(60)).toMatchObject([
      { isAllowed: true, remaining: 9 },
      { isAllowed: true, remaining: 40 },
    ]);
    expect(await both(50)).toMatchObject([
      { isAllowed: true, remaining: 9 },
      { isAllowed: false, remaining: 40 },
    ]);
    const crowd = await Promise.all(Array.from({ length: 20 }, () => both(5)));
    expect(crowd.filter((taken) => taken.every(({ isAllowed }) => isAllowed))).toHaveLength(8);
    expect((await take('both')).remaining).toBe(0);
  });

  test('is deleted once it is refilled', async () => {
    await take('gone');
    await wait('gone', 72_000_000);
    await take('newer');
    expect(await database.sql`select 1 from rate_limits where key = 'test gone'`).toHaveLength(0);
  });

  test('is stored in an unlogged table', async () => {
    const [table] = await database.sql`select relpersistence from pg_class where relname = 'rate_limits'`;
    expect(table?.relpersistence).toBe('u');
  });
});
