import { rm } from 'node:fs/promises';
import { sql as statement } from 'drizzle-orm';
import { afterAll, expect, test } from 'vitest';
import { startEmbedded } from '../embedded/start.ts';
import { useTestDatabase } from '../testing/index.ts';
import { makeTempFolder } from '../testing/temp-folder.ts';
import { createDatabase, ping } from './client.ts';

const testDatabase = useTestDatabase();
const folders: string[] = [];

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

test('returns dates and JSON in our SQL, regardless of how drizzle configures its client', async () => {
  const database = createDatabase(testDatabase.url, { poolSize: 1, applicationName: 'client test' });
  try {
    await ping(database.sql);
    await database.db.execute(statement`select 1`);
    const [row] = await database.sql`
      select now() as at, ${database.sql.json({ a: 1 })}::jsonb as facts, current_setting('application_name') as name,
        current_setting('statement_timeout') as timeout`;
    expect(row).toEqual({ at: expect.any(Date), facts: { a: 1 }, name: 'client test', timeout: '30s' });
  } finally {
    await database.close();
  }
});

test('sets a separate timeout for each kind of statement', async () => {
  const { db, reads, close } = createDatabase(testDatabase.url);
  const timeoutOf = async (client: typeof db) => (await client.execute(statement`show statement_timeout`))[0];
  try {
    expect(await timeoutOf(db)).toEqual({ statement_timeout: '30s' });
    expect(await timeoutOf(reads.db)).toEqual({ statement_timeout: '1min' });
  } finally {
    await close();
  }
});

test('cancels a statement that runs too long', async () => {
  const database = createDatabase(testDatabase.url, { statementTimeout_ms: 50 });
  try {
    await expect(database.sql`select pg_sleep(10)`).rejects.toMatchObject({ code: '57014' });
  } finally {
    await database.close();
  }
});

// The service stays up while its database is unavailable, and recovers within seconds.
test('fails fast while the database is unavailable, and recovers without a new client', async () => {
  const dataDir = await makeTempFolder();
  folders.push(dataDir);
  const start = (port?: number) => startEmbedded({ dataDir, log: () => {}, fsync: false, port });
  let server = await start();
  const port = Number(new URL(server.url).port);
  const database = createDatabase(server.url, { poolSize: 2 });
  try {
    await ping(database.sql);
    await server.stop();
    for (let attempt = 0; attempt < 10; attempt += 1) {
      await expect(ping(database.sql)).rejects.toThrow();
    }
    server = await start(port);
    await expect.poll(() => ping(database.sql).then(() => true)).toBe(true);
  } finally {
    await database.close();
    await server.stop();
  }
});

test('can write only temporary tables if it is read-only', async () => {
  const database = createDatabase(testDatabase.url, { poolSize: 1, isReadOnly: true });
  try {
    await database.sql.begin('read write', (tx) => tx`create temporary table settings_tried (key text)`);
    await database.sql`insert into settings_tried values ('a')`;
    expect(await database.sql`select key from settings_tried`).toEqual([{ key: 'a' }]);
    await expect(database.sql`delete from settings`).rejects.toMatchObject({ code: '25006' });
  } finally {
    await database.close();
  }
});
