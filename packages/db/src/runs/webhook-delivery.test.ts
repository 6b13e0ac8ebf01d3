import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { insertAccount } from '../accounts/account.ts';
import { createDatabase, type Database } from '../connection/client.ts';
import { useTestDatabase } from '../testing/index.ts';
import { deliveryLeaseS, insertWebhook } from './webhook.ts';
import {
  type ClaimedDelivery,
  claimDeliveries,
  noteDelivered,
  noteFailed,
  queueDeliveries,
  releaseDelivery,
} from './webhook-delivery.ts';

const testDatabase = useTestDatabase();
let database: Database;
let accountId: string;

beforeAll(async () => {
  database = createDatabase(testDatabase.url, { poolSize: 4 });
  accountId = (await insertAccount(database.db, 'owner'))?.id ?? '';
  const webhook = { accountId, url: 'https://a.example/', events: ['run.ended' as const] };
  await insertWebhook(database.db, webhook, () => ({ keyId: 'key_1', box: new Uint8Array([0, 255, 7]) }));
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.sql`truncate webhook_deliveries`;
});

async function queue(count: number): Promise<void> {
  const body = { type: 'run.ended' as const, timestamp: '2026-11-21T12:00:00.000Z', data: { a: 1 } };
  for (let at = 0; at < count; at += 1)
    await database.db.transaction((tx) => queueDeliveries(tx, { accountId, event: 'run.ended', body }));
}

const claim = (limit = 10) => claimDeliveries(database.db, limit);
const claimOne = async (): Promise<ClaimedDelivery> => (await claim(1))[0] ?? expect.fail();
const endLease = () => database.sql`update webhook_deliveries set next_at = now()`;

async function see() {
  const [row] = await database.sql<{ attempts: number; outcome: string | null; in_s: number | null }[]>`
    select attempts, outcome, round(extract(epoch from next_at - now()))::int as in_s from webhook_deliveries`;
  return row ?? expect.fail();
}

test('returns a complete delivery, and no other worker claims it until its lease ends', async () => {
  await queue(1);
  expect(await claimOne()).toMatchObject({
    body: { type: 'run.ended', timestamp: '2026-11-21T12:00:00.000Z', data: { a: 1 } },
    url: 'https://a.example/',
    attempts: 1,
    secret: { keyId: 'key_1', box: Buffer.from([0, 255, 7]) },
  });
  expect(await claim()).toEqual([]);
  expect((await see()).in_s).toBeGreaterThan(deliveryLeaseS - 10);
  await endLease();
  expect(await claimOne()).toMatchObject({ attempts: 2 });
});

test('skips deliveries that another worker is claiming', async () => {
  await queue(5);
  const [first, others] = await database.db.transaction(async (tx) => [await claimDeliveries(tx, 2), await claim()]);
  const ids = [...first, ...others].map(({ id }) => id);
  expect([first.length, others.length, new Set(ids).size]).toEqual([2, 3, 5]);
});

// Otherwise a slow worker could reschedule or end a delivery that another worker is about to send.
test('records nothing for a worker whose lease ended', async () => {
  await queue(1);
  const late = await claimOne();
  await endLease();
  const current = await claimOne();
  await noteFailed(database.db, late, { outcome: 'late', retryInS: 1 });
  await releaseDelivery(database.db, late);
  await noteDelivered(database.db, late, 'late');
  const seen = await see();
  expect(seen).toMatchObject({ attempts: 2, outcome: null });
  expect(seen.in_s).toBeGreaterThan(deliveryLeaseS - 10);
  await noteFailed(database.db, current, { outcome: 'current', retryInS: null });
  expect(await see()).toEqual({ attempts: 2, outcome: 'current', in_s: null });
});
