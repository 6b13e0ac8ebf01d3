import type { Sql } from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ensureBoards } from '../boards/fill-boards.ts';
import { createDatabase, type Database } from '../connection/client.ts';
import { dataScopes, scopeOfTable } from '../schema/data-versions.ts';
import { useTestDatabase } from '../testing/index.ts';
import { readDataVersions } from './data-version-read.ts';

const place = useTestDatabase();
let database: Database;
let sql: Sql;
beforeAll(() => {
  database = createDatabase(place.url, { poolSize: 4 });
  sql = database.sql;
});
afterAll(() => database.close());

/** Runs work and returns the scopes whose version it changed. */
async function changedBy(work: () => Promise<unknown>): Promise<string[]> {
  const before = await readDataVersions(sql);
  await work();
  const after = await readDataVersions(sql);
  return dataScopes.filter((scope) => before[scope] !== after[scope]);
}

const tablesOf = async () =>
  (
    await sql<{ name: string }[]>`
      select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace
      order by relname`
  ).map(({ name }) => name);

const insertAccount = (tx: Sql, id: string) => tx`insert into accounts (id, name) values (${id}, ${id})`;

// Without its trigger, a table's outdated responses would stay in the cache permanently.
it('changes the version of exactly one scope for each statement on a table of responses', async () => {
  const tables = await tablesOf();
  expect(tables).toEqual(expect.arrayContaining(Object.keys(scopeOfTable)));
  const found: Record<string, string[][]> = {};
  // The audit log rejects updates and deletes.
  for (const name of tables.filter((table) => table !== 'audit_log')) {
    const [column] = await sql<{ name: string }[]>`
      select attname as name from pg_attribute
      where attrelid = ${name}::regclass and attnum > 0 and attidentity = '' order by attnum limit 1`;
    const statements = [
      `insert into ${name} (${column?.name}) select ${column?.name} from ${name} where false`,
      `update ${name} set ${column?.name} = ${column?.name} where false`,
      `delete from ${name} where false`,
      `copy ${name} (${column?.name}) from program 'true'`,
    ];
    found[name] = [];
    for (const statement of statements) found[name].push(await changedBy(() => sql.unsafe(statement)));
  }
  const expected = Object.fromEntries(
    Object.keys(found).map((name) => [name, Array(4).fill(scopeOfTable[name] ? [scopeOfTable[name]] : [])]),
  );
  expect(found).toEqual(expected);
});

// Truncating a table cascades to referencing tables, so the statement alone does not show which scope changes.
it('changes the version for truncating a table', async () => {
  const truncates = 32;
  const rows = await sql<{ name: string; scope: string }[]>`
    select tgrelid::regclass::text as name, convert_from(rtrim(tgargs, '\\000'), 'UTF8') as scope from pg_trigger
    where tgfoid = 'count_change'::regproc and (tgtype & ${truncates}) <> 0 order by 1`;
  expect(Object.fromEntries(rows.map(({ name, scope }) => [name, scope]))).toEqual(scopeOfTable);
});

// An upgrade rebuilds the boards while processes of this release serve. The point statistics are unchanged.
it('changes the version of results when the boards are rebuilt', async () => {
  expect(await changedBy(() => ensureBoards(database.db, { isAnew: true }))).toEqual(['results']);
  expect(await changedBy(() => ensureBoards(database.db))).toEqual([]);
});

it('counts a transaction once, on commit', async () => {
  const version = async (from: Sql) => (await readDataVersions(from)).results;
  const before = await version(sql);
  let inside = before;
  await sql.begin(async (tx) => {
    const inner = tx as unknown as Sql;
    await insertAccount(inner, 'acc_once');
    inside = await version(inner);
    await insertAccount(inner, 'acc_twice');
    expect(await version(inner)).toBe(inside);
    expect(await version(sql)).toBe(before);
  });
  expect(inside).not.toBe(before);
  expect(await version(sql)).toBe(inside);
  await sql`update accounts set name = 'once more' where id = 'acc_once'`;
  expect(await version(sql)).not.toBe(inside);
});

// After a failover that lost commits, other changes must not lead to a version that the lost ones had.
it('gives different versions to different changes of the same data', async () => {
  const versions: string[] = [];
  for (const id of ['acc_lost', 'acc_other'])
    await sql
      .begin(async (tx) => {
        await insertAccount(tx as unknown as Sql, id);
        versions.push((await readDataVersions(tx as unknown as Sql)).results);
        throw new Error('lost');
      })
      .catch(() => {});
  expect(new Set(versions).size).toBe(2);
});

it('ignores changes that are rolled back, and counts changes after a savepoint', async () => {
  const scopes = await changedBy(() =>
    sql
      .begin(async (tx) => {
        await insertAccount(tx as unknown as Sql, 'acc_gone');
        throw new Error('undone');
      })
      .catch(() => {}),
  );
  expect(scopes).toEqual([]);
  const kept = await changedBy(() =>
    sql.begin(async (tx) => {
      await tx
        .savepoint(async (inner) => {
          await insertAccount(inner as unknown as Sql, 'acc_gone');
          throw new Error('undone');
        })
        .catch(() => {});
      await insertAccount(tx as unknown as Sql, 'acc_kept');
    }),
  );
  expect(kept).toEqual(['results']);
});

// Otherwise uploads would queue behind one another, or deadlock over two scopes.
it('never lets a transaction wait for others that changed a version, however many there are', async () => {
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const { promise: counted, resolve: markCounted } = Promise.withResolvers<void>();
  const first = sql.begin(async (tx) => {
    await insertAccount(tx as unknown as Sql, 'acc_first');
    markCounted();
    await over;
  });
  await counted;
  expect(
    await changedBy(() =>
      sql.begin(async (tx) => {
        await tx`set local lock_timeout = 1`;
        await insertAccount(tx as unknown as Sql, 'acc_second');
      }),
    ),
  ).toEqual(['results']);
  // Locks all existing shards.
  const shards = async () => (await sql`select 1 from data_versions where scope = 'results'`).length;
  const before = await shards();
  const all = Promise.withResolvers<void>();
  const second = sql.begin(async (tx) => {
    await tx`select 1 from data_versions where scope = 'results' for update skip locked`;
    all.resolve();
    await over;
  });
  await all.promise;
  expect(await changedBy(() => insertAccount(sql, 'acc_third'))).toEqual(['results']);
  expect(await shards()).toBe(before + 1);
  end();
  await Promise.all([first, second]);
});
