import { index, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

/** How far ahead of its allowance each caller is. Not logged: after a crash everybody starts afresh. */
export const rateLimits = pgTable(
  'rate_limits',
  {
    key: text().primaryKey(),
    /** When everything that was taken will have been earned. */
    busyUntil: timestamp({ withTimezone: true, mode: 'string' }).notNull(),
  },
  (table) => [index('rate_limits_busy_until').on(table.busyUntil)],
);
