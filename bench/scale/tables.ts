import type { PgTable } from 'drizzle-orm/pg-core';
import type { Database } from '../../packages/db/src/client.ts';
import { type Copy, openCopy } from '../../packages/db/src/copy.ts';
import {
  accounts,
  artifacts,
  pointStatistics,
  points,
  results,
  scenarios,
  submissions,
  systems,
} from '../../packages/db/src/schema/index.ts';

const columnsSymbol = Symbol.for('drizzle:Columns');

/** The table with columns that are given, though the database would fill them: ids and times follow from the seed. */
function givingAlso(table: PgTable, names: readonly string[]): PgTable {
  const columns = Object.entries(Reflect.get(table, columnsSymbol) as PgTable['_']['columns']); // drizzle's own type hides it
  const given = columns.map(([key, column]) => {
    if (!names.includes(key)) return [key, column];
    const settings = { hasDefault: { value: false }, generatedIdentity: { value: undefined } };
    return [key, Object.create(column, settings)];
  });
  return Object.create(table, { [columnsSymbol]: { value: Object.fromEntries(given) } });
}

/** The tables that are filled. What is left to the database is when, and by which transaction, statistics were made. */
export const tables = {
  accounts: givingAlso(accounts, ['createdAt']),
  scenarios: givingAlso(scenarios, ['id']),
  systems: givingAlso(systems, ['createdAt']),
  artifacts: givingAlso(artifacts, ['createdAt']),
  submissions: givingAlso(submissions, ['createdAt']),
  points: givingAlso(points, ['id']),
  results: givingAlso(results, ['createdAt']),
  point_statistics: pointStatistics,
};

export type TableName = keyof typeof tables;

/** Those that every chunk adds to. */
export const filledTables = ['systems', 'points', 'artifacts', 'submissions', 'results', 'point_statistics'] as const;

/** The large ones of those that boards read; they follow from the others. */
export const rankedTables = ['board_figures', 'board_points', 'board_rows'] as const;

/** Rows on their way into a table, in a transaction and over a connection of their own. */
export async function openLoad(database: Database, name: TableName): Promise<Copy> {
  const opened = Promise.withResolvers<Copy>();
  const ending = Promise.withResolvers<void>();
  const loading = database.db.transaction(async (tx) => {
    const copy = await openCopy(tx, tables[name]);
    opened.resolve(copy);
    await ending.promise;
    await copy.end();
  });
  // Told by whoever waits: for the beginning, or for the end.
  loading.catch(opened.reject);
  const { write } = await opened.promise;
  return {
    write,
    end: async () => {
      ending.resolve();
      await loading;
    },
  };
}
