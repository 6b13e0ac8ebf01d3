import { bigint, date, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

/** Requests on a day (UTC) to an unverified server: an origin, or an address with its port. */
export const targetUsage = pgTable(
  'target_usage',
  {
    target: text().notNull(),
    day: date().notNull(),
    requests: bigint({ mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.target, table.day] })],
);

/** Leases of open requests at such a server. The lease of a crashed process expires. */
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
