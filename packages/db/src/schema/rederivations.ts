import { index, integer, jsonb, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import { results } from './results.ts';

const instant = () => timestamp({ withTimezone: true, mode: 'string' });

/** Each pass that re-read stored artifacts and replaced the results of earlier releases. Never removed. */
export const rederivations = pgTable('rederivations', {
  id: text().primaryKey(),
  /** The release that ran the pass. */
  release: text().notNull(),
  /** Limits the pass to submissions of this tool; null: all. */
  tool: text(),
  /** The last processed submission, from which an interrupted pass resumes. */
  reached: text().notNull().default(''),
  submissionsRead: integer().notNull().default(0),
  submissionsChanged: integer().notNull().default(0),
  submissionsUnreadable: integer().notNull().default(0),
  startedAt: instant().notNull().defaultNow(),
  /** Null while it runs, or if it was interrupted. */
  endedAt: instant(),
});

/** Results before they were re-read. Never edited. */
export const resultVersions = pgTable(
  'result_versions',
  {
    resultId: text()
      .notNull()
      .references(() => results.id),
    /** From 1; the current row in `results` is the version after the last one here. */
    version: integer().notNull(),
    rederivationId: text()
      .notNull()
      .references(() => rederivations.id),
    /** The row with the facts of its point, without null fields. */
    was: jsonb().notNull(),
    replacedAt: instant().notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.resultId, table.version] }),
    index('result_versions_rederivation').on(table.rederivationId),
  ],
);
