import type { PgTable } from 'drizzle-orm/pg-core';
import type { Database } from '../../../packages/db/src/connection/client.ts';
import { type Copy, openCopy } from '../../../packages/db/src/copy/copy.ts';
import {
  accounts,
  artifacts,
  pointStatistics,
  points,
  results,
  scenarios,
  submissions,
  systems,
} from '../../../packages/db/src/schema/index.ts';

const columnsSymbol = Symbol.for('drizzle:Columns');

/** The table including columns with database defaults: ids and times follow from the seed. */
function givingAlso(table: PgTable, names: readonly string[]): PgTable {
  const columns = Object.entries(Reflect.get(table, columnsSymbol) as PgTable['_']['columns']); // drizzle's own type hides it
  const given = columns.map(([key, column]) => {
    if (!names.includes(key)) return [key, column];
    const settings = { hasDefault: { value: false }, generatedIdentity: { value: undefined } };
    return [key, Object.create(column, settings)];
  });
  return Object.create(table, { [columnsSymbol]: { value: Object.fromEntries(given) } });
}

/** The filled tables. Only the time and transaction of statistics rows come from the database. */
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

/** Tables that every chunk adds rows to. */
export const filledTables = ['systems', 'points', 'artifacts', 'submissions', 'results', 'point_statistics'] as const;

/** The large tables that boards read; they are derived from the others. */
export const rankedTables = ['board_figures', 'board_points', 'board_rows'] as const;

/** A COPY of rows into a table, in a transaction on a separate connection. */
export async function openLoad(database: Database, name: TableName): Promise<Copy> {
  const opened = Promise.withResolvers<Copy>();
  const ending = Promise.withResolvers<void>();
  const loading = database.db.transaction(async (tx) => {
    const copy = await openCopy(tx, tables[name]);
    opened.resolve(copy);
    await ending.promise;
    await copy.end();
  });
  // The awaiting caller gets the error, at the start or at the end.
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
