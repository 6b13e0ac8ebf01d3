import { index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';
import { submissions } from './submissions.ts';

const instant = () => timestamp({ withTimezone: true, mode: 'string' });

/** Submissions that await a regression check, for accounts that subscribe to it. */
export const regressionChecks = pgTable(
  'regression_checks',
  {
    submissionId: text()
      .primaryKey()
      .references(() => submissions.id),
    /** Number of claims; an attempt with a lower number has lost the row. */
    attempts: integer().notNull().default(0),
    /** A worker advances it when it claims the check. */
    nextAt: instant().notNull().defaultNow(),
  },
  (table) => [index('regression_checks_due').on(table.nextAt)],
);

/** Changes already reported to an account, identified as in GET /v1/changes, so that each is reported once. */
export const notifiedRegressions = pgTable(
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
