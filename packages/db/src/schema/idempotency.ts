import { customType, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' });

/** Requests with an idempotency key, and the response for repetitions. A row without a status is in progress. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    /** The API key's id. Of a submission without a key: `address` and the salted hash of the client's address. */
    keyId: text().notNull(),
    route: text().notNull(),
    /** The client's idempotency key. */
    name: text().notNull(),
    /** SHA-256 of the complete request. */
    fingerprint: text().notNull(),
    startedAt: timestamp({ withTimezone: true, mode: 'string' }).notNull().defaultNow(),
    status: integer(),
    location: text(),
    /** The response body, compressed with gzip. */
    body: bytea(),
  },
  (table) => [
    primaryKey({ columns: [table.keyId, table.route, table.name] }),
    index('idempotency_keys_started').on(table.startedAt),
  ],
);
