import type { Sql } from 'postgres';
import { removals } from '../retention/rules.ts';

/** What waits, or is under way, now. */
export interface OpenWork {
  runs: { state: string; count: number }[];
  /** How long the run has waited that waits longest; null where none does. */
  oldestPendingS: number | null;
  /** Runs whose worker has not been heard of since its lease ended. */
  stalledRuns: number;
  waitingDeliveries: number;
  /** How long the message is due that is due longest; null where none is. */
  oldestDueS: number | null;
  openConcerns: number;
  /** How long the concern has waited that waits longest for a decision; null where none does. */
  oldestConcernS: number | null;
}

/** Reads what indexes hold of work that is not over. */
export async function countOpenWork(sql: Sql): Promise<OpenWork> {
  const [runs, [run], [delivery], [concern]] = await Promise.all([
    sql<OpenWork['runs']>`
      select state, count(*)::int as count from runs
      where state in ('pending', 'claimed', 'running', 'completed') group by 1`,
    sql<Pick<OpenWork, 'oldestPendingS' | 'stalledRuns'>[]>`
      select extract(epoch from now() - min(greatest(created_at, not_before)) filter (where state = 'pending'
          and not_before <= now()))::float8 as "oldestPendingS",
        count(*) filter (where state <> 'pending' and lease_until < now() - interval '1 minute')::int as "stalledRuns"
      from runs where state in ('pending', 'claimed', 'running', 'completed')`,
    sql<Pick<OpenWork, 'waitingDeliveries' | 'oldestDueS'>[]>`
      select count(*)::int as "waitingDeliveries",
        extract(epoch from now() - min(next_at) filter (where next_at <= now()))::float8 as "oldestDueS"
      from webhook_deliveries where next_at is not null`,
    sql<Pick<OpenWork, 'openConcerns' | 'oldestConcernS'>[]>`
      select count(*)::int as "openConcerns", extract(epoch from now() - min(created_at))::float8 as "oldestConcernS"
      from concerns where state = 'open'`,
  ]);
  return {
    runs,
    oldestPendingS: run?.oldestPendingS ?? null,
    stalledRuns: run?.stalledRuns ?? 0,
    waitingDeliveries: delivery?.waitingDeliveries ?? 0,
    oldestDueS: delivery?.oldestDueS ?? null,
    openConcerns: concern?.openConcerns ?? 0,
    oldestConcernS: concern?.oldestConcernS ?? null,
  };
}

/** What has come to an end, of all that is kept. */
export interface EndedWork {
  runs: { state: string; failure: string | null; count: number }[];
  deliveries: { taken: boolean; count: number }[];
  databaseBytes: number;
}

/** Reads through tables and files, so it is not for every request. */
export async function countEndedWork(sql: Sql): Promise<EndedWork> {
  const [runs, deliveries, [size]] = await Promise.all([
    sql<EndedWork['runs']>`
      select state, failure_code as failure, count(*)::int as count from runs
      where state in ('processed', 'failed', 'canceled') group by 1, 2`,
    sql<EndedWork['deliveries']>`
      select delivered_at is not null as taken, count(*)::int as count from webhook_deliveries
      where next_at is null group by 1`,
    sql<{ bytes: number }[]>`select pg_database_size(current_database())::float8 as bytes`,
  ]);
  return { runs, deliveries, databaseBytes: size?.bytes ?? 0 };
}

/** Rows that are counted of a table at most: more of them say no more. */
export const overdueMost = 10_000;

/** Rows that should have been removed by now, by table: as many as are found, or `overdueMost`. */
export async function countOverdue(sql: Sql): Promise<{ table: string; rows: number }[]> {
  return Promise.all(
    removals.map(async ({ table, where, after }) => {
      const old = where.replaceAll(':age', `(interval '${after}' + interval '1 hour')`);
      const [found] = await sql<{ rows: number }[]>`
        select count(*)::int as rows from (
          select 1 from ${sql(table)} t where ${sql.unsafe(old)} limit ${overdueMost}) q`;
      return { table, rows: found?.rows ?? 0 };
    }),
  );
}
