import type { RequestSequence } from '@inferboard/core/records/sequence';
import { jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { results } from './results.ts';

/** Durations of a result's first requests, if its artifact has them. Used to detect copies. */
export const requestSequences = pgTable('request_sequences', {
  resultId: text()
    .primaryKey()
    .references(() => results.id),
  latencies: jsonb().$type<RequestSequence>().notNull(),
});
