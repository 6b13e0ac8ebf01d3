import { customType, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import { apiKeys } from './accounts.ts';

const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' });

/** Requests that named themselves, with the answer that a repetition gets. Without a status they are still running. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    keyId: text()
      .notNull()
      .references(() => apiKeys.id),
    route: text().notNull(),
    /** The caller's own name for the request. */
    name: text().notNull(),
    /** SHA-256 over all that was sent. */
    fingerprint: text().notNull(),
    startedAt: timestamp({ withTimezone: true, mode: 'string' }).notNull().defaultNow(),
    status: integer(),
    location: text(),
    /** The body of the answer, packed with gzip. */
    body: bytea(),
  },
  (table) => [
    primaryKey({ columns: [table.keyId, table.route, table.name] }),
    index('idempotency_keys_started').on(table.startedAt),
  ],
);
