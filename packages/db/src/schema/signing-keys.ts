import { index, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';
import { submissions } from './submissions.ts';

const instant = () => timestamp({ withTimezone: true, mode: 'string' });

/** Ed25519 keys with which accounts sign artifacts. Revoked keys stay: earlier signatures refer to them. */
export const signingKeys = pgTable(
  'signing_keys',
  {
    id: text().primaryKey(),
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    /** SubjectPublicKeyInfo (RFC 8410), in base64. */
    publicKey: text().notNull(),
    createdAt: instant().notNull().defaultNow(),
    revokedAt: instant(),
  },
  (table) => [uniqueIndex('signing_keys_account_public_key_unique').on(table.accountId, table.publicKey)],
);

/** Verified signatures of submitted bytes. A submission has one at most; it is never replaced. */
export const submissionSignatures = pgTable(
  'submission_signatures',
  {
    submissionId: text()
      .primaryKey()
      .references(() => submissions.id),
    signingKey: text()
      .notNull()
      .references(() => signingKeys.id),
    /** 64 bytes in base64. */
    signature: text().notNull(),
    verifiedAt: instant().notNull().defaultNow(),
  },
  (table) => [index('submission_signatures_key').on(table.signingKey, table.verifiedAt)],
);
