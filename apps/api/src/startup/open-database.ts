import type { Database } from '@inferboard/db/connection/client';
import { parseDatabaseUrl } from '@inferboard/db/connection/database-url';
import { openReplica, type Replica } from '@inferboard/db/connection/replica';
import { lockDataDir } from '@inferboard/db/data-dir-lock';
import { startEmbedded } from '@inferboard/db/embedded/start';
import { superviseServer } from '@inferboard/db/embedded/supervise-server';
import { migrate, pendingMigrations } from '@inferboard/db/migrations/migrate';
import { findOtherSettings } from '@inferboard/db/service/session-settings';
import type { Log } from '../deps.ts';
import { type Env, SettingsError } from './env.ts';

export type Release = () => Promise<void>;

/** Runs the remaining releases in reverse order; a failure does not stop the others. */
export async function releaseAll(releases: Release[], log: Log): Promise<void> {
  for (const release of releases.splice(0).reverse()) {
    await release().catch((error: unknown) =>
      log('error', 'an error occurred during the shutdown', { error: String(error) }),
    );
  }
}

/**
 * The URL of the database: the configured one, or that of the embedded one, which is started.
 *
 * @param onLost restarts the embedded database when it exits; called once it cannot be restarted
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
  const embedded = onLost === undefined ? started : superviseServer(started, { ...options, onLost });
  releases.push(() => embedded.stop());
  return embedded.url;
}

/**
 * Migrates the database to this release. This needs a direct connection, which a pooler does not provide: behind a pooler without
 * `DATABASE_DIRECT_URL`, the database must already be current.
 *
 * @throws SettingsError if it is not
 */
export async function migrateDatabase(env: Env, url: string, database: Database, log: Log): Promise<void> {
  const { isPooled } = parseDatabaseUrl(url);
  if (env.DATABASE_DIRECT_URL !== undefined || !isPooled) {
    await migrate(env.DATABASE_DIRECT_URL ?? url);
  } else if ((await pendingMigrations(database.sql)) > 0) {
    throw new SettingsError(
      'Cannot start: the database lacks migrations, which cannot run through a pooler. Set DATABASE_DIRECT_URL to the database itself.',
    );
  }
  if (!isPooled) return;
  for (const { name, is, wanted } of await findOtherSettings(database.sql)) {
    log('error', `${name} is ${is} on connections to the database. Configure the pooler to set it to ${wanted}.`);
  }
}

/**
 * Opens the replicas for reads and monitors them; null if none is configured.
 *
 * @param first index of the preferred replica, modulo their number; the others follow in order
 */
export async function openReadReplica(
  env: Env,
  database: Database,
  { first, log, releases }: { first: number; log: Log; releases: Release[] },
): Promise<Replica | null> {
  const named = env.DATABASE_READ_URL;
  if (named === undefined) return null;
  if (env.DATABASE_URL === undefined)
    throw new SettingsError('Cannot start: DATABASE_READ_URL requires DATABASE_URL, the primary of its replicas.');
  const at = first % named.length;
  const urls = [...named.slice(at), ...named.slice(0, at)];
  const replica = await openReplica({ primary: database, urls, log: (message) => log('info', message) });
  releases.push(() => replica.close());
  return replica;
}
