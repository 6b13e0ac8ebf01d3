import { noLimits } from '@inferboard/core/plans/scale';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type Database } from '../connection/client.ts';
import { transact } from '../connection/transaction.ts';
import { accounts } from '../schema/index.ts';
import { useTestDatabase } from '../testing/index.ts';
import { findEndpoint, insertEndpoint, verifyEndpoint } from './endpoint.ts';
import { capsOf, countingRequests, limitsOf, readDay, readUsage, takeBudget } from './endpoint-budget.ts';
import { takeTarget } from './target-budget.ts';

const place = useTestDatabase();
let database: Database;
let count = 0;

beforeAll(async () => {
  database = createDatabase(place.url, { poolSize: 10 });
  await database.db.insert(accounts).values([
    { id: 'acc_1', name: 'owner' },
    { id: 'acc_2', name: 'other' },
  ]);
});
afterAll(() => database.close());

async function endpoint(accountId = 'acc_1', path = ''): Promise<string> {
  count += 1;
  const facts = { name: `node ${count}`, baseUrl: `https://llm.example.com${path}/v1`, model: 'tiny', facts: {} };
  const made = await insertEndpoint(database.db, { accountId, ...facts, proofToken: 'x' }, null);
  if (typeof made === 'string') throw new Error(made);
  return made.id;
}

const take = (id: string, requests: number, tokens: number, caps: { requests?: number; tokens?: number } = {}) =>
  takeBudget(database.db, id, { requests, tokens }, { requests: null, tokens: null, ...caps });

describe('the daily request budget of an endpoint', () => {
  test('adds requests and tokens', async () => {
    const id = await endpoint();
    expect(await readUsage(database.db, id)).toEqual({ requests: 0, tokens: 0 });
    expect(await take(id, 3, 100)).toBe(true);
    expect(await take(id, 4, 3e9)).toBe(true);
    expect(await readUsage(database.db, id)).toEqual({ requests: 7, tokens: 3_000_000_100 });
    expect(await readUsage(database.db, await endpoint())).toEqual({ requests: 0, tokens: 0 });
  });

  test('is reserved in full or not at all', async () => {
    const id = await endpoint();
    expect(await take(id, 11, 0, { requests: 10 })).toBe(false);
    expect(await take(id, 6, 60, { requests: 10, tokens: 100 })).toBe(true);
    expect(await take(id, 5, 0, { requests: 10 })).toBe(false);
    expect(await take(id, 1, 41, { requests: 10, tokens: 100 })).toBe(false);
    expect(await take(id, 4, 40, { requests: 10, tokens: 100 })).toBe(true);
    expect(await take(id, 0, 0, { requests: 10, tokens: 100 })).toBe(true);
    expect(await readUsage(database.db, id)).toEqual({ requests: 10, tokens: 100 });
  });

  // Workers of several processes take from the same endpoint's budget.
  test('is not exceeded by fifty simultaneous reservations', async () => {
    const id = await endpoint();
    const taken = await Promise.all(Array.from({ length: 50 }, () => take(id, 3, 10, { requests: 50, tokens: 1000 })));
    expect(taken.filter(Boolean)).toHaveLength(16);
    expect(await readUsage(database.db, id)).toEqual({ requests: 48, tokens: 160 });
  });

  test('starts again the next day', async () => {
    const id = await endpoint();
    await take(id, 10, 0, { requests: 10 });
    await database.sql`update endpoint_usage set day = day - 1 where endpoint_id = ${id}`;
    expect(await readUsage(database.db, id)).toEqual({ requests: 0, tokens: 0 });
    expect(await take(id, 10, 0, { requests: 10 })).toBe(true);
  });
});

describe('the limits of a run', () => {
  const free = { requestsPerDay: null, tokensPerDay: null } as const;
  const used = { used: { requests: 5, tokens: 100 }, leftAtOrigin: null };

  test('are those of the request if the endpoint has none', () => {
    const asked = { durationS: 5, requests: 1000, tokens: null, concurrency: 64 };
    expect(limitsOf(free, used, asked)).toEqual(asked);
    expect(capsOf(free)).toEqual({ requests: null, tokens: null });
  });

  test('are the rest of the daily budget, minus requests that count tokens', () => {
    const owned = { ...free, requestsPerDay: 100, tokensPerDay: 1000 };
    expect(limitsOf(owned, used, noLimits)).toEqual({ ...noLimits, requests: 95 - countingRequests, tokens: 900 });
    expect(limitsOf(owned, used, { ...noLimits, requests: 50, tokens: 950 })).toMatchObject({
      requests: 50,
      tokens: 900,
    });
    expect(limitsOf(owned, { ...used, used: { requests: 95, tokens: 2000 } }, noLimits)).toMatchObject({
      requests: 0,
      tokens: 0,
    });
  });

  test("of an unproven endpoint are four concurrent requests and the rest of the origin's budget, or less", () => {
    const unproven = { ...used, leftAtOrigin: 45 };
    expect(limitsOf(free, unproven, noLimits)).toEqual({
      ...noLimits,
      requests: 45 - countingRequests,
      concurrency: 4,
    });
    expect(limitsOf(free, unproven, { ...noLimits, concurrency: 2 }).concurrency).toBe(2);
    expect(limitsOf(free, { ...unproven, leftAtOrigin: 10 }, noLimits).requests).toBe(0);
    expect(limitsOf({ ...free, requestsPerDay: 30 }, unproven, noLimits).requests).toBe(25 - countingRequests);
    expect(limitsOf({ ...free, requestsPerDay: 200 }, unproven, noLimits).requests).toBe(25);
  });

  test('include requests to other endpoints of the origin, until the endpoint is proven', async () => {
    const { db } = database;
    const [mine, theirs] = [await endpoint(), await endpoint('acc_2', '/other')];
    const leftOf = async (id: string) => {
      const row = await findEndpoint(db, id, null);
      return row === null ? expect.fail('no endpoint') : (await readDay(db, row)).leftAtOrigin;
    };
    await transact(db, (tx) => takeTarget(tx, ['https://llm.example.com'], { requests: 40, concurrency: 0 }));
    expect([await leftOf(mine), await leftOf(theirs)]).toEqual([10, 10]);
    await verifyEndpoint(db, mine, 'proof');
    expect([await leftOf(mine), await leftOf(theirs)]).toEqual([null, 10]);
  });
});
