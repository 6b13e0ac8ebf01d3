import type { PriceFile } from '@inferboard/core/prices/price-list';
import { bigint, json, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';

/** Price lists that admins set. The newest one counts; the others are history. */
export const priceLists = pgTable('price_lists', {
  id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  /** With its date and source. Null from when the configured list counts again. As JSON, which keeps the order of tiers. */
  content: json().$type<PriceFile>(),
  /** Who set it. */
  accountId: text()
    .notNull()
    .references(() => accounts.id),
  createdAt: timestamp({ withTimezone: true, mode: 'string' }).notNull().defaultNow(),
});
