import { submissionStatuses } from '@inferboard/core/result';
import { sql } from 'drizzle-orm';
import { check, customType, index, integer, jsonb, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';
import { oneOf } from './one-of.ts';
import { runs } from './runs.ts';

const instant = () => timestamp({ withTimezone: true, mode: 'string' });
const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' });

/** Uploaded bytes, kept once however often they are submitted. */
export const artifacts = pgTable('artifacts', {
  sha256: text().primaryKey(),
  /** As `packing` tells; the SHA-256 and the size are those of what was sent. Null where they lie in another place. */
  bytes: bytea(),
  packing: text().$type<'zstd'>(),
  /** Null: here. */
  place: text().$type<'s3'>(),
  size: integer().notNull(),
  mediaType: text().notNull(),
  createdAt: instant().notNull().defaultNow(),
});

/** One upload. Never edited; it can be retracted. */
export const submissions = pgTable(
  'submissions',
  {
    id: text().primaryKey(),
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    artifactSha256: text()
      .notNull()
      .references(() => artifacts.sha256),
    /** SHA-256 over bytes and metadata: the same again from the same account is the same submission, until it is retracted. */
    fingerprint: text().notNull(),
    status: text().notNull(),
    tool: text().notNull(),
    toolVersion: text(),
    /** What the caller said beside the bytes, verbatim. */
    parameters: jsonb().notNull(),
    /** Names of fields that were seen in the artifact and not used. */
    ignored: jsonb().notNull(),
    notes: text(),
    sourceUrl: text(),
    /** What its results have in common of their sources. */
    source: jsonb(),
    /** The managed run that measured it; null where somebody sent it. */
    runId: text().references(() => runs.id),
    retractedAt: instant(),
    retractionReason: text(),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('submissions_standing_fingerprint_unique')
      .on(table.accountId, table.fingerprint)
      .where(sql`${table.retractedAt} is null`),
    index('submissions_artifact').on(table.artifactSha256),
    index('submissions_run').on(table.runId).where(sql`${table.runId} is not null`),
    index('submissions_retracted').on(table.retractedAt, table.id).where(sql`${table.retractedAt} is not null`),
    check('submissions_status_known', oneOf(table.status, submissionStatuses)),
  ],
);

/** What an admin decided about held results of a submission, and why. Never edited. */
export const reviews = pgTable(
  'reviews',
  {
    id: text().primaryKey(),
    submissionId: text()
      .notNull()
      .references(() => submissions.id),
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    decision: text().notNull(),
    note: text().notNull(),
    /** Unknown names and what they were mapped to, by fact; null where nothing was mapped. */
    mapping: jsonb(),
    /** Ids of the results it was about. */
    results: text().array().notNull(),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    index('reviews_submission').on(table.submissionId),
    check('reviews_decision_known', sql`${table.decision} in ('clear', 'map', 'keep')`),
  ],
);
