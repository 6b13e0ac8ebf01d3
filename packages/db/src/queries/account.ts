import { nameKey } from '@inferboard/core/names/account-name';
import { and, desc, eq, isNull, type SQL, sql } from 'drizzle-orm';
import { wordArray } from '../bulk.ts';
import type { Database } from '../client.ts';
import { gather } from '../gather.ts';
import { createId } from '../ids.ts';
import type { Standing } from '../schema/accounts.ts';
import { accounts, apiKeys } from '../schema/index.ts';
import { prepared, value } from '../statement.ts';
import type { Queryable, Transaction } from '../transaction.ts';
import { revokeUnusedStartKeys } from './start-key.ts';

/** `keys`: makes and revokes keys of its account. `admin` includes the others. */
export const scopes = ['submit', 'run', 'keys', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** Who a request acts for. */
export interface Principal {
  accountId: string;
  accountName: string;
  keyId: string;
  scopes: Scope[];
  /** It registered itself within the last week. */
  isNew?: boolean;
}

interface KeyOwner extends Required<Principal> {
  hash: string;
  isStale: boolean;
  isFirstUse: boolean;
}

const selectKeyOwners = prepared<{ hashes: string }, KeyOwner>(sql`
  select k.hash, a.id as "accountId", a.name as "accountName", k.id as "keyId", to_json(k.scopes) as scopes,
    coalesce(k.last_used_at < now() - interval '1 hour', true) as "isStale",
    k.from_start and k.last_used_at is null as "isFirstUse",
    a.registered_itself and a.created_at > now() - interval '7 days' as "isNew"
  from api_keys k join accounts a on a.id = k.account_id
  where k.hash = any(${value('hashes')}::text[]) and k.revoked_at is null`);

const findKeyOwner = gather(async (db, hashes) => {
  const rows = await selectKeyOwners(db, { hashes: wordArray(hashes) });
  return new Map(rows.map((row) => [row.hash, row]));
});

/** The owner of a live key, by the SHA-256 of the key. */
export async function findPrincipalByKeyHash(db: Queryable, hash: string): Promise<Principal | null> {
  const found = await findKeyOwner(db, hash);
  if (found === null) return null;
  const { hash: _, isStale, isFirstUse, ...principal } = found;
  if (isStale) await touchKey(db, principal.keyId);
  if (isFirstUse) await revokeUnusedStartKeys(db, principal.accountId, 0);
  return principal;
}

export async function findAccountByName(db: Queryable, name: string): Promise<{ id: string; name: string } | null> {
  const [row] = await db
    .select({ id: accounts.id, name: accounts.name })
    .from(accounts)
    .where(eq(sql`lower(${accounts.name})`, name.toLowerCase()));
  return row ?? null;
}

/** What is shown of an account. */
export interface AccountRow {
  id: string;
  name: string;
  standing: Standing;
  createdAt: string;
}

const shown = { id: accounts.id, name: accounts.name, standing: accounts.standing, createdAt: accounts.createdAt };

/**
 * A new account; null if the name is taken, or looks like one that is. One that registered itself is `new`, every other one is
 * vouched for, by an admin's account or by whoever starts the service.
 */
export async function insertAccount(
  db: Queryable,
  name: string,
  { registeredItself = false, vouchedBy = null }: { registeredItself?: boolean; vouchedBy?: string | null } = {},
): Promise<AccountRow | null> {
  const standing = registeredItself
    ? { registeredItself, standing: 'new' as const }
    : { standing: 'vouched' as const, vouchedAt: sql`now()`, vouchedBy };
  const [row] = await db
    .insert(accounts)
    .values({ id: createId('acc'), name, nameKey: nameKey(name), ...standing })
    .onConflictDoNothing()
    .returning(shown);
  return row ?? null;
}

/** An account by its id; null if there is none. */
export async function findAccount(db: Queryable, id: string): Promise<AccountRow | null> {
  const [row] = await db.select(shown).from(accounts).where(eq(accounts.id, id));
  return row ?? null;
}

/** Adds a key to an account; null if it is there already, live or revoked, and stays as it is. */
export async function insertKey(
  db: Queryable,
  key: { accountId: string; hash: string; lastFour: string; scopes: Scope[]; fromStart?: boolean },
): Promise<string | null> {
  const [row] = await db
    .insert(apiKeys)
    .values({ id: createId('key'), ...key })
    .onConflictDoNothing()
    .returning({ id: apiKeys.id });
  return row?.id ?? null;
}

/** What is known of a key; never the key itself. */
export interface KeyRow {
  id: string;
  lastFour: string;
  scopes: Scope[];
  createdAt: string;
  lastUsedAt: string | null;
  revokedAt: string | null;
}

async function selectKeys(db: Queryable, where: SQL | undefined): Promise<KeyRow[]> {
  const { id, lastFour, createdAt, lastUsedAt, revokedAt } = apiKeys;
  const rows = await db
    .select({ id, lastFour, scopes: apiKeys.scopes, createdAt, lastUsedAt, revokedAt })
    .from(apiKeys)
    .where(where)
    .orderBy(desc(id));
  return rows.map((row) => ({ ...row, scopes: row.scopes as Scope[] }));
}

/** The keys of an account, newest first, revoked ones included. */
export const listKeys = (db: Queryable, accountId: string) => selectKeys(db, eq(apiKeys.accountId, accountId));

/** A key of an account, or for `accountId` null anybody's, revoked or not; null if there is none. */
export async function findKey(db: Queryable, id: string, accountId: string | null): Promise<KeyRow | null> {
  const own = accountId === null ? undefined : eq(apiKeys.accountId, accountId);
  return (await selectKeys(db, and(eq(apiKeys.id, id), own)))[0] ?? null;
}

/** Keys of an account that work at a time: one in use, and one to change to. */
export const liveKeysMax = 2;

/** Adds a key to an account beside those it has; null if it has as many as it may. Simultaneous ones wait for each other. */
export async function insertNextKey(
  db: Database['db'],
  key: { accountId: string; hash: string; lastFour: string; scopes: Scope[] },
  done: (tx: Transaction, id: string) => Promise<void> = async () => {},
): Promise<string | null> {
  return db.transaction(async (tx) => {
    await tx.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, key.accountId)).for('no key update');
    const live = await tx.$count(apiKeys, and(eq(apiKeys.accountId, key.accountId), isNull(apiKeys.revokedAt)));
    const id = live >= liveKeysMax ? null : await insertKey(tx, key);
    if (id !== null) await done(tx, id);
    return id;
  });
}

/** Ends a key of an account, or for `accountId` null anybody's. False if there is none such that still works. */
export async function revokeKey(db: Queryable, id: string, accountId: string | null): Promise<boolean> {
  const own = accountId === null ? undefined : eq(apiKeys.accountId, accountId);
  const revoked = await db
    .update(apiKeys)
    .set({ revokedAt: sql`now()` })
    .where(and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt), own))
    .returning({ id: apiKeys.id });
  return revoked.length > 0;
}

/** Notes that a key was used, to the hour: a write for every read would cost more than it tells. */
async function touchKey(db: Queryable, id: string): Promise<void> {
  await db
    .update(apiKeys)
    .set({ lastUsedAt: sql`now()` })
    .where(and(eq(apiKeys.id, id), sql`coalesce(${apiKeys.lastUsedAt} < now() - interval '1 hour', true)`));
}
