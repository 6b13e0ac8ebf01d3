import { and, desc, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { SignedRow } from '../boards/lists/row-types.ts';
import type { Database } from '../connection/client.ts';
import { createId } from '../connection/ids.ts';
import { prepared, value } from '../connection/statement.ts';
import type { Queryable, Transaction } from '../connection/transaction.ts';
import { accounts, signingKeys } from '../schema/index.ts';

/** Maximum unrevoked signing keys of an account: one for each machine that sends results. */
export const liveSigningKeysMax = 10;

/** A public key of an account. */
export interface SigningKeyRow {
  id: string;
  accountId: string;
  /** SubjectPublicKeyInfo in base64. */
  publicKey: string;
  createdAt: string;
  /** When a signature of this key was last verified. */
  lastUsedAt: string | null;
  revokedAt: string | null;
}

const lastUsedAt = sql<string | null>`(
  select max(g.verified_at) from submission_signatures g where g.signing_key = ${signingKeys}.id)`;

const { id, accountId, publicKey, createdAt, revokedAt } = signingKeys;

const select = (db: Queryable, where: SQL | undefined): Promise<SigningKeyRow[]> =>
  db
    .select({ id, accountId, publicKey, createdAt, lastUsedAt, revokedAt })
    .from(signingKeys)
    .where(where)
    .orderBy(desc(id));

/** The signing keys of an account, newest first, including revoked ones. */
export const listSigningKeys = (db: Queryable, account: string) => select(db, eq(accountId, account));

/** Finds a signing key of an account, live or revoked; null if it does not exist. */
export async function findSigningKey(db: Queryable, key: string, account: string): Promise<SigningKeyRow | null> {
  return (await select(db, and(eq(id, key), eq(accountId, account))))[0] ?? null;
}

/**
 * Adds a signing key to an account. A key that the account has, live or revoked, is returned unchanged. Null if the account
 * has the maximum. Concurrent calls are serialized.
 */
export async function addSigningKey(
  db: Database['db'],
  key: { accountId: string; publicKey: string },
  done: (tx: Transaction, id: string) => Promise<void> = async () => {},
): Promise<{ key: SigningKeyRow; isNew: boolean } | null> {
  return db.transaction(async (tx) => {
    await tx.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, key.accountId)).for('no key update');
    const [known] = await select(tx, and(eq(accountId, key.accountId), eq(publicKey, key.publicKey)));
    if (known !== undefined) return { key: known, isNew: false };
    const live = await tx.$count(signingKeys, and(eq(accountId, key.accountId), isNull(revokedAt)));
    if (live >= liveSigningKeysMax) return null;
    const [made] = await tx
      .insert(signingKeys)
      .values({ id: createId('sgk'), ...key })
      .returning();
    if (made === undefined) throw new Error('a signing key was not stored');
    await done(tx, made.id);
    return { key: { ...made, lastUsedAt: null }, isNew: true };
  });
}

/** Revokes a signing key of an account; of any account if `account` is null. Returns false if no such live key exists. */
export async function revokeSigningKey(db: Queryable, key: string, account: string | null): Promise<boolean> {
  const own = account === null ? undefined : eq(accountId, account);
  const revoked = await db
    .update(signingKeys)
    .set({ revokedAt: sql`now()` })
    .where(and(eq(id, key), isNull(revokedAt), own))
    .returning({ id });
  return revoked.length > 0;
}

/** A verified signature to store. */
export interface NewSignature {
  signingKey: string;
  signature: string;
}

// The signature that a submission has is not replaced.
const insert = prepared<{ submissionId: string; signingKey: string; signature: string }>(sql`
  insert into submission_signatures (submission_id, signing_key, signature)
  values (${value('submissionId')}, ${value('signingKey')}, ${value('signature')})
  on conflict (submission_id) do nothing`);

const selectSigned = prepared<{ submissionId: string }, SignedRow>(sql`
  select k.id as key_id, k.public_key, g.signature, g.verified_at, k.revoked_at as key_revoked_at
  from submission_signatures g join signing_keys k on k.id = g.signing_key
  where g.submission_id = ${value('submissionId')}`);

/** Stores the signature of a submission that has none, and returns the stored one. */
export async function insertSignature(
  db: Queryable,
  submissionId: string,
  signature: NewSignature,
): Promise<SignedRow | null> {
  await insert(db, { submissionId, ...signature });
  const [signed] = await selectSigned(db, { submissionId });
  return signed ?? null;
}
