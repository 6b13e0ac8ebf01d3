import { sql } from 'drizzle-orm';
import { boolean, check, index, jsonb, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';

const instant = () => timestamp({ withTimezone: true, mode: 'string' });

/** The trust in an account: `vouched` by an admin, `established` by its submissions, or `new`. */
export type Standing = 'vouched' | 'established' | 'new';

/** Accounts that can write. */
export const accounts = pgTable(
  'accounts',
  {
    id: text().primaryKey(),
    name: text().notNull(),
    /** The name folded by `nameKey`; two names that look alike are equal. Null if an earlier release created the account. */
    nameKey: text(),
    /** No admin created it. Until it is a week old, its daily submissions are limited. */
    registeredItself: boolean().notNull().default(false),
    /** See `accounts/account-standing.ts`. */
    standing: text().notNull().default('new').$type<Standing>(),
    vouchedAt: instant(),
    /** The admin's account; null if a start of the service or an earlier release vouched for it. */
    vouchedBy: text(),
    /**
     * After a change of the standing: the fingerprint of the last submission whose results have it; null if all have. See
     * `points/apply-standing.ts`.
     */
    standingAppliedTo: text(),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('accounts_name_unique').on(sql`lower(${table.name})`),
    uniqueIndex('accounts_name_key_unique').on(sql`coalesce(${table.nameKey}, lower(${table.name}))`),
    // Serves prefix searches on names.
    index('accounts_name_prefix').on(sql`lower(${table.name}) text_pattern_ops`),
    index('accounts_standing').on(table.standing).where(sql`${table.standing} <> 'vouched'`),
    index('accounts_standing_applied_to').on(table.id).where(sql`${table.standingAppliedTo} is not null`),
    check('accounts_standing_known', sql`${table.standing} in ('vouched', 'established', 'new')`),
  ],
);

/** A key is stored as its SHA-256. With 178 random bits it needs no slow hash. */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: text().primaryKey(),
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    hash: text().notNull().unique(),
    /** Last four characters, which identify a key to its owner. */
    lastFour: text().notNull(),
    scopes: text().array().notNull(),
    /** A start of the service created it: the operator's ADMIN_KEY, or a generated key. */
    fromStart: boolean().notNull().default(false),
    /** The owner's name for it; null if unnamed. */
    name: text(),
    createdAt: instant().notNull().defaultNow(),
    /** Expiry time; null if it does not expire. */
    expiresAt: instant(),
    /** Rounded to the hour. */
    lastUsedAt: instant(),
    revokedAt: instant(),
  },
  (table) => [index('api_keys_account').on(table.accountId)],
);

/** Settings of this installation, such as whether the sample data was loaded. */
export const settings = pgTable('settings', {
  key: text().primaryKey(),
  value: jsonb().notNull(),
  updatedAt: instant().notNull().defaultNow(),
});
