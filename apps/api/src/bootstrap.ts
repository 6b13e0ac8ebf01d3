import type { Database } from '@inferboard/db/client';
import { findAccountByName, insertAccount, insertKey, type Scope } from '@inferboard/db/queries/account';
import { lockAccount } from '@inferboard/db/queries/account-lock';
import { insertAuditEntry } from '@inferboard/db/queries/audit';
import {
  findAdminKeyByHash,
  hasUsedAdminKey,
  revokeOtherStartKeys,
  revokeUnusedStartKeys,
} from '@inferboard/db/queries/start-key';
import type { Transaction } from '@inferboard/db/transaction';
import { createKey, hashKey } from './keys.ts';

const adminName = 'admin';

/** The account's id, made if it is not there; safe when two processes start at once. */
export async function ensureAccount(db: Database['db'], name: string): Promise<string> {
  const id = (await insertAccount(db, name))?.id ?? (await findAccountByName(db, name))?.id;
  if (id === undefined) throw new Error(`account ${name} vanished`);
  return id;
}

/** Generated keys that nobody has used and that work at a time: restarts leave no more behind. */
const unusedKeysMax = 10;

const adminScopes: Scope[] = ['admin', 'submit', 'run', 'keys'];

/** What a start did about the key that administers. */
export interface AdminKey {
  /** The key it generated, to be shown; null if it generated none. */
  generated: string | null;
  /** The key in ADMIN_KEY gives no access: it was revoked, or is an account's. */
  revoked: boolean;
}

async function storeKey(tx: Transaction, accountId: string, key: string): Promise<string | null> {
  const lastFour = key.slice(-4);
  const made = { accountId, hash: hashKey(key), lastFour, scopes: adminScopes, fromStart: true };
  const target = await insertKey(tx, made);
  const nobody = { accountId: null, keyId: null, requestId: null };
  if (target !== null)
    await insertAuditEntry(tx, { act: 'key_created', target, ...nobody, detail: { scopes: adminScopes } });
  return target;
}

/**
 * Makes sure that someone can administer this installation. The key that the operator fixes ends those of earlier starts.
 * Without one, every start generates a key until one of them is used, which ends the others: a start that fails may have
 * shown its key to nobody, and of several that begin at once each shows a key that works.
 */
export async function ensureAdmin(db: Database['db'], fixedKey: string | undefined): Promise<AdminKey> {
  const accountId = await ensureAccount(db, adminName);
  return db.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    if (fixedKey !== undefined) {
      const id =
        (await storeKey(tx, accountId, fixedKey)) ?? (await findAdminKeyByHash(tx, accountId, hashKey(fixedKey)));
      // A process that starts once more with the setting from before a change must not end the new key.
      if (id !== null) await revokeOtherStartKeys(tx, accountId, id);
      return { generated: null, revoked: id === null };
    }
    if (await hasUsedAdminKey(tx, accountId)) return { generated: null, revoked: false };
    await revokeUnusedStartKeys(tx, accountId, unusedKeysMax - 1);
    const generated = createKey();
    await storeKey(tx, accountId, generated);
    return { generated, revoked: false };
  });
}
