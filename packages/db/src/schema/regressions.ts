import { index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';
import { submissions } from './submissions.ts';

const instant = () => timestamp({ withTimezone: true, mode: 'string' });

/** Submissions whose account wants to be told what got worse, until somebody has looked. */
export const regressionChecks = pgTable(
  'regression_checks',
  {
    submissionId: text()
      .primaryKey()
      .references(() => submissions.id),
    /** Whoever looks names the attempt; a later one finds the row moved on. */
    attempts: integer().notNull().default(0),
    /** A worker that looks moves it on first. */
    nextAt: instant().notNull().defaultNow(),
  },
  (table) => [index('regression_checks_due').on(table.nextAt)],
);

/** What an account was told of, by the names that GET /v1/changes gives: each change once. */
export const toldRegressions = pgTable(
  'told_regressions',
  {
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    resultId: text().notNull(),
    type: text().notNull(),
    metric: text().notNull(),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.resultId, table.type, table.metric] })],
);
