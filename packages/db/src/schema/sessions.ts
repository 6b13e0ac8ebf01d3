import { index, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { apiKeys } from './accounts.ts';
import { submissions } from './submissions.ts';

const instant = () => timestamp({ withTimezone: true, mode: 'string' });

/** Signed-in browsers. A session has the rights of its key while the key is live; signing out removes it. */
export const sessions = pgTable(
  'sessions',
  {
    /** SHA-256 of the session token. */
    hash: text().primaryKey(),
    keyId: text()
      .notNull()
      .references(() => apiKeys.id),
    createdAt: instant().notNull().defaultNow(),
    expiresAt: instant().notNull(),
  },
  (table) => [index('sessions_key').on(table.keyId), index('sessions_expiry').on(table.expiresAt)],
);

/** Single-use sign-in links with the rights of a key. Using one removes it. */
export const signInLinks = pgTable(
  'sign_in_links',
  {
    /** SHA-256 of the token in the link. */
    hash: text().primaryKey(),
    keyId: text()
      .notNull()
      .references(() => apiKeys.id),
    expiresAt: instant().notNull(),
  },
  (table) => [index('sign_in_links_expiry').on(table.expiresAt)],
);

/** Submissions sent without a key, until an account claims them. */
export const submissionClaims = pgTable(
  'submission_claims',
  {
    submissionId: text()
      .primaryKey()
      .references(() => submissions.id),
    /** SHA-256 of the token in the claim link. */
    hash: text().notNull(),
    expiresAt: instant().notNull(),
  },
  (table) => [index('submission_claims_expiry').on(table.expiresAt)],
);
