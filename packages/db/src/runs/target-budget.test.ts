import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type Database } from '../connection/client.ts';
import { transact } from '../connection/transaction.ts';
import { useTestDatabase } from '../testing/index.ts';
import { leftAtTarget, releaseTarget, renewTarget, type TargetLease, takeTarget } from './target-budget.ts';

const place = useTestDatabase();
/** Two pools, like those of two processes. */
let [one, other]: Database[] = [];
let count = 0;

beforeAll(() => {
  one = createDatabase(place.url, { poolSize: 8 });
  other = createDatabase(place.url, { poolSize: 8 });
});
afterAll(() => Promise.all([one?.close(), other?.close()]));

const pools = (): [Database, Database] => [one ?? expect.fail(), other ?? expect.fail()];
const origin = () => {
  count += 1;
  return `https://llm-${count}.example.com`;
};
const take = (targets: string[], requests = 1, concurrency = 0, from = pools()[0]) =>
  transact(from.db, (tx) => takeTarget(tx, targets, { requests, concurrency }));
const left = async (target: string) => (await leftAtTarget(pools()[0].db, target)).left;
const isLease = (taken: object): taken is TargetLease => 'id' in taken;
const end = (id: string) => pools()[0].sql`update target_leases set until = now() - interval '1 s' where id = ${id}`;

test('reserves fifty requests per day in full or not at all, and states when the next day starts', async () => {
  const target = origin();
  expect(isLease(await take([target], 30))).toBe(true);
  expect(await take([target], 21)).toMatchObject({ refused: 'spent' });
  expect(isLease(await take([target], 20))).toBe(true);
  const refused = await take([target]);
  expect(refused).toMatchObject({ refused: 'spent' });
  const [row] = await pools()[0].sql<{ s: number }[]>`
    select extract(epoch from date_trunc('day', now() at time zone 'UTC') + interval '1 day' - now() at time zone 'UTC')::float8 as s`;
  expect('retryAfterS' in refused && Math.abs(refused.retryAfterS - (row?.s ?? 0))).toBeLessThan(60);
  expect(await left(target)).toBe(0);
  await pools()[0].sql`update target_usage set day = day - 1 where target = ${target}`;
  expect(await left(target)).toBe(50);
  expect(isLease(await take([target], 50))).toBe(true);
});

test('allows fifty requests per day and four concurrent ones among 400 simultaneous reservations of two processes', async () => {
  const target = origin();
  const taken = await Promise.all(Array.from({ length: 400 }, (_, at) => take([target], 1, 0, pools()[at % 2])));
  expect(taken.filter(isLease)).toHaveLength(50);
  const busy = origin();
  const held = await Promise.all(Array.from({ length: 40 }, (_, at) => take([busy], 1, 1, pools()[at % 2])));
  expect(held.filter(isLease)).toHaveLength(4);
  expect(held.filter((taken) => 'refused' in taken && taken.refused === 'busy')).toHaveLength(36);
  expect(await left(busy)).toBe(46);
});

test('frees the budget of released and expired reservations', async () => {
  const target = origin();
  const [a, b] = [await take([target], 1, 3), await take([target], 1, 1)];
  if (!isLease(a) || !isLease(b)) expect.fail('refused');
  expect(await take([target], 1, 1)).toEqual({ refused: 'busy', retryAfterS: 5 });
  await releaseTarget(pools()[0].db, b);
  const c = await take([target], 1, 1);
  expect(isLease(c)).toBe(true);
  expect(await renewTarget(pools()[1].db, a)).toBe(true);
  await end(a.id);
  expect(await renewTarget(pools()[1].db, a)).toBe(false);
  expect(isLease(await take([target], 1, 3))).toBe(true);
});

test('shares a budget between names of one server, and a rejection reserves nothing', async () => {
  const [a, b, address] = [origin(), origin(), `address 192.0.2.${count} 443`];
  expect(isLease(await take([a, address], 40, 3))).toBe(true);
  expect(await take([b, address], 11)).toMatchObject({ refused: 'spent' });
  expect(await take([address, b], 1, 2)).toMatchObject({ refused: 'busy' });
  expect(isLease(await take([b, address], 10, 1))).toBe(true);
  expect([await left(a), await left(b), await left(address)]).toEqual([10, 40, 0]);
});

test('returns the reservation of a failed transaction', async () => {
  const target = origin();
  const failing = transact(pools()[0].db, async (tx) => {
    await takeTarget(tx, [target], { requests: 50, concurrency: 4 });
    throw new Error('changed my mind');
  });
  await expect(failing).rejects.toThrow('changed my mind');
  expect(isLease(await take([target], 50, 4))).toBe(true);
});
