// Migrates the database to this release and exits: DATABASE_URL=... npm run migrate
// Every start does the same. If a deployment runs it once first, its processes start on a current database.
import { createDatabase } from '@inferboard/db/connection/client';
import { pendingMigrations } from '@inferboard/db/migrations/migrate';
import { migrateDatabase, openDatabase } from '../startup/open-database.ts';
import { requireNoArguments, runCommand } from './run-command.ts';

await runCommand(process.env, async ({ env, log, releases }) => {
  requireNoArguments('npm run migrate migrates the database to this release.');
  const url = await openDatabase(env, log, releases);
  const database = createDatabase(url, { poolSize: 1 });
  releases.push(() => database.close());
  const pending = await pendingMigrations(database.sql);
  await migrateDatabase(env, url, database, log);
  console.log(
    pending === 0 ? 'The database is up to date.' : `${pending} migrations applied. The database is up to date.`,
  );
});
