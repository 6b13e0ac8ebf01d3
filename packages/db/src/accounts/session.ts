import { and, desc, eq, gt, inArray, sql } from 'drizzle-orm';
import type { Queryable } from '../connection/transaction.ts';
import { sessions, signInLinks } from '../schema/index.ts';

/** Hours until a session expires; fewer for keys with the scope `admin`. */
const sessionHours = 7 * 24;
const adminSessionHours = 12;

/** Maximum sessions of a key: a further one ends the oldest. */
export const sessionsMax = 100;

async function endOldest(db: Queryable, keyId: string): Promise<void> {
  const oldest = db
    .select({ hash: sessions.hash })
    .from(sessions)
    .where(eq(sessions.keyId, keyId))
    .orderBy(desc(sessions.createdAt), desc(sessions.hash))
    .offset(sessionsMax);
  await db.delete(sessions).where(inArray(sessions.hash, oldest));
}

/** Starts a session with the rights of a key. Returns its expiry time. */
export async function insertSession(
  db: Queryable,
  { hash, keyId, isAdmin }: { hash: string; keyId: string; isAdmin: boolean },
): Promise<string> {
  const hours = isAdmin ? adminSessionHours : sessionHours;
  const [row] = await db
    .insert(sessions)
    .values({ hash, keyId, expiresAt: sql`now() + make_interval(hours => ${hours})` })
    .returning({ expiresAt: sessions.expiresAt });
  if (row === undefined) throw new Error('the session was not stored');
  await endOldest(db, keyId);
  return row.expiresAt;
}

/** Ends a session. */
export async function removeSession(db: Queryable, hash: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.hash, hash));
}

/** Minutes that a sign-in link is valid. */
export const signInLinkMinutes = 60;

/** Stores a link that signs in once with the rights of a key. */
export async function insertSignInLink(db: Queryable, link: { hash: string; keyId: string }): Promise<void> {
  await db.insert(signInLinks).values({ ...link, expiresAt: sql`now() + make_interval(mins => ${signInLinkMinutes})` });
}

/** Redeems a sign-in link. Returns the id of its key; null if the link is unknown, expired or used. */
export async function takeSignInLink(db: Queryable, hash: string): Promise<string | null> {
  const [row] = await db
    .delete(signInLinks)
    .where(and(eq(signInLinks.hash, hash), gt(signInLinks.expiresAt, sql`now()`)))
    .returning({ keyId: signInLinks.keyId });
  return row?.keyId ?? null;
}
