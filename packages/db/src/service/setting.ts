import { eq, sql } from 'drizzle-orm';
import type { Queryable } from '../connection/transaction.ts';
import { settings } from '../schema/index.ts';

/** A setting of this installation; undefined if it was never set. */
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

/** Stores a setting once. Returns the existing value if another process set it first. */
export async function keepSetting(db: Queryable, key: string, value: unknown): Promise<unknown> {
  const known = await findSetting(db, key);
  if (known !== undefined) return known;
  await db.insert(settings).values({ key, value }).onConflictDoNothing();
  return findSetting(db, key);
}
