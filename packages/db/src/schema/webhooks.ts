import { sql } from 'drizzle-orm';
import { customType, index, integer, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';

const instant = () => timestamp({ withTimezone: true, mode: 'string' });
const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' });

/** Where an account wants to be told of what happens. */
export const webhooks = pgTable(
  'webhooks',
  {
    id: text().primaryKey(),
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    url: text().notNull(),
    events: text().array().notNull(),
    /** What deliveries are signed with, sealed for this row, and the key that opens it; null once it is removed. */
    secretKeyId: text(),
    secretBox: bytea(),
    createdAt: instant().notNull().defaultNow(),
    removedAt: instant(),
  },
  (table) => [index('webhooks_account').on(table.accountId, table.id)],
);

/** One message to one webhook, sent until it is taken or given up. */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    /** Told to the receiver, who knows a repetition by it. */
    id: text().primaryKey(),
    webhookId: text()
      .notNull()
      .references(() => webhooks.id),
    event: text().notNull(),
    body: jsonb().notNull(),
    attempts: integer().notNull().default(0),
    /** When it is tried next; a worker that tries moves it on first. Null once it is over. */
    nextAt: instant().defaultNow(),
    /** What became of the last attempt, in a few words. */
    outcome: text(),
    deliveredAt: instant(),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    index('webhook_deliveries_webhook').on(table.webhookId, table.id),
    index('webhook_deliveries_due').on(table.nextAt).where(sql`${table.nextAt} is not null`),
  ],
);
