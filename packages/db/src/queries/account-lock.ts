import { eq } from 'drizzle-orm';
import { accounts } from '../schema/index.ts';
import type { Transaction } from '../transaction.ts';

/** Makes other transactions that want the same account wait for the end of this one. */
export async function lockAccount(tx: Transaction, id: string): Promise<void> {
  await tx.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, id)).for('update');
}
