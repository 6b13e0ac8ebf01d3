import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, inject } from 'vitest';
import { withConnection, withDatabase } from './connection.ts';

export { withConnection, withDatabase } from './connection.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of a superuser, or of a user that can create databases, on the server of this run. */
    databaseAdminUrl: string;
    /** A migrated database to clone. Never connect to it. */
    databaseTemplate: string;
    /** The server outlives the run, so that databases can be inspected afterwards. */
    databaseOutlivesRun: boolean;
  }
}

export interface TestDatabase {
  readonly url: string;
  /** The database's name. */
  readonly database: string;
  drop(): Promise<void>;
}

/** PostgreSQL clones only a database without connections; autovacuum may connect briefly. */
const OBJECT_IN_USE = '55006';

/**
 * Clones a template: by default that of this run, a new database with the schema of this release. Safe to call in parallel.
 */
export async function createTestDatabase(template = inject('databaseTemplate')): Promise<TestDatabase> {
  const adminUrl = inject('databaseAdminUrl');
  const database = `ib_test_${randomBytes(6).toString('hex')}`;
  await withConnection(adminUrl, async (sql) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await sql`create database ${sql(database)} template ${sql(template)}`;
        return;
      } catch (error) {
        const inUse = error instanceof postgres.PostgresError && error.code === OBJECT_IN_USE;
        if (!inUse || attempt === 2400) throw error;
        await sleep(50);
      }
    }
  });
  return {
    url: withDatabase(adminUrl, database),
    database,
    drop: () =>
      withConnection(adminUrl, async (sql) => {
        await sql`drop database if exists ${sql(database)} with (force)`;
      }),
  };
}

/**
 * The template of this run with more data in it. The first call creates it and `fill`s it through a URL; all other test files
 * wait for that and clone the result. @internal
 */
export async function templateWith(name: string, fill: (url: string) => Promise<void>): Promise<string> {
  const adminUrl = inject('databaseAdminUrl');
  const template = `${inject('databaseTemplate')}_${name}`;
  await withConnection(adminUrl, async (sql) => {
    await sql`select pg_advisory_lock(hashtext(${template}))`;
    const [row] = await sql<{ isDone: boolean }[]>`
      select not datallowconn as "isDone" from pg_database where datname = ${template}`;
    if (row?.isDone) return;
    // Left by a fill that failed.
    await sql`drop database if exists ${sql(template)} with (force)`;
    await sql`create database ${sql(template)} template ${sql(inject('databaseTemplate'))}`;
    await fill(withDatabase(adminUrl, template));
    await sql`alter database ${sql(template)} with allow_connections false`;
  });
  return template;
}

/**
 * A database for this test file, created before its tests and dropped after them. Read its fields only inside tests and hooks.
 * If a test fails on an external server (DATABASE_URL), the database is kept and its name is printed.
 */
export function useTestDatabase(): { readonly url: string; readonly database: string } {
  let current: TestDatabase | undefined;
  let failed = false;
  beforeAll(async () => {
    current = await createTestDatabase();
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') failed = true;
  });
  afterAll(async () => {
    if (current === undefined) return;
    if (failed && inject('databaseOutlivesRun')) console.log(`Kept for inspection: database ${current.database}`);
    else await current.drop();
  });
  const made = (): TestDatabase => {
    if (current === undefined) throw new Error('The test database exists only inside tests and hooks.');
    return current;
  };
  return {
    get url() {
      return made().url;
    },
    get database() {
      return made().database;
    },
  };
}
