import { bigint, index, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';

/** Audited actions. */
export const auditedActs = [
  'account_created',
  'account_vouched',
  'account_vouch_withdrawn',
  'key_created',
  'key_revoked',
  'signing_key_added',
  'signing_key_revoked',
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

/** Actions with an admin key, or by an operator's command. Append-only: the database rejects updates, deletes and truncation. */
export const auditLog = pgTable(
  'audit_log',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: timestamp({ withTimezone: true, mode: 'string' }).notNull().defaultNow(),
    act: text().notNull().$type<AuditedAct>(),
    /** Id of the object of the action. */
    target: text(),
    /** The acting account; null for an operator's command. */
    accountId: text().references(() => accounts.id),
    keyId: text(),
    /** Identifies the request's lines in the log. */
    requestId: text(),
    detail: jsonb().notNull(),
  },
  (table) => [index('audit_log_target').on(table.target, table.id)],
);
