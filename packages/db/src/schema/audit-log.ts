import { bigint, index, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';

/** What is noted. */
export const auditedActs = [
  'account_created',
  'account_vouched',
  'account_vouch_withdrawn',
  'key_created',
  'key_revoked',
  'submission_reviewed',
  'submission_retracted',
  'submission_quarantined',
  'concern_decided',
  'catalogue_entry_added',
  'catalogue_entry_removed',
  'endpoint_approved',
  'endpoint_removed',
  'run_canceled',
  'schedule_removed',
  'webhook_removed',
  'webhook_tested',
  'secrets_resealed',
  'results_rederived',
  'prices_replaced',
  'prices_removed',
] as const;
export type AuditedAct = (typeof auditedActs)[number];

/**
 * What was done with a key that may administer, or by a command of the operator. Only added to: the database refuses to
 * change, remove or empty it.
 */
export const auditLog = pgTable(
  'audit_log',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: timestamp({ withTimezone: true, mode: 'string' }).notNull().defaultNow(),
    act: text().notNull().$type<AuditedAct>(),
    /** Id of what it was done to. */
    target: text(),
    /** Who did it; null for whoever could start a command. */
    accountId: text().references(() => accounts.id),
    keyId: text(),
    /** Leads to the lines of the request in the log. */
    requestId: text(),
    detail: jsonb().notNull(),
  },
  (table) => [index('audit_log_target').on(table.target, table.id)],
);
