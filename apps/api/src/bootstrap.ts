import type { Database } from '@inferboard/db/client';
import { findAccountByName, hasAdminKey, insertAccount, insertKey, type Scope } from '@inferboard/db/queries/account';
import { lockAccount } from '@inferboard/db/queries/account-lock';
import { insertAuditEntry } from '@inferboard/db/queries/audit';
import { createKey, hashKey } from './keys.ts';

const adminName = 'admin';

/** The account's id, made if it is not there; safe when two processes start at once. */
export async function ensureAccount(db: Database['db'], name: string): Promise<string> {
  const id = (await insertAccount(db, name))?.id ?? (await findAccountByName(db, name))?.id;
  if (id === undefined) throw new Error(`account ${name} vanished`);
  return id;
}

/**
 * Makes sure that someone can administer this installation. Answers the key it generated, to be shown once; null if
 * there was one, or if the operator fixed it.
 */
export async function ensureAdmin(db: Database['db'], fixedKey: string | undefined): Promise<string | null> {
  const accountId = await ensureAccount(db, adminName);
  return db.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const store = async (key: string) => {
      const scopes: Scope[] = ['admin', 'submit', 'run'];
      const target = await insertKey(tx, { accountId, hash: hashKey(key), lastFour: key.slice(-4), scopes });
      const nobody = { accountId: null, keyId: null, requestId: null };
      if (target !== null) await insertAuditEntry(tx, { act: 'key_created', target, ...nobody, detail: { scopes } });
    };
    if (fixedKey !== undefined) {
      await store(fixedKey);
      return null;
    }
    if (await hasAdminKey(tx, accountId)) return null;
    const key = createKey();
    await store(key);
    return key;
  });
}
