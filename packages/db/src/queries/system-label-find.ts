import { eq } from 'drizzle-orm';
import { systems } from '../schema/index.ts';
import type { Queryable } from '../transaction.ts';

/** A system's label, by which lists are ordered; null if there is no such system. */
export async function findSystemLabel(db: Queryable, id: string): Promise<string | null> {
  const [row] = await db.select({ label: systems.label }).from(systems).where(eq(systems.id, id));
  return row?.label ?? null;
}
