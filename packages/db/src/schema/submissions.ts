import { submissionStatuses } from '@inferboard/core/subjects/result';
import { sql } from 'drizzle-orm';
import { check, customType, index, integer, jsonb, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';
import { oneOf } from './one-of.ts';
import { runs } from './runs.ts';

const instant = () => timestamp({ withTimezone: true, mode: 'string' });
const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' });

/** Uploaded bytes, stored once regardless of the number of submissions. */
export const artifacts = pgTable('artifacts', {
  sha256: text().primaryKey(),
  /** Compressed as stated by `packing`; SHA-256 and size are those of the uploaded bytes. Null if stored elsewhere. */
  bytes: bytea(),
  packing: text().$type<'zstd'>(),
  /** Null: in this table. */
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
    /** SHA-256 of bytes and metadata. A repeated upload by the same account is the same submission, until it is retracted. */
    fingerprint: text().notNull(),
    status: text().notNull(),
    tool: text().notNull(),
    toolVersion: text(),
    /** The client's metadata, verbatim. */
    parameters: jsonb().notNull(),
    /** Names of fields in the artifact that were not used. */
    ignored: jsonb().notNull(),
    notes: text(),
    sourceUrl: text(),
    /** The common parts of its results' sources. */
    source: jsonb(),
    /** The managed run that measured it; null for uploads. */
    runId: text().references(() => runs.id),
    /** The session that compared two servers (`generator.session`); null without one. Parts of an upload share it. */
    session: text(),
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
    index('submissions_session').on(table.accountId, table.session).where(sql`${table.session} is not null`),
    index('submissions_retracted').on(table.retractedAt, table.id).where(sql`${table.retractedAt} is not null`),
    check('submissions_status_known', oneOf(table.status, submissionStatuses)),
  ],
);

/** An admin's decision about held results of a submission, with the reason. Never edited. */
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
    /** Unknown names and their mappings, by fact; null if none were mapped. */
    mapping: jsonb(),
    /** Ids of the reviewed results. */
    results: text().array().notNull(),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    index('reviews_submission').on(table.submissionId),
    check('reviews_decision_known', sql`${table.decision} in ('clear', 'map', 'keep')`),
  ],
);
