import { doublePrecision, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { results } from './results.ts';

/** One or two values per result, to find results of one model with similar values; see `copies-find.ts`. */
export const resultAnchors = pgTable(
  'result_anchors',
  {
    resultId: text()
      .notNull()
      .references(() => results.id),
    metric: text().notNull(),
    modelKey: text().notNull(),
    value: doublePrecision().notNull(),
    /** The result's account, to skip results of the same account without reading them. Null in rows of earlier releases. */
    accountId: text(),
  },
  (table) => [
    primaryKey({ columns: [table.resultId, table.metric] }),
    // The last two columns are read with each neighbour; including them avoids a table access.
    index('result_anchors_near').on(table.modelKey, table.metric, table.value, table.accountId, table.resultId),
  ],
);
