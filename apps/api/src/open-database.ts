import type { Database } from '@inferboard/db/client';
import { lockDataDir } from '@inferboard/db/data-dir-lock';
import { parseDatabaseUrl } from '@inferboard/db/database-url';
import { keepRunning } from '@inferboard/db/embedded/keep-running';
import { startEmbedded } from '@inferboard/db/embedded/start';
import { migrate, pendingMigrations } from '@inferboard/db/migrate';
import { findOtherSettings } from '@inferboard/db/queries/session-settings';
import { openReplica, type Replica } from '@inferboard/db/replica';
import type { Log } from './deps.ts';
import { type Env, SettingsError } from './env.ts';

export type Release = () => Promise<void>;

/** Runs what is still to be released, last taken first; one failure does not keep the others. */
export async function releaseAll(releases: Release[], log: Log): Promise<void> {
  for (const release of releases.splice(0).reverse()) {
    await release().catch((error: unknown) => log('error', 'while stopping', { error: String(error) }));
  }
}

/**
 * The address of the database: the one given, or that of our own, which is started.
 *
 * @param onLost keeps our own running: it is started again when it ends, and this is called once it cannot be
 */
export async function openDatabase(
  env: Env,
  log: Log,
  releases: Release[],
  onLost?: (error: Error) => void,
): Promise<string> {
  if (env.DATABASE_URL !== undefined) return env.DATABASE_URL;
  const lock = await lockDataDir(env.DATA_DIR);
  releases.push(async () => lock.release());
  const options = { dataDir: env.DATA_DIR, log: (line: string) => log('info', line) };
  const started = await startEmbedded(options);
  const embedded = onLost === undefined ? started : keepRunning(started, { ...options, onLost });
  releases.push(() => embedded.stop());
  return embedded.url;
}

/**
 * Brings the database to this release. That needs a connection of its own, which a pooler does not give: behind one
 * without `DATABASE_DIRECT_URL` somebody else has to have done it.
 *
 * @throws SettingsError where nobody has
 */
export async function migrateDatabase(env: Env, url: string, database: Database, log: Log): Promise<void> {
  const { isPooled } = parseDatabaseUrl(url);
  if (env.DATABASE_DIRECT_URL !== undefined || !isPooled) {
    await migrate(env.DATABASE_DIRECT_URL ?? url);
  } else if ((await pendingMigrations(database.sql)) > 0) {
    throw new SettingsError(
      'Cannot start: the database lacks migrations, which a pooler cannot run: set DATABASE_DIRECT_URL to the database itself.',
    );
  }
  if (!isPooled) return;
  for (const { name, is, wanted } of await findOtherSettings(database.sql)) {
    log('error', `${name} is ${is} on connections to the database; have the pooler set it to ${wanted}.`);
  }
}

/**
 * The copies that reads may go to, watched from now on; null where none is named.
 *
 * @param first which of them is asked first, counted round; the others follow in their order
 */
export async function openReadReplica(
  env: Env,
  database: Database,
  { first, log, releases }: { first: number; log: Log; releases: Release[] },
): Promise<Replica | null> {
  const named = env.DATABASE_READ_URL;
  if (named === undefined) return null;
  if (env.DATABASE_URL === undefined)
    throw new SettingsError('Cannot start: DATABASE_READ_URL needs the DATABASE_URL that it is a replica of.');
  const at = first % named.length;
  const urls = [...named.slice(at), ...named.slice(0, at)];
  const replica = await openReplica({ primary: database, urls, log: (message) => log('info', message) });
  releases.push(() => replica.close());
  return replica;
}
