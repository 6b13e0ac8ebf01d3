import { findAccount, insertAccount } from '@inferboard/db/accounts/account';
import { createDatabase, type Database } from '@inferboard/db/connection/client';
import { useTestDatabase } from '@inferboard/db/testing/index';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorkerProcess } from '../testing/world.ts';

// The worker detects that an account has met the thresholds, or that a report about it was upheld.

const place = useTestDatabase();
let database: Database;
beforeAll(() => {
  database = createDatabase(place.url, { poolSize: 2 });
});
afterAll(() => database.close());

test('a worker updates the standing of accounts at startup, with the configured age', async () => {
  const account = await insertAccount(database.db, 'fallen', { registeredItself: true });
  const id = account?.id ?? '';
  // The account has no submissions, so its stored standing is wrong.
  await database.sql`update accounts set standing = 'established' where id = ${id}`;
  const worker = startWorkerProcess(place.url, { establishedAfterDays: 0 });
  try {
    await expect
      .poll(async () => (await findAccount(database.db, id))?.standing, { timeout: 30_000, interval: 50 })
      .toBe('new');
    await expect.poll(() => worker.output(), { timeout: 10_000 }).toContain(`account ${id} is new`);
  } finally {
    await worker.stop();
  }
}, 60_000);
