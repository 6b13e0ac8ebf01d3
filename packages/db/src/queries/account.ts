import { and, eq, isNull, sql } from 'drizzle-orm';
import { createId } from '../ids.ts';
import { accounts, apiKeys } from '../schema/index.ts';
import type { Queryable } from '../transaction.ts';

export type Scope = 'submit' | 'run' | 'admin';

/** Who a request acts for. */
export interface Principal {
  accountId: string;
  accountName: string;
  keyId: string;
  scopes: Scope[];
}

/** The owner of a live key, by the SHA-256 of the key. */
export async function findPrincipalByKeyHash(db: Queryable, hash: string): Promise<Principal | null> {
  const [row] = await db
    .select({ accountId: accounts.id, accountName: accounts.name, keyId: apiKeys.id, scopes: apiKeys.scopes })
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .where(and(eq(apiKeys.hash, hash), isNull(apiKeys.revokedAt)));
  return row === undefined ? null : { ...row, scopes: row.scopes as Scope[] };
}

export async function findAccountByName(db: Queryable, name: string): Promise<{ id: string; name: string } | null> {
  const [row] = await db
    .select({ id: accounts.id, name: accounts.name })
    .from(accounts)
    .where(eq(sql`lower(${accounts.name})`, name.toLowerCase()));
  return row ?? null;
}

/** A new account; null if the name is taken, whatever its case. */
export async function insertAccount(
  db: Queryable,
  name: string,
): Promise<{ id: string; name: string; createdAt: string } | null> {
  const [row] = await db
    .insert(accounts)
    .values({ id: createId('acc'), name })
    .onConflictDoNothing()
    .returning({ id: accounts.id, name: accounts.name, createdAt: accounts.createdAt });
  return row ?? null;
}

/** Adds a key to an account. A key that is already there, such as a fixed admin key on a restart, stays as it is. */
export async function insertKey(
  db: Queryable,
  key: { accountId: string; hash: string; lastFour: string; scopes: Scope[] },
): Promise<string | null> {
  const [row] = await db
    .insert(apiKeys)
    .values({ id: createId('key'), ...key })
    .onConflictDoNothing()
    .returning({ id: apiKeys.id });
  return row?.id ?? null;
}

/** True if the account has a live key that may administer. */
export async function hasAdminKey(db: Queryable, accountId: string): Promise<boolean> {
  const rows = await db
    .select({ scopes: apiKeys.scopes })
    .from(apiKeys)
    .where(and(eq(apiKeys.accountId, accountId), isNull(apiKeys.revokedAt)));
  return rows.some((row) => row.scopes.includes('admin'));
}
