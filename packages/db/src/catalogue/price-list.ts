import type { PriceFile } from '@inferboard/core/prices/price-list';
import { desc } from 'drizzle-orm';
import type { Queryable } from '../connection/transaction.ts';
import { priceLists } from '../schema/index.ts';

/** A price list that an admin set. */
export interface PriceListRow {
  id: number;
  /** Validated when it was set, not again when it is read. */
  content: unknown;
  createdAt: string;
}

/** The latest price list; null if none was set or it was removed. */
export async function findPriceList(db: Queryable): Promise<PriceListRow | null> {
  const { id, content, createdAt } = priceLists;
  const [row] = await db.select({ id, content, createdAt }).from(priceLists).orderBy(desc(id)).limit(1);
  return row === undefined || row.content === null ? null : row;
}

/**
 * Replaces the price list. Earlier ones are kept as history.
 *
 * @param change.content null to return to the configured list
 */
export async function insertPriceList(
  tx: Queryable,
  change: { content: PriceFile | null; accountId: string },
): Promise<void> {
  await tx.insert(priceLists).values(change);
}
