import type { RequestSequence } from '@inferboard/core/records/sequence';
import { jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { results } from './results.ts';

/** How long each of the first requests of a result took, where its artifact tells: by it a copy is known. */
export const requestSequences = pgTable('request_sequences', {
  resultId: text()
    .primaryKey()
    .references(() => results.id),
  latencies: jsonb().$type<RequestSequence>().notNull(),
});
