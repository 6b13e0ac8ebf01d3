import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { insertAccount, insertKey } from '../accounts/account.ts';
import { createDatabase, type Database } from '../connection/client.ts';
import { useTestDatabase, withConnection } from '../testing/index.ts';
import { removeOld } from './remove-old.ts';
import { removals, retention } from './rules.ts';

const place = useTestDatabase();
const never = new AbortController().signal;
let database: Database;
let accountId = '';
let keyId = '';

beforeAll(async () => {
  database = createDatabase(place.url, { poolSize: 4 });
  accountId = (await insertAccount(database.db, 'operator'))?.id ?? '';
  keyId = (await insertKey(database.db, { accountId, hash: 'h', lastFour: 'abcd', scopes: ['submit'] })) ?? '';
  const { sql } = database;
  await sql`insert into endpoints (id, account_id, name, base_url, model, facts, proof_token)
    values ('ep', ${accountId}, 'n', 'https://x.example/v1', 'm', '{}', 't')`;
  await sql`insert into webhooks (id, account_id, url, events) values ('whk', ${accountId}, 'https://x.example', '{}')`;
});
afterAll(() => database.close());

const tables = [
  'idempotency_keys',
  'rate_limits',
  'webhook_deliveries',
  'run_events',
  'run_shares',
  'endpoint_usage',
  'target_usage',
  'target_leases',
  'sessions',
  'sign_in_links',
] as const;
/** Removed like sessions, but each row needs a submission; and keys, whose rows have a test below. */
const others = ['submission_claims', 'api_keys'];

/** One row per table that is older than its rule, one that is younger, and rows that must never be removed. */
beforeEach(async () => {
  const { sql } = database;
  for (const table of [...tables, 'runs']) await sql`delete from ${sql(table)}`;
  await sql`insert into idempotency_keys (key_id, route, name, fingerprint, started_at) values
    (${keyId}, 'r', 'old', 'f', now() - interval '49 hours'), (${keyId}, 'r', 'young', 'f', now() - interval '47 hours')`;
  await sql`insert into rate_limits values ('old', now() - interval '61 minutes'), ('young', now() - interval '59 minutes')`;
  await sql`insert into webhook_deliveries (id, webhook_id, event, body, next_at, created_at) values
    ('old', 'whk', 'run.ended', '{}', null, now() - interval '31 days'),
    ('young', 'whk', 'run.ended', '{}', null, now() - interval '29 days'),
    ('old, still tried', 'whk', 'run.ended', '{}', now(), now() - interval '31 days')`;
  await sql`insert into runs (id, account_id, endpoint_id, state, request, seed, omitted, points_total, requests_total, ended_at)
    values ('old', ${accountId}, 'ep', 'processed', '{}', 1, '[]', 1, 1, now() - interval '91 days'),
      ('young', ${accountId}, 'ep', 'processed', '{}', 1, '[]', 1, 1, now() - interval '89 days'),
      ('not over', ${accountId}, 'ep', 'running', '{}', 1, '[]', 1, 1, null)`;
  await sql`insert into run_events (run_id, ordinal, kind, data, created_at)
    select r.id, k.ordinal, k.kind, '{}', now() - interval '1 year'
    from runs r, (values (1, 'state'), (2, 'point'), (3, 'end')) as k(ordinal, kind)`;
  await sql`insert into run_shares (run_id, share, attempt) select id, 1, 1 from runs`;
  await sql`insert into target_usage values ('old', now() - interval '92 days', 1), ('young', now() - interval '88 days', 1)`;
  await sql`insert into target_leases values
    ('t', 'old', 1, now() - interval '61 minutes'), ('t', 'young', 1, now() - interval '59 minutes')`;
  await sql`insert into endpoint_usage values ('ep', now() - interval '92 days', 1, 1), ('ep', now() - interval '88 days', 1, 1)`;
  for (const table of ['sessions', 'sign_in_links'])
    await sql`insert into ${sql(table)} (hash, key_id, expires_at) values
      ('old', ${keyId}, now() - interval '61 minutes'), ('young', ${keyId}, now() - interval '59 minutes')`;
});

const names = async (table: string, column: string) =>
  (await database.sql`select ${database.sql(column)} as name from ${database.sql(table)} order by 1`).map(
    ({ name }) => name,
  );

// Detects new tables that would grow without limit.
test('declares the retention of every table', async () => {
  const stored = await withConnection(
    place.url,
    (sql) => sql`select table_name as name from information_schema.tables where table_schema = 'public'`,
  );
  expect(Object.keys(retention).toSorted()).toEqual(stored.map(({ name }) => name).toSorted());
  expect(removals.map(({ table }) => table).toSorted()).toEqual([...tables, ...others].toSorted());
});

test('deletes only rows older than their retention period', async () => {
  expect(await removeOld(database, never)).toEqual({
    idempotency_keys: 1,
    rate_limits: 1,
    webhook_deliveries: 1,
    run_events: 1,
    run_shares: 2,
    endpoint_usage: 1,
    target_usage: 1,
    target_leases: 1,
    sessions: 1,
    sign_in_links: 1,
  });
  expect(await names('sessions', 'hash')).toEqual(['young']);
  expect(await names('idempotency_keys', 'name')).toEqual(['young']);
  expect(await names('rate_limits', 'key')).toEqual(['young']);
  expect(await names('webhook_deliveries', 'id')).toEqual(['old, still tried', 'young']);
  expect(await database.sql`select kind from run_events where run_id = 'old' order by ordinal`).toEqual([
    { kind: 'state' },
    { kind: 'end' },
  ]);
  expect(await names('run_events', 'run_id')).toHaveLength(8);
  expect(await names('endpoint_usage', 'requests')).toHaveLength(1);
  expect(await removeOld(database, never)).toEqual({});
});

test('deletes keys 90 days after they were revoked or expired, except a revoked ADMIN_KEY and those with a session', async () => {
  const { sql } = database;
  const old = "now() - interval '91 days'";
  const rows: [hash: string, revoked: string, expires: string, fromStart: boolean, name: string | null][] = [
    ['live', 'null', 'null', false, null],
    ['revoked', old, 'null', false, null],
    ['revoked lately', "now() - interval '89 days'", 'null', false, null],
    ['expired', 'null', old, false, 'ci'],
    ['revoked, would expire later', old, 'now()', false, null],
    ['signed in', old, 'null', false, null],
    ['fixed by the operator', old, 'null', true, null],
    ['generated at a start', old, 'null', true, 'generated at a start'],
  ];
  for (const [hash, revoked, expires, fromStart, name] of rows)
    await sql`insert into api_keys (id, account_id, hash, last_four, scopes, revoked_at, expires_at, from_start, name)
      values (${`key ${hash}`}, ${accountId}, ${hash}, 'abcd', '{submit}', ${sql.unsafe(revoked)}, ${sql.unsafe(expires)},
        ${fromStart}, ${name})`;
  await sql`insert into sessions (hash, key_id, expires_at) values ('s', 'key signed in', now() + interval '1 day')`;
  expect(await removeOld(database, never)).toMatchObject({ api_keys: 4 });
  expect((await names('api_keys', 'hash')).toSorted()).toEqual([
    'fixed by the operator',
    'h',
    'live',
    'revoked lately',
    'signed in',
  ]);
  await sql`delete from sessions`;
  await sql`delete from api_keys where id like 'key %'`;
});

test('deletes many rows in several batches and skips locked rows', async () => {
  const { sql } = database;
  await sql`insert into rate_limits select 'many ' || n, now() - interval '2 hours' from generate_series(1, 2500) n`;
  await sql.begin(async (tx) => {
    await tx`select 1 from rate_limits where key = 'old' for update`;
    expect(await removeOld(database, never)).toMatchObject({ rate_limits: 2500 });
  });
  expect(await names('rate_limits', 'key')).toEqual(['old', 'young']);
});

test('runs in one of several workers, and stops between batches', async () => {
  const { sql } = database;
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(4707230617)`;
    expect(await removeOld(database, never)).toEqual({});
  });
  expect(await removeOld(database, AbortSignal.abort())).toEqual({});
  const both = await Promise.all([removeOld(database, never), removeOld(database, never)]);
  expect(both.map(({ rate_limits = 0 }) => rate_limits).reduce((a, b) => a + b)).toBe(1);
});
