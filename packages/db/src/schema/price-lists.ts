import type { PriceFile } from '@inferboard/core/prices/price-list';
import { bigint, json, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';

/** Price lists set by admins. The newest one applies; the others are history. */
export const priceLists = pgTable('price_lists', {
  id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  /** Includes its date and source. Null returns to the configured list. Stored as JSON, which preserves the order of tiers. */
  content: json().$type<PriceFile>(),
  /** The admin's account. */
  accountId: text()
    .notNull()
    .references(() => accounts.id),
  createdAt: timestamp({ withTimezone: true, mode: 'string' }).notNull().defaultNow(),
});
