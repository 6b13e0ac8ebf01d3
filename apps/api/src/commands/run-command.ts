import { readFile } from 'node:fs/promises';
import { ObjectStoreError } from '@inferboard/db/artifacts/object-store';
import { createDatabase, type Database } from '@inferboard/db/connection/client';
import { parseDatabaseUrl } from '@inferboard/db/connection/database-url';
import { DataDirLockedError } from '@inferboard/db/data-dir-lock';
import { DumpError } from '@inferboard/db/dump/manifest';
import { EmbeddedPostgresError } from '@inferboard/db/embedded/errors';
import { startEmbedded } from '@inferboard/db/embedded/start';
import { pendingMigrations } from '@inferboard/db/migrations/migrate';
import type { Log } from '../deps.ts';
import { type Env, parseEnv, SettingsError } from '../startup/env.ts';
import { openDatabase, type Release, releaseAll } from '../startup/open-database.ts';

/** A command was called with wrong arguments; the message describes the usage. */
export class UsageError extends Error {}

/** The resources of an operator command. */
export interface Command {
  env: Env;
  log: Log;
  /** Run in reverse order when the command ends. */
  releases: Release[];
}

/** Errors whose message is sufficient without a stack trace. */
const isPlain = (error: unknown): error is Error =>
  [UsageError, SettingsError, DumpError, DataDirLockedError, EmbeddedPostgresError, ObjectStoreError].some(
    (kind) => error instanceof kind,
  );

/** Runs a command in this process with the service's settings. An error prints one line and sets exit status 1. */
export async function runCommand(
  environment: Record<string, string | undefined>,
  work: (command: Command) => Promise<void>,
): Promise<void> {
  const releases: Release[] = [];
  const log: Log = (level, message, details) =>
    level === 'info' ? console.log(message) : console.error(message, details ?? '');
  try {
    await work({ env: parseEnv(environment), log, releases });
  } catch (error) {
    console.error(isPlain(error) ? error.message : error);
    process.exitCode = 1;
  } finally {
    await releaseAll(releases, log);
  }
}

/**
 * The direct URL of the database, for work that a pooler does not support: dedicated sessions and long statements.
 *
 * @throws SettingsError if only a pooler's URL is set
 */
export async function openDirectly({ env, log, releases }: Command): Promise<string> {
  const url = env.DATABASE_DIRECT_URL ?? (await openDatabase(env, log, releases));
  if (parseDatabaseUrl(url).isPooled)
    throw new SettingsError('DATABASE_URL is a pooler, which cannot do this. Set DATABASE_DIRECT_URL.');
  return url;
}

/** Like `openDirectly`, for commands that may run while the service runs: they use its embedded database and leave it running. */
export async function visitDirectly(command: Command): Promise<string> {
  try {
    return await openDirectly(command);
  } catch (error) {
    if (!(error instanceof DataDirLockedError)) throw error;
    const visited = await startEmbedded({ dataDir: command.env.DATA_DIR, log: () => {} });
    // The service has stopped in the meantime, so this process must stop the database.
    if (!visited.adopted) command.releases.push(() => visited.stop());
    return visited.url;
  }
}

/**
 * Checks that a command of this release can read and write the database.
 *
 * @throws SettingsError if migrations are missing, as in an installation that was never started
 */
export async function requireMigrated({ sql }: Database): Promise<void> {
  const pending = await pendingMigrations(sql);
  if (pending > 0)
    throw new SettingsError(
      `The database lacks ${pending} migrations of this release. Start the service once or run npm run migrate, then try again.`,
    );
}

/** Like `requireMigrated`, for commands that open the database themselves. */
export async function requireMigratedAt(url: string): Promise<void> {
  const database = createDatabase(url, { poolSize: 1 });
  try {
    await requireMigrated(database);
  } finally {
    await database.close();
  }
}

/**
 * Rejects arguments of a command that has none. Otherwise `--help` and `--dry-run` would run the command.
 *
 * @throws UsageError with the usage
 */
export function requireNoArguments(usage: string): void {
  if (process.argv.length > 2) throw new UsageError(`${usage}\nThis command has no arguments.`);
}

/** The version of this release. */
export async function releaseOf(): Promise<string> {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  return version;
}
