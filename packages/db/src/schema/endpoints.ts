import { sql } from 'drizzle-orm';
import { bigint, check, customType, index, jsonb, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';

const instant = () => timestamp({ withTimezone: true, mode: 'string' });
const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' });

/** A model server that an account wants measured. */
export const endpoints = pgTable(
  'endpoints',
  {
    id: text().primaryKey(),
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    name: text().notNull(),
    /** Up to and with `/v1`. */
    baseUrl: text().notNull(),
    /** As the server calls it. */
    model: text().notNull(),
    /** What else the owner says of the system. */
    facts: jsonb().notNull(),
    /** The credential, sealed for this row, and the key that opens it; null where it needs none. */
    credentialKeyId: text(),
    credentialBox: bytea(),
    /** What its owner lets it be asked on a day; null: as much as comes. */
    requestsPerDay: bigint({ mode: 'number' }),
    tokensPerDay: bigint({ mode: 'number' }),
    /** Served by the endpoint's origin it proves that the account controls it. */
    proofToken: text().notNull(),
    verifiedBy: text(),
    verifiedAt: instant(),
    createdAt: instant().notNull().defaultNow(),
    /** The row stays for the runs that refer to it; its credential does not. */
    removedAt: instant(),
  },
  (table) => [
    uniqueIndex('endpoints_name_unique')
      .on(table.accountId, sql`lower(${table.name})`)
      .where(sql`${table.removedAt} is null`),
    index('endpoints_account').on(table.accountId, table.id),
    check('endpoints_verified_known', sql`${table.verifiedBy} in ('proof', 'admin')`),
    check('endpoints_credential_whole', sql`(${table.credentialKeyId} is null) = (${table.credentialBox} is null)`),
  ],
);
