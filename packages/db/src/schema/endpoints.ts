import { sql } from 'drizzle-orm';
import { bigint, check, customType, index, jsonb, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';

const instant = () => timestamp({ withTimezone: true, mode: 'string' });
const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' });

/** A model server registered for managed runs. */
export const endpoints = pgTable(
  'endpoints',
  {
    id: text().primaryKey(),
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    name: text().notNull(),
    /** URL including `/v1`. */
    baseUrl: text().notNull(),
    /** URL of the server's Prometheus metrics, at the origin of `baseUrl`; null if a run does not read them. */
    metricsUrl: text(),
    /** The server's name of the model. */
    model: text().notNull(),
    /** Further facts of the system, stated by the owner. */
    facts: jsonb().notNull(),
    /** The credential, sealed for this row, and the id of its key; null if the endpoint needs none. */
    credentialKeyId: text(),
    credentialBox: bytea(),
    /** The owner's daily limits; null: unlimited. */
    requestsPerDay: bigint({ mode: 'number' }),
    tokensPerDay: bigint({ mode: 'number' }),
    /** The endpoint's origin must serve it to prove that the account controls it. */
    proofToken: text().notNull(),
    verifiedBy: text(),
    verifiedAt: instant(),
    createdAt: instant().notNull().defaultNow(),
    /** The row is kept for the runs that reference it; its credential is removed. */
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
