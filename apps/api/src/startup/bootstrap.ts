import { findAccountByName, insertAccount, insertKey, type Scope } from '@inferboard/db/accounts/account';
import { lockAccount } from '@inferboard/db/accounts/account-lock';
import { insertAuditEntry } from '@inferboard/db/accounts/audit';
import { insertSignInLink } from '@inferboard/db/accounts/session';
import {
  findAdminKeyByHash,
  hasUsedAdminKey,
  revokeOtherStartKeys,
  revokeUnusedStartKeys,
} from '@inferboard/db/accounts/start-key';
import type { Database } from '@inferboard/db/connection/client';
import type { Transaction } from '@inferboard/db/connection/transaction';
import { createKey, createToken, hashKey } from '../accounts/keys.ts';

const adminName = 'admin';

/** The id of the account, created if it is missing; safe for two processes that start at once. */
export async function ensureAccount(db: Database['db'], name: string): Promise<string> {
  const id = (await insertAccount(db, name))?.id ?? (await findAccountByName(db, name))?.id;
  if (id === undefined) throw new Error(`account ${name} does not exist`);
  return id;
}

/** Maximum number of valid, unused generated keys, so that restarts do not accumulate them. */
const unusedKeysMax = 10;

const adminScopes: Scope[] = ['admin', 'submit', 'run', 'keys'];

/** The admin key that a start generated or read from ADMIN_KEY. */
export interface AdminKey {
  /** The generated key, to be shown; null if none was generated. */
  generated: string | null;
  /** The token of a one-time sign-in link for that key; null if none was generated. */
  signInToken: string | null;
  /** True if the key in ADMIN_KEY gives no access: it was revoked, or belongs to another account. */
  revoked: boolean;
}

/** The name of generated keys. Keys that the operator set have none; see the retention of `api_keys`. */
const generatedName = 'generated at a start';

async function storeKey(tx: Transaction, accountId: string, key: string, name: string | null): Promise<string | null> {
  const lastFour = key.slice(-4);
  const made = { accountId, hash: hashKey(key), lastFour, scopes: adminScopes, name, fromStart: true };
  const target = await insertKey(tx, made);
  const nobody = { accountId: null, keyId: null, requestId: null };
  if (target !== null)
    await insertAuditEntry(tx, { act: 'key_created', target, ...nobody, detail: { scopes: adminScopes } });
  return target;
}

/**
 * Ensures that the installation has an admin key. A key set by the operator revokes those of earlier starts. Without one, every
 * start generates a key until one of them is used, which revokes the others. A start that fails may not have shown its key, and
 * of several concurrent starts each shows a valid key.
 */
export async function ensureAdmin(db: Database['db'], fixedKey: string | undefined): Promise<AdminKey> {
  const accountId = await ensureAccount(db, adminName);
  return db.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    if (fixedKey !== undefined) {
      const id =
        (await storeKey(tx, accountId, fixedKey, null)) ?? (await findAdminKeyByHash(tx, accountId, hashKey(fixedKey)));
      // A process that restarts with the earlier setting must not revoke the new key.
      if (id !== null) await revokeOtherStartKeys(tx, accountId, id);
      return { generated: null, signInToken: null, revoked: id === null };
    }
    if (await hasUsedAdminKey(tx, accountId)) return { generated: null, signInToken: null, revoked: false };
    await revokeUnusedStartKeys(tx, accountId, unusedKeysMax - 1);
    const generated = createKey();
    const keyId = await storeKey(tx, accountId, generated, generatedName);
    if (keyId === null) throw new Error('the generated key exists already');
    const signInToken = createToken('ibl');
    await insertSignInLink(tx, { hash: hashKey(signInToken), keyId });
    return { generated, signInToken, revoked: false };
  });
}
