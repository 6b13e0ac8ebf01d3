import { and, desc, eq, inArray, isNull, ne, or, type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../connection/transaction.ts';
import { apiKeys } from '../schema/index.ts';
import { insertAuditEntry } from './audit.ts';

// Keys that the service creates at startup: the operator's fixed key, or generated ones.

const isLive = isNull(apiKeys.revokedAt);

async function revoke(db: Queryable, which: SQL | undefined): Promise<void> {
  const revoked = await db
    .update(apiKeys)
    .set({ revokedAt: sql`now()` })
    .where(and(apiKeys.fromStart, isLive, which))
    .returning({ id: apiKeys.id });
  for (const { id: target } of revoked) {
    const nobody = { accountId: null, keyId: null, requestId: null };
    await insertAuditEntry(db, { act: 'key_revoked', target, ...nobody, detail: {} });
  }
}

/** Revokes the keys of earlier starts, except one. */
export async function revokeOtherStartKeys(db: Queryable, accountId: string, keptId: string): Promise<void> {
  await revoke(db, and(eq(apiKeys.accountId, accountId), ne(apiKeys.id, keptId)));
}

/** Revokes unused keys of earlier starts, except the newest few. */
export async function revokeUnusedStartKeys(db: Queryable, accountId: string, kept: number): Promise<void> {
  const older = db
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(eq(apiKeys.accountId, accountId), apiKeys.fromStart, isLive, isNull(apiKeys.lastUsedAt)))
    .orderBy(desc(apiKeys.id))
    .offset(kept);
  await revoke(db, inArray(apiKeys.id, older));
}

/** True if the account has a live admin key that was used or was created with another key. */
export async function hasUsedAdminKey(db: Queryable, accountId: string): Promise<boolean> {
  const isKnown = or(sql`${apiKeys.lastUsedAt} is not null`, sql`not ${apiKeys.fromStart}`);
  const isAdmin = sql`'admin' = any(${apiKeys.scopes})`;
  return (await db.$count(apiKeys, and(eq(apiKeys.accountId, accountId), isLive, isAdmin, isKnown))) > 0;
}

/** Returns the id of a live admin key of an account by its SHA-256; null if it is not one. */
export async function findAdminKeyByHash(db: Queryable, accountId: string, hash: string): Promise<string | null> {
  const isAdmin = sql`'admin' = any(${apiKeys.scopes})`;
  const [row] = await db
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(eq(apiKeys.accountId, accountId), eq(apiKeys.hash, hash), isLive, isAdmin));
  return row?.id ?? null;
}
