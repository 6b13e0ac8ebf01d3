import type { Sql } from 'postgres';
import { removals } from '../retention/rules.ts';

/** Work that is pending or in progress. */
export interface OpenWork {
  runs: { state: string; count: number }[];
  /** Seconds that the oldest pending run has waited; null if there is none. */
  oldestPendingS: number | null;
  /** Runs without a heartbeat since their lease ended. */
  stalledRuns: number;
  waitingDeliveries: number;
  /** Seconds that the oldest message is overdue; null if there is none. */
  oldestDueS: number | null;
  openConcerns: number;
  /** Seconds that the oldest concern has waited for a decision; null if there is none. */
  oldestConcernS: number | null;
}

/** Counts unfinished work through indexes. */
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

/** Finished work that is still stored. */
export interface EndedWork {
  runs: { state: string; failure: string | null; count: number }[];
  deliveries: { taken: boolean; count: number }[];
  databaseBytes: number;
}

/** Scans tables and files, so do not call it per request. */
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

/** Maximum rows to count per table; a larger number adds no information. */
export const overdueMost = 10_000;

/** Rows past their retention period, by table, up to `overdueMost`. */
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
