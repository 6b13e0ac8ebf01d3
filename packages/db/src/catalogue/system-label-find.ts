import { eq } from 'drizzle-orm';
import type { Queryable } from '../connection/transaction.ts';
import { systems } from '../schema/index.ts';

/** A system's label, the sort key of lists; null if the system does not exist. */
export async function findSystemLabel(db: Queryable, id: string): Promise<string | null> {
  const [row] = await db.select({ label: systems.label }).from(systems).where(eq(systems.id, id));
  return row?.label ?? null;
}
