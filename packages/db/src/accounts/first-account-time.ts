import { sql } from 'drizzle-orm';
import type { Queryable } from '../connection/transaction.ts';

/** When the first account was created: the start of this installation. Null without accounts. */
export async function firstAccountTime(db: Queryable): Promise<string | null> {
  const [row] = (await db.execute(
    sql`select to_char(min(created_at) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at from accounts`,
  )) as unknown as { at: string | null }[];
  return row?.at ?? null;
}
