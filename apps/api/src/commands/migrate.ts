// Migrates the database to this release and exits: DATABASE_URL=... npm run migrate
// Every start does the same. If a deployment runs it once first, its processes start on a current database.
import { createDatabase } from '@inferboard/db/connection/client';
import { pendingMigrations } from '@inferboard/db/migrations/migrate';
import type { Log } from '../deps.ts';
import { parseEnv, SettingsError } from '../startup/env.ts';
import { migrateDatabase, openDatabase, type Release, releaseAll } from '../startup/open-database.ts';

const releases: Release[] = [];
const log: Log = (level, message) => (level === 'info' ? console.log(message) : console.error(message));
try {
  const env = parseEnv(process.env);
  const url = await openDatabase(env, log, releases);
  const database = createDatabase(url, { poolSize: 1 });
  releases.push(() => database.close());
  const pending = await pendingMigrations(database.sql);
  await migrateDatabase(env, url, database, log);
  console.log(
    pending === 0 ? 'The database is up to date.' : `${pending} migrations applied. The database is up to date.`,
  );
} catch (error) {
  console.error(error instanceof SettingsError ? error.message : error);
  process.exitCode = 1;
} finally {
  await releaseAll(releases, log);
}
