import { lockDataDir } from '@inferboard/db/data-dir-lock';
import { startEmbedded } from '@inferboard/db/embedded/start';
import type { Log } from './deps.ts';
import type { Env } from './env.ts';

export type Release = () => Promise<void>;

/** Runs what is still to be released, last taken first; one failure does not keep the others. */
export async function releaseAll(releases: Release[], log: Log): Promise<void> {
  for (const release of releases.splice(0).reverse()) {
    await release().catch((error: unknown) => log('error', 'while stopping', { error: String(error) }));
  }
}

/** The address of the database: the one given, or that of our own, which is started. */
export async function openDatabase(env: Env, log: Log, releases: Release[]): Promise<string> {
  if (env.DATABASE_URL !== undefined) return env.DATABASE_URL;
  const lock = await lockDataDir(env.DATA_DIR);
  releases.push(async () => lock.release());
  const embedded = await startEmbedded({ dataDir: env.DATA_DIR, log: (line) => log('info', line) });
  releases.push(() => embedded.stop());
  return embedded.url;
}
