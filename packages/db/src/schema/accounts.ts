import { sql } from 'drizzle-orm';
import { boolean, index, jsonb, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';

const instant = () => timestamp({ withTimezone: true, mode: 'string' });

/** Who may write. */
export const accounts = pgTable(
  'accounts',
  {
    id: text().primaryKey(),
    name: text().notNull(),
    /** No admin made it: until it is a week old it may submit so much a day. */
    registeredItself: boolean().notNull().default(false),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [uniqueIndex('accounts_name_unique').on(sql`lower(${table.name})`)],
);

/** A key is kept as the SHA-256 of the whole key: 178 random bits need no slow hash. */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: text().primaryKey(),
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    hash: text().notNull().unique(),
    /** Last four characters, to recognise a key by. */
    lastFour: text().notNull(),
    scopes: text().array().notNull(),
    /** A start of the service made it, not a request: the operator's ADMIN_KEY, or a generated one. */
    fromStart: boolean().notNull().default(false),
    createdAt: instant().notNull().defaultNow(),
    /** To the hour. */
    lastUsedAt: instant(),
    revokedAt: instant(),
  },
  (table) => [index('api_keys_account').on(table.accountId)],
);

/** Facts about this installation, such as whether its sample data were loaded. */
export const settings = pgTable('settings', {
  key: text().primaryKey(),
  value: jsonb().notNull(),
  updatedAt: instant().notNull().defaultNow(),
});
