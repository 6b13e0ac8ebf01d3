import { eq, sql } from 'drizzle-orm';
import { settings } from '../schema/index.ts';
import type { Queryable } from '../transaction.ts';

/** A fact about this installation; undefined if it was never set. */
export async function findSetting(db: Queryable, key: string): Promise<unknown> {
  const [row] = await db.select({ value: settings.value }).from(settings).where(eq(settings.key, key));
  return row?.value;
}

export async function upsertSetting(db: Queryable, key: string, value: unknown): Promise<void> {
  await db
    .insert(settings)
    .values({ key, value })
    .onConflictDoUpdate({ target: settings.key, set: { value, updatedAt: sql`now()` } });
}

/** A fact that is made once and stays: what is there already is answered, whichever process put it there. */
export async function keepSetting(db: Queryable, key: string, value: unknown): Promise<unknown> {
  const known = await findSetting(db, key);
  if (known !== undefined) return known;
  await db.insert(settings).values({ key, value }).onConflictDoNothing();
  return findSetting(db, key);
}
