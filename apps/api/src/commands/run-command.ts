import { readFile } from 'node:fs/promises';
import { DataDirLockedError } from '@inferboard/db/data-dir-lock';
import { parseDatabaseUrl } from '@inferboard/db/database-url';
import { DumpError } from '@inferboard/db/dump/manifest';
import { EmbeddedPostgresError } from '@inferboard/db/embedded/errors';
import { startEmbedded } from '@inferboard/db/embedded/start';
import type { Log } from '../deps.ts';
import { type Env, parseEnv, SettingsError } from '../env.ts';
import { openDatabase, type Release, releaseAll } from '../open-database.ts';

/** A command was called in a way that it does not understand; the message says how to call it. */
export class UsageError extends Error {}

/** What a command of the operator's works with. */
export interface Command {
  env: Env;
  log: Log;
  /** Run when the command is over, last taken first. */
  releases: Release[];
}

/** Troubles whose message says all there is to say. */
const isPlain = (error: unknown): error is Error =>
  [UsageError, SettingsError, DumpError, DataDirLockedError, EmbeddedPostgresError].some(
    (kind) => error instanceof kind,
  );

/** Runs a command in this process, by the settings of the service. What goes wrong is one line and the exit status 1. */
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
 * The address of the database itself, for work that no pooler does: sessions of its own, long statements.
 *
 * @throws SettingsError where only a pooler's is given
 */
export async function openDirectly({ env, log, releases }: Command): Promise<string> {
  const url = env.DATABASE_DIRECT_URL ?? (await openDatabase(env, log, releases));
  if (parseDatabaseUrl(url).isPooled)
    throw new SettingsError('DATABASE_URL is a pooler, which cannot do this: set DATABASE_DIRECT_URL.');
  return url;
}

/** As `openDirectly`, for what may run beside the service: its own database is used while it runs, and left to it. */
export async function visitDirectly(command: Command): Promise<string> {
  try {
    return await openDirectly(command);
  } catch (error) {
    if (!(error instanceof DataDirLockedError)) throw error;
    const visited = await startEmbedded({ dataDir: command.env.DATA_DIR, log: () => {} });
    // Its service has stopped it meanwhile, and nobody else would stop it again.
    if (!visited.adopted) command.releases.push(() => visited.stop());
    return visited.url;
  }
}

/** The version of this release. */
export async function releaseOf(): Promise<string> {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  return version;
}
