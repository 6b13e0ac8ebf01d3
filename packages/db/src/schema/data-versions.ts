import { bigint, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';

/**
 * Versions of the data of public responses. A scope's version is the sum of its shards: equal sums mean that the same
 * transactions are visible. A transaction adds a random step to a shard that no other has locked, so that it never waits.
 * Triggers maintain it; see the function `count_change` in the migrations.
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

/** Scopes that responses depend on. All responses depend on the catalogue, which resolves names. */
export const dataScopes = ['results', 'concerns', 'catalogue'] as const;
export type DataScope = (typeof dataScopes)[number];

/**
 * Tables that cached responses read, and the scope that counts their changes. A new table or scope needs a trigger in a
 * migration; the tests compare both.
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
  signing_keys: 'results',
  submission_signatures: 'results',
  submissions: 'results',
  systems: 'results',
};

/**
 * Tables that boards read and that need no triggers: a transaction that changes them also changes `point_statistics`, or
 * rebuilds all of them together with `boards`.
 *
 * @internal
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
