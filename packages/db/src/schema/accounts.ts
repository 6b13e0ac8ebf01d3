import { sql } from 'drizzle-orm';
import { boolean, check, index, jsonb, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';

const instant = () => timestamp({ withTimezone: true, mode: 'string' });

/** How far an account is believed: `vouched` by an admin, `established` by what it has shown, or `new`. */
export type Standing = 'vouched' | 'established' | 'new';

/** Who may write. */
export const accounts = pgTable(
  'accounts',
  {
    id: text().primaryKey(),
    name: text().notNull(),
    /** The name as `nameKey` folds it: two that look alike are one. Null where an earlier release made the account. */
    nameKey: text(),
    /** No admin made it: until it is a week old it may submit so much a day. */
    registeredItself: boolean().notNull().default(false),
    /** Who believes it: an admin, what it has shown, or nobody yet; see `queries/account-standing.ts`. */
    standing: text().notNull().default('new').$type<Standing>(),
    vouchedAt: instant(),
    /** The admin's account; null where a start of the service or an earlier release vouched for it. */
    vouchedBy: text(),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('accounts_name_unique').on(sql`lower(${table.name})`),
    uniqueIndex('accounts_name_key_unique').on(sql`coalesce(${table.nameKey}, lower(${table.name}))`),
    // First letters of a name, which a search looks up.
    index('accounts_name_prefix').on(sql`lower(${table.name}) text_pattern_ops`),
    index('accounts_standing').on(table.standing).where(sql`${table.standing} <> 'vouched'`),
    check('accounts_standing_known', sql`${table.standing} in ('vouched', 'established', 'new')`),
  ],
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
