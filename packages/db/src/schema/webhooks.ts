import { sql } from 'drizzle-orm';
import {
  bigint,
  customType,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';

const instant = () => timestamp({ withTimezone: true, mode: 'string' });
const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' });

/** Webhook addresses of accounts. */
export const webhooks = pgTable(
  'webhooks',
  {
    id: text().primaryKey(),
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    url: text().notNull(),
    events: text().array().notNull(),
    /** Workloads or shapes whose first places are reported regardless of the account; see `boardFirsts`. */
    workloads: text().array().notNull().default([]),
    /** The signing secret, sealed for this row, and the id of its key; null once the webhook is removed. */
    secretKeyId: text(),
    secretBox: bytea(),
    createdAt: instant().notNull().defaultNow(),
    removedAt: instant(),
  },
  (table) => [index('webhooks_account').on(table.accountId, table.id)],
);

/** One message to one webhook, retried until it is accepted or given up. */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    /** Sent to the receiver, who detects repetitions by it. */
    id: text().primaryKey(),
    webhookId: text()
      .notNull()
      .references(() => webhooks.id),
    event: text().notNull(),
    body: jsonb().notNull(),
    attempts: integer().notNull().default(0),
    /** Time of the next attempt; a worker advances it when it claims the delivery. Null once it is over. */
    nextAt: instant().defaultNow(),
    /** A short result of the last attempt. */
    outcome: text(),
    deliveredAt: instant(),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    index('webhook_deliveries_webhook').on(table.webhookId, table.id),
    index('webhook_deliveries_due').on(table.nextAt).where(sql`${table.nextAt} is not null`),
  ],
);

/**
 * The first place of each board by a default metric, as a worker last saw it. Empty while no webhook subscribes to
 * `rank.changed`. A board is identified by its facts, because its id changes when the boards are rebuilt.
 */
export const boardFirsts = pgTable(
  'board_firsts',
  {
    kind: text().notNull(),
    workload: text().notNull(),
    metric: text().notNull(),
    definitionGroup: text().notNull(),
    systemId: text().notNull(),
    pointId: bigint({ mode: 'number' }).notNull(),
    /** The account of the representative claim of the point. */
    accountId: text().notNull(),
    /** As in `board_rows`. */
    worth: doublePrecision().notNull(),
  },
  (table) => [primaryKey({ columns: [table.metric, table.kind, table.workload, table.definitionGroup] })],
);
