import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate, migrateTo } from './migrate.ts';
import { createTestDatabase, type TestDatabase, withConnection } from '../testing/index.ts';

// Migration of accounts, keys and results from a release before standings and the scope `keys`.

let before: TestDatabase;

const key = (id: string, account: string, scopes: string[], revoked = false) => ({
  ...{ id, account_id: account, hash: id, last_four: 'xxxx', scopes },
  revoked_at: revoked ? new Date().toISOString() : null,
});

beforeAll(async () => {
  before = await createTestDatabase();
  await withConnection(before.url, async (sql) => {
    await sql`drop schema if exists drizzle cascade`;
    await sql`drop schema public cascade`;
    await sql`create schema public`;
  });
  await migrateTo(before.url, '0017_results_standing');
  await withConnection(before.url, async (sql) => {
    const accounts = ['admin', 'invited', 'itself', 'narrow'].map((name) => ({
      ...{ id: `acc_${name}`, name, registered_itself: name === 'itself' },
    }));
    await sql`insert into accounts ${sql(accounts)}`;
    const keys = [
      key('from-start', 'acc_admin', ['admin', 'submit', 'run']),
      key('by-request', 'acc_admin', ['admin', 'submit', 'run']),
      key('first', 'acc_invited', ['submit', 'run']),
      key('narrowed', 'acc_invited', ['submit']),
      key('ended', 'acc_invited', ['submit', 'run'], true),
      key('only', 'acc_narrow', ['submit']),
    ];
    for (const row of keys) await sql`insert into api_keys ${sql(row)}`;
    await sql`insert into audit_log (act, target, account_id, detail) values
      ('key_created', 'from-start', null, '{}'), ('key_created', 'by-request', 'acc_admin', '{}')`;
  });
  await migrate(before.url);
}, 120_000);
afterAll(() => before.drop());

test('sets self-registered accounts to new, and all others to vouched', async () => {
  const rows = await withConnection(before.url, (sql) => sql`select name, standing from accounts order by name`);
  expect(rows.map(({ name, standing }) => [name, standing])).toEqual([
    ['admin', 'vouched'],
    ['invited', 'vouched'],
    ['itself', 'new'],
    ['narrow', 'vouched'],
  ]);
});

test('keeps the scopes of keys, except narrowed keys of accounts with other keys', async () => {
  const rows = await withConnection(before.url, (sql) => sql`select id, scopes, from_start from api_keys order by id`);
  expect(rows.map(({ id, scopes, from_start }) => [id, scopes.join(), from_start])).toEqual([
    ['by-request', 'admin,submit,run,keys', false],
    ['ended', 'submit,run', false],
    ['first', 'submit,run,keys', false],
    ['from-start', 'admin,submit,run,keys', true],
    ['narrowed', 'submit', false],
    ['only', 'submit,keys', false],
  ]);
});
