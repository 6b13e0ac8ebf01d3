import type { AdditionKind } from '@inferboard/core/catalogue/additions';
import { sql } from 'drizzle-orm';
import { check, jsonb, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';

/**
 * What operators added to the catalogue of the release: entries with their facts, and further names of entries that are
 * there. Each process reads all of it when the data version of the scope `catalogue` has changed.
 */
export const catalogueEntries = pgTable(
  'catalogue_entries',
  {
    id: text().primaryKey(),
    kind: text().notNull().$type<AdditionKind>(),
    /** Of the entry in the catalogue. */
    entryId: text().notNull(),
    /** As the schema of the kind in core has them; null for further names of an entry. */
    facts: jsonb().$type<Record<string, unknown>>(),
    aliases: text().array().notNull(),
    addedBy: text()
      .notNull()
      .references(() => accounts.id),
    /** In the order in which they were added: the statement's time, not that of its transaction, which may have waited. */
    createdAt: timestamp({ withTimezone: true, mode: 'string' }).notNull().default(sql`clock_timestamp()`),
  },
  (table) => [
    uniqueIndex('catalogue_entries_entry_unique').on(table.kind, table.entryId).where(sql`${table.facts} is not null`),
    check('catalogue_entries_kind_known', sql`${table.kind} in ('model', 'gpu', 'quantization', 'engine')`),
  ],
);
