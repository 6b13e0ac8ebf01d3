import type { AdditionKind } from '@inferboard/core/catalogue/additions/additions';
import { sql } from 'drizzle-orm';
import { check, jsonb, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';

/**
 * Operators' additions to the release's catalogue: entries with their facts, and further names of existing entries. Each
 * process reads all of them when the data version of the scope `catalogue` changes.
 */
export const catalogueEntries = pgTable(
  'catalogue_entries',
  {
    id: text().primaryKey(),
    kind: text().notNull().$type<AdditionKind>(),
    /** Id of the catalogue entry. */
    entryId: text().notNull(),
    /** In the schema of the kind in core; null for further names of an entry. */
    facts: jsonb().$type<Record<string, unknown>>(),
    aliases: text().array().notNull(),
    addedBy: text()
      .notNull()
      .references(() => accounts.id),
    /** Creation order: the statement's time, because the transaction may have waited. */
    createdAt: timestamp({ withTimezone: true, mode: 'string' }).notNull().default(sql`clock_timestamp()`),
  },
  (table) => [
    uniqueIndex('catalogue_entries_entry_unique').on(table.kind, table.entryId).where(sql`${table.facts} is not null`),
    check('catalogue_entries_kind_known', sql`${table.kind} in ('model', 'gpu', 'quantization', 'engine')`),
  ],
);
