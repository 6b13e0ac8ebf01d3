import { eq } from 'drizzle-orm';
import type { Transaction } from '../connection/transaction.ts';
import { accounts } from '../schema/index.ts';

/** Locks an account until the transaction ends. Other transactions that lock it wait. */
export async function lockAccount(tx: Transaction, id: string): Promise<void> {
  await tx.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, id)).for('update');
}
