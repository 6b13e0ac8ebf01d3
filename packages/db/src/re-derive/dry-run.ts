import { getTableName, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Database } from '../connection/client.ts';
import {
  accounts,
  boardFigures,
  boardPoints,
  boardRows,
  boardSystems,
  boards,
  boardTotals,
  pointShapes,
  pointStatistics,
  points,
  requestSequences,
  resultAnchors,
  results,
  resultVersions,
  scenarios,
  submissions,
  systems,
  toolScatter,
} from '../schema/index.ts';

/** All tables that re-deriving changes or locks. */
const copied: readonly PgTable[] = [
  ...[accounts, submissions, systems, scenarios, points, results, pointStatistics],
  ...[requestSequences, resultAnchors],
  ...[boards, boardRows, boardFigures, boardSystems, boardPoints, boardTotals, pointShapes, toolScatter],
];

/**
 * Copies the tables that re-deriving changes into temporary tables of the same names, which PostgreSQL resolves first. A dry
 * run then does the same work without changing or locking the service's tables. The copies are dropped with the session. Open
 * the database with `isReadOnly`: a connection that lost its copies cannot write.
 *
 * @returns the size of the copies in bytes
 */
export async function copyForDryRun(db: Database['db']): Promise<number> {
  return db.transaction(
    async (tx) => {
      await tx.execute(sql`set local statement_timeout = 0`);
      // PostgreSQL allocates the buffers on demand.
      await tx.execute(sql`set temp_buffers = '256MB'`);
      let bytes = 0;
      for (const table of [...copied, resultVersions]) {
        const [name, stored] = [
          sql.identifier(getTableName(table)),
          sql`public.${sql.identifier(getTableName(table))}`,
        ];
        await tx.execute(sql`create temporary table ${name} (like ${stored} including all)`);
        // Earlier versions of results are not read.
        if (table === resultVersions) continue;
        await tx.execute(sql`insert into ${name} overriding system value select * from ${stored}`);
        await tx.execute(sql`analyze ${name}`);
        const [size] = (await tx.execute(
          sql`select pg_total_relation_size(${`pg_temp.${getTableName(table)}`}::regclass)::float8 as bytes`,
        )) as unknown as { bytes: number }[];
        bytes += size?.bytes ?? 0;
      }
      for (const table of [scenarios, points, boards, pointShapes]) {
        const name = getTableName(table);
        await tx.execute(sql`
          select setval(pg_get_serial_sequence(${`pg_temp.${name}`}, 'id'), coalesce(max(id), 0) + 1, false)
          from ${sql.identifier(name)}`);
      }
      return bytes;
    },
    { isolationLevel: 'repeatable read', accessMode: 'read write' },
  );
}
