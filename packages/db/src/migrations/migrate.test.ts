import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { migrate, migrationsFolder, pendingMigrations } from './migrate.ts';
import { createTestDatabase, type TestDatabase, useTestDatabase, withConnection } from '../testing/index.ts';

const whole = useTestDatabase();
const folders: string[] = [];
let folder = '';
let empty: TestDatabase;

const steps = [
  {
    tag: '0000_first',
    when: 1000,
    sql: 'create table first (id int);\n--> statement-breakpoint\ninsert into first values (1);',
  },
  { tag: '0001_second', when: 2000, sql: 'alter table first add column name text;' },
];

async function writeMigrations(entries: { tag: string; when: number; sql: string }[]): Promise<void> {
  await mkdir(join(folder, 'meta'), { recursive: true });
  const journal = entries.map(({ tag, when }, idx) => ({ idx, version: '7', when, tag, breakpoints: true }));
  await writeFile(
    join(folder, 'meta', '_journal.json'),
    JSON.stringify({ version: '7', dialect: 'postgresql', entries: journal }),
  );
  for (const { tag, sql } of entries) await writeFile(join(folder, `${tag}.sql`), sql);
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inferboard-migrate-'));
  folders.push(folder);
  empty = await createTestDatabase();
  await withConnection(empty.url, async (sql) => {
    await sql`drop schema if exists drizzle cascade`;
  });
});

afterEach(() => empty.drop());

afterAll(async () => {
  for (const path of folders) await rm(path, { recursive: true, force: true });
});

test('the template database of the tests has every migration', async () => {
  expect(await withConnection(whole.url, (sql) => pendingMigrations(sql, migrationsFolder))).toBe(0);
});

test('counts pending migrations, and none after migrating', async () => {
  await writeMigrations(steps);
  await withConnection(empty.url, async (sql) => {
    expect(await pendingMigrations(sql, folder)).toBe(2);
    await migrate(empty.url, { folder });
    expect(await pendingMigrations(sql, folder)).toBe(0);
    expect(await sql`select * from first`).toEqual([{ id: 1, name: null }]);
    // Simulates the previous release, which still serves.
    await writeMigrations(steps.slice(0, 1));
    expect(await pendingMigrations(sql, folder)).toBe(0);
  });
});

test('migrates once if several replicas start simultaneously', async () => {
  await writeMigrations(steps);
  await Promise.all(Array.from({ length: 5 }, () => migrate(empty.url, { folder })));
  expect(await withConnection(empty.url, (sql) => sql`select count(*)::int as n from first`)).toEqual([{ n: 1 }]);
});

test('rolls back all migrations of a run if one fails', async () => {
  await writeMigrations([...steps, { tag: '0002_wrong', when: 3000, sql: 'alter table missing add column x int;' }]);
  await expect(migrate(empty.url, { folder })).rejects.toThrow();
  await withConnection(empty.url, async (sql) => {
    expect(await pendingMigrations(sql, folder)).toBe(3);
    expect(await sql`select to_regclass('first') as name`).toEqual([{ name: null }]);
  });
});

// While a migration waits for a table lock, every later query of that table queues behind it.
test('times out on a table in use, retries, and succeeds once it is free', async () => {
  await writeMigrations(steps.slice(0, 1));
  await migrate(empty.url, { folder });
  await writeMigrations(steps);
  await withConnection(empty.url, async (sql) => {
    const held = sql.begin(async (tx) => {
      await tx`lock table first in access share mode`;
      await sleep(400);
    });
    await migrate(empty.url, { folder, lockTimeout_ms: 100 });
    await held;
    await sql.begin(async (tx) => {
      await tx`lock table first in access share mode`;
      await writeMigrations([...steps, { tag: '0002_third', when: 3000, sql: 'alter table first drop column name;' }]);
      const attempt = migrate(empty.url, { folder, lockTimeout_ms: 50, attempts: 2 });
      await expect(attempt).rejects.toMatchObject({ cause: { code: '55P03' } });
    });
  });
});

test('rejects a migration that drizzle would skip because a newer one is applied', async () => {
  await writeMigrations(steps);
  await migrate(empty.url, { folder });
  await writeMigrations([{ tag: '0000_late', when: 1500, sql: 'select 1;' }, ...steps]);
  await expect(migrate(empty.url, { folder })).rejects.toThrow('Migration 0000_late is older than an applied one');
});

test('fails if another process migrates for too long', async () => {
  await writeMigrations(steps);
  await withConnection(empty.url, async (sql) => {
    await sql`select pg_advisory_lock(4707230615)`;
    await expect(migrate(empty.url, { folder, patience_ms: 200 })).rejects.toThrow(
      'Another process has been migrating',
    );
  });
});
