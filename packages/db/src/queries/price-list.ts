import type { PriceFile } from '@inferboard/core/prices/price-list';
import { desc } from 'drizzle-orm';
import { priceLists } from '../schema/index.ts';
import type { Queryable } from '../transaction.ts';

/** A price list that an admin set. */
export interface PriceListRow {
  id: number;
  /** Not checked again since it was set. */
  content: unknown;
  createdAt: string;
}

/** The price list that an admin set last; null where there is none, or it was removed. */
export async function findPriceList(db: Queryable): Promise<PriceListRow | null> {
  const { id, content, createdAt } = priceLists;
  const [row] = await db.select({ id, content, createdAt }).from(priceLists).orderBy(desc(id)).limit(1);
  return row === undefined || row.content === null ? null : row;
}

/**
 * Replaces the price list. Earlier ones stay as history.
 *
 * @param change.content null to use the configured list again
 */
export async function insertPriceList(
  tx: Queryable,
  change: { content: PriceFile | null; accountId: string },
): Promise<void> {
  await tx.insert(priceLists).values(change);
}
