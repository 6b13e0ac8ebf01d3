import { anonymousPrefix, nameKey } from '@inferboard/core/names/account-name';
import { and, desc, eq, gt, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../connection/client.ts';
import { gather } from '../connection/gather.ts';
import { createId } from '../connection/ids.ts';
import { prepared, value } from '../connection/statement.ts';
import type { Queryable, Transaction } from '../connection/transaction.ts';
import { wordArray } from '../copy/bulk.ts';
import type { Standing } from '../schema/accounts.ts';
import { accounts, apiKeys } from '../schema/index.ts';
import { revokeUnusedStartKeys } from './start-key.ts';

/** `keys`: creates and revokes keys of its account. `admin` includes the other scopes. */
export const scopes = ['submit', 'run', 'keys', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** The account and key that a request acts for. */
export interface Principal {
  accountId: string;
  accountName: string;
  keyId: string;
  scopes: Scope[];
  /** SHA-256 of the session token; unset if the request sent the key. */
  session?: string;
  /** The account registered itself within the last week. */
  isNew?: boolean;
}

interface KeyOwner extends Required<Omit<Principal, 'session'>> {
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
  where k.hash = any(${value('hashes')}::text[]) and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > now())`);

const findKeyOwner = gather(async (db, hashes) => {
  const rows = await selectKeyOwners(db, { hashes: wordArray(hashes) });
  return new Map(rows.map((row) => [row.hash, row]));
});

/** Finds the owner of a live key by the key's SHA-256. */
export async function findPrincipalByKeyHash(db: Queryable, hash: string): Promise<Principal | null> {
  return noteUse(db, await findKeyOwner(db, hash));
}

const selectSessionOwner = prepared<{ hash: string }, KeyOwner>(sql`
  select k.hash, a.id as "accountId", a.name as "accountName", k.id as "keyId", to_json(k.scopes) as scopes,
    coalesce(k.last_used_at < now() - interval '1 hour', true) as "isStale",
    k.from_start and k.last_used_at is null as "isFirstUse",
    a.registered_itself and a.created_at > now() - interval '7 days' as "isNew"
  from sessions s join api_keys k on k.id = s.key_id join accounts a on a.id = k.account_id
  where s.hash = ${value('hash')} and s.expires_at > now() and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > now())`);

/** Finds the owner of a session whose key is still live, by the SHA-256 of the session token. */
export async function findPrincipalBySessionHash(db: Queryable, hash: string): Promise<Principal | null> {
  const [found] = await selectSessionOwner(db, { hash });
  const principal = await noteUse(db, found ?? null);
  return principal && { ...principal, session: hash };
}

async function noteUse(db: Queryable, found: KeyOwner | null): Promise<Principal | null> {
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

/** The displayed fields of an account. */
export interface AccountRow {
  id: string;
  name: string;
  standing: Standing;
  createdAt: string;
}

const shown = { id: accounts.id, name: accounts.name, standing: accounts.standing, createdAt: accounts.createdAt };

/**
 * Creates an account. Returns null if the name, or one that looks like it, is taken. A self-registered account is `new`. Every
 * other account is vouched for by an admin account or by the start of the service.
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

/** Accounts that are neither vouched for nor established, newest first. Excludes the accounts of submissions without a key. */
export async function listNewAccounts(db: Queryable, limit: number): Promise<(AccountRow & { submissions: number })[]> {
  const submitted = sql<number>`(select count(*)::int from submissions s where s.account_id = accounts.id)`;
  return db
    .select({ ...shown, submissions: submitted })
    .from(accounts)
    .where(and(eq(accounts.standing, 'new'), sql`not starts_with(${accounts.name}, ${anonymousPrefix})`))
    .orderBy(desc(accounts.id))
    .limit(limit);
}

/** Finds an account by id; null if it does not exist. */
export async function findAccount(db: Queryable, id: string): Promise<AccountRow | null> {
  const [row] = await db.select(shown).from(accounts).where(eq(accounts.id, id));
  return row ?? null;
}

/** A key to store. */
export interface NewKey {
  accountId: string;
  hash: string;
  lastFour: string;
  scopes: Scope[];
  name?: string | null;
  /** When the key expires; null if it does not expire. */
  expiresAt?: string | null;
}

/** Adds a key to an account. Returns null and changes nothing if the key exists, live or revoked. */
export async function insertKey(db: Queryable, key: NewKey & { fromStart?: boolean }): Promise<string | null> {
  const [row] = await db
    .insert(apiKeys)
    .values({ id: createId('key'), ...key })
    .onConflictDoNothing()
    .returning({ id: apiKeys.id });
  return row?.id ?? null;
}

/** The metadata of a key, without the key. */
export interface KeyRow {
  id: string;
  lastFour: string;
  scopes: Scope[];
  name: string | null;
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
  revokedAt: string | null;
}

async function selectKeys(db: Queryable, where: SQL | undefined): Promise<KeyRow[]> {
  const { id, lastFour, name, createdAt, expiresAt, lastUsedAt, revokedAt } = apiKeys;
  const rows = await db
    .select({ id, lastFour, scopes: apiKeys.scopes, name, createdAt, expiresAt, lastUsedAt, revokedAt })
    .from(apiKeys)
    .where(where)
    .orderBy(desc(id));
  return rows.map((row) => ({ ...row, scopes: row.scopes as Scope[] }));
}

/** The keys of an account, newest first, including revoked ones. */
export const listKeys = (db: Queryable, accountId: string) => selectKeys(db, eq(apiKeys.accountId, accountId));

/** Finds a key, live or revoked, of an account; of any account if `accountId` is null. Null if it does not exist. */
export async function findKey(db: Queryable, id: string, accountId: string | null): Promise<KeyRow | null> {
  const own = accountId === null ? undefined : eq(apiKeys.accountId, accountId);
  return (await selectKeys(db, and(eq(apiKeys.id, id), own)))[0] ?? null;
}

/** Maximum live keys of an account: one for each machine that sends results, and one for rotation. */
export const liveKeysMax = 20;

/** Adds a key to an account. Returns null if the account has the maximum. Concurrent calls are serialized. */
export async function insertNextKey(
  db: Database['db'],
  key: NewKey,
  done: (tx: Transaction, id: string) => Promise<void> = async () => {},
): Promise<string | null> {
  return db.transaction(async (tx) => {
    await tx.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, key.accountId)).for('no key update');
    const isLive = and(isNull(apiKeys.revokedAt), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, sql`now()`)));
    const live = await tx.$count(apiKeys, and(eq(apiKeys.accountId, key.accountId), isLive));
    const id = live >= liveKeysMax ? null : await insertKey(tx, key);
    if (id !== null) await done(tx, id);
    return id;
  });
}

/** Revokes a key of an account; of any account if `accountId` is null. Returns false if no such live key exists. */
export async function revokeKey(db: Queryable, id: string, accountId: string | null): Promise<boolean> {
  const own = accountId === null ? undefined : eq(apiKeys.accountId, accountId);
  const revoked = await db
    .update(apiKeys)
    .set({ revokedAt: sql`now()` })
    .where(and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt), own))
    .returning({ id: apiKeys.id });
  return revoked.length > 0;
}

/** Records the last use of a key, rounded to the hour to avoid a write per read. */
async function touchKey(db: Queryable, id: string): Promise<void> {
  await db
    .update(apiKeys)
    .set({ lastUsedAt: sql`now()` })
    .where(and(eq(apiKeys.id, id), sql`coalesce(${apiKeys.lastUsedAt} < now() - interval '1 hour', true)`));
}
