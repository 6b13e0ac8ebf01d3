import { bigint, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';

/**
 * Counts the transactions that changed what public answers are made of. The version of a scope is the sum of its shards:
 * equal sums mean that the same transactions are visible. A transaction counts on a shard that nobody else has locked, so
 * that it never waits for another. Triggers do it; see the function `count_change` in the migrations.
 */
export const dataVersions = pgTable(
  'data_versions',
  {
    scope: text().notNull(),
    shard: integer().notNull(),
    n: bigint({ mode: 'bigint' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.scope, table.shard] })],
);

/** What answers depend on. All of them depend on the catalogue, by which names are understood. */
export const dataScopes = ['results', 'concerns', 'catalogue'] as const;
export type DataScope = (typeof dataScopes)[number];

/**
 * The tables that answers kept by a cache are made of, and the scope that a change of each counts in. A table with a new
 * scope or a new name here needs a trigger in a migration; the tests compare both.
 */
export const scopeOfTable: Readonly<Record<string, DataScope>> = {
  accounts: 'results',
  artifacts: 'results',
  boards: 'results',
  catalogue_entries: 'catalogue',
  concerns: 'concerns',
  point_statistics: 'results',
  points: 'results',
  price_lists: 'results',
  results: 'results',
  reviews: 'results',
  scenarios: 'results',
  submissions: 'results',
  systems: 'results',
};

/**
 * Tables that boards read, which need no triggers of their own: a transaction that changes them changes `point_statistics`
 * too, or fills all of them anew with `boards`.
 */
export const countedWithOthers: readonly string[] = [
  'board_figures',
  'board_points',
  'board_rows',
  'board_systems',
  'board_totals',
  'point_shapes',
  'tool_scatter',
];
