import type { ConcernAction, ConcernReason, ConcernState } from '@inferboard/core/concerns';
import { sql } from 'drizzle-orm';
import { check, index, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';
import { submissions } from './submissions.ts';

const instant = () => timestamp({ withTimezone: true, mode: 'string' });

/** A reader's report about a submission, the owner's answer, and the admin's decision. */
export const concerns = pgTable(
  'concerns',
  {
    id: text().primaryKey(),
    submissionId: text()
      .notNull()
      .references(() => submissions.id),
    reason: text().notNull().$type<ConcernReason>(),
    text: text().notNull(),
    /** Account of the reporter; null if no key was sent. */
    accountId: text().references(() => accounts.id),
    /** Hash of the address of a reporter without a key, keyed by a secret of this installation; removed with the decision. */
    reporterHash: text(),
    state: text().notNull().default('open').$type<ConcernState>(),
    /** The owner's answer, replaceable while the concern is open. */
    answer: text(),
    answeredAt: instant(),
    /** Public note on the decision. */
    note: text(),
    action: text().$type<ConcernAction>(),
    decidedBy: text().references(() => accounts.id),
    decidedAt: instant(),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('concerns_open_of_reporter_unique')
      .on(table.submissionId, sql`coalesce(${table.accountId}, ${table.reporterHash})`)
      .where(sql`${table.state} = 'open'`),
    index('concerns_submission').on(table.submissionId, table.id),
    index('concerns_state').on(table.state, table.id),
    check('concerns_state_known', sql`${table.state} in ('open', 'upheld', 'dismissed')`),
    check('concerns_action_known', sql`${table.action} in ('none', 'quarantine', 'retract')`),
    check(
      'concerns_decided_whole',
      sql`(${table.state} = 'open') = (${table.decidedAt} is null) and (${table.decidedAt} is null) = (${table.note} is null)`,
    ),
  ],
);
