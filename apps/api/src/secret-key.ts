import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Env } from './env.ts';

const fileName = 'secret-key';

/** The key of an installation that keeps its data in a directory of its own; made at the first start, locked to its owner. */
async function keyOfDirectory(dataDir: string): Promise<string> {
  const path = join(dataDir, fileName);
  try {
    await writeFile(path, `${randomBytes(32).toString('base64url')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return (await readFile(path, 'utf8')).trim();
}

/**
 * What seals and opens the credentials of endpoints: SECRET_KEY, or where the database is our own a key beside it. Null
 * where neither is: then credentials are not taken.
 */
export async function readSecretKey(
  env: Pick<Env, 'SECRET_KEY' | 'DATABASE_URL' | 'DATA_DIR'>,
): Promise<string | null> {
  if (env.SECRET_KEY !== undefined) return env.SECRET_KEY;
  return env.DATABASE_URL === undefined ? keyOfDirectory(env.DATA_DIR) : null;
}
