import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Env } from './env.ts';

const fileName = 'secret-key';

/** The key of an installation with its own data directory. It is created at the first start and readable only by its owner. */
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
 * Reads the key for the credentials of endpoints: SECRET_KEY, or a key next to the embedded database. Null if there is neither;
 * then credentials are not accepted.
 */
export async function readSecretKey(
  env: Pick<Env, 'SECRET_KEY' | 'DATABASE_URL' | 'DATA_DIR'>,
): Promise<string | null> {
  if (env.SECRET_KEY !== undefined) return env.SECRET_KEY;
  return env.DATABASE_URL === undefined ? keyOfDirectory(env.DATA_DIR) : null;
}
