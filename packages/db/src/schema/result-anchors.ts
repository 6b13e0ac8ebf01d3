import { doublePrecision, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { results } from './results.ts';

/** A figure or two of each result, by which results of one model with figures like it are found: see `copies-find.ts`. */
export const resultAnchors = pgTable(
  'result_anchors',
  {
    resultId: text()
      .notNull()
      .references(() => results.id),
    metric: text().notNull(),
    modelKey: text().notNull(),
    value: doublePrecision().notNull(),
    /** Whose result it is: those of the same account need not be read to be left out. Earlier releases left it null. */
    accountId: text(),
  },
  (table) => [
    primaryKey({ columns: [table.resultId, table.metric] }),
    // The last two are read with each neighbour: without them every one would be looked up in the table.
    index('result_anchors_near').on(table.modelKey, table.metric, table.value, table.accountId, table.resultId),
  ],
);
