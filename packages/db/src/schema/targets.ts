import { bigint, date, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

/** What was asked on a day (UTC) of a server that nobody has proven to be theirs: an origin, or an address with its port. */
export const targetUsage = pgTable(
  'target_usage',
  {
    target: text().notNull(),
    day: date().notNull(),
    requests: bigint({ mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.target, table.day] })],
);

/** Requests that may be under way at such a server now. One whose process died ends by itself. */
export const targetLeases = pgTable(
  'target_leases',
  {
    target: text().notNull(),
    id: text().notNull(),
    requests: integer().notNull(),
    until: timestamp({ withTimezone: true, mode: 'string' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.target, table.id] }), index('target_leases_until').on(table.until)],
);
