import { index, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

/** Usage of each caller relative to its limits. Unlogged: a crash resets all limits. */
export const rateLimits = pgTable(
  'rate_limits',
  {
    key: text().primaryKey(),
    /** When the full quota is available again. */
    busyUntil: timestamp({ withTimezone: true, mode: 'string' }).notNull(),
  },
  (table) => [index('rate_limits_busy_until').on(table.busyUntil)],
);
