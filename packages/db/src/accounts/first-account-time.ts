import type { Queryable } from '../connection/transaction.ts';
import { accounts } from '../schema/accounts.ts';

/** When the first account was created: the start of this installation. Null without accounts. Ids are in order of time. */
export async function firstAccountTime(db: Queryable): Promise<string | null> {
  const [first] = await db.select({ at: accounts.createdAt }).from(accounts).orderBy(accounts.id).limit(1);
  return first?.at ?? null;
}
