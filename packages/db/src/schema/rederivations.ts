import { index, integer, jsonb, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import { results } from './results.ts';

const instant = () => timestamp({ withTimezone: true, mode: 'string' });

/** Each time what is stored was read again and put in place of what earlier releases had made of it. Never removed. */
export const rederivations = pgTable('rederivations', {
  id: text().primaryKey(),
  /** The release that read. */
  release: text().notNull(),
  /** Only submissions of this tool; null: all. */
  tool: text(),
  /** The last submission that was gone through: one that broke off goes on after it. */
  reached: text().notNull().default(''),
  submissionsRead: integer().notNull().default(0),
  submissionsChanged: integer().notNull().default(0),
  submissionsUnreadable: integer().notNull().default(0),
  startedAt: instant().notNull().defaultNow(),
  /** Null while it is under way, or where it broke off. */
  endedAt: instant(),
});

/** Results as they were before they were read again. Never edited. */
export const resultVersions = pgTable(
  'result_versions',
  {
    resultId: text()
      .notNull()
      .references(() => results.id),
    /** From 1; what stands in `results` is the one after the last here. */
    version: integer().notNull(),
    rederivationId: text()
      .notNull()
      .references(() => rederivations.id),
    /** The row with what its point was, without what it lacked. */
    was: jsonb().notNull(),
    replacedAt: instant().notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.resultId, table.version] }),
    index('result_versions_rederivation').on(table.rederivationId),
  ],
);
