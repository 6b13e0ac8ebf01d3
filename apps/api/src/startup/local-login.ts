import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findPrincipalByKeyHash, insertKey, listKeys, revokeKey, type Scope } from '@inferboard/db/accounts/account';
import { lockAccount } from '@inferboard/db/accounts/account-lock';
import { insertAuditEntry } from '@inferboard/db/accounts/audit';
import type { Database } from '@inferboard/db/connection/client';
import { createKey, hashKey } from '../accounts/keys.ts';
import { ensureAccount } from './bootstrap.ts';
import type { Env } from './env.ts';

const fileName = 'login.json';
const keyName = 'client of this checkout';
const scopes: Scope[] = ['submit', 'run'];
const nobody = { accountId: null, keyId: null, requestId: null };

/** True if only this machine can reach the service, and its data are in a folder of the user who started it. */
export const isLocal = ({ HOST, DATABASE_URL }: Pick<Env, 'HOST' | 'DATABASE_URL'>): boolean =>
  DATABASE_URL === undefined && ['127.0.0.1', '::1', 'localhost'].includes(HOST);

async function readKey(file: string): Promise<string | null> {
  try {
    const { key } = JSON.parse(await readFile(file, 'utf8')) as { key?: unknown };
    return typeof key === 'string' ? key : null;
  } catch {
    return null;
  }
}

/** Creates a key and revokes the earlier ones, whose file is gone. */
async function replaceKey(db: Database['db'], accountId: string): Promise<string> {
  const key = createKey();
  await db.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    for (const { id, name } of await listKeys(tx, accountId))
      if (name === keyName && (await revokeKey(tx, id, accountId)))
        await insertAuditEntry(tx, { act: 'key_revoked', target: id, ...nobody, detail: {} });
    const target = await insertKey(tx, {
      accountId,
      hash: hashKey(key),
      lastFour: key.slice(-4),
      scopes,
      name: keyName,
    });
    if (target === null) throw new Error('the generated key exists already');
    await insertAuditEntry(tx, { act: 'key_created', target, ...nobody, detail: { scopes } });
  });
  return key;
}

/**
 * Writes the URL of this service and a key to `login.json` in the data directory, readable only by its owner, so that
 * `npx inferboard` in the checkout needs no login. The key belongs to the admin account. It can submit and run, but not
 * administer. A valid key is kept.
 */
export async function ensureLocalLogin(db: Database['db'], dataDir: string, url: string): Promise<void> {
  const file = join(dataDir, fileName);
  const kept = await readKey(file);
  const isValid = kept !== null && (await findPrincipalByKeyHash(db, hashKey(kept))) !== null;
  const key = isValid ? kept : await replaceKey(db, await ensureAccount(db, 'admin'));
  // A new file, because the mode of an existing one may let others read it.
  const fresh = `${file}.${process.pid}`;
  await writeFile(fresh, `${JSON.stringify({ url, key }, null, 2)}\n`, { mode: 0o600 });
  await rename(fresh, file);
}
