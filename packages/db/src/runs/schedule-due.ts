import { and, asc, eq, isNull, notInArray, sql } from 'drizzle-orm';
import type { Transaction } from '../connection/transaction.ts';
import { runs, schedules } from '../schema/index.ts';

export interface DueSchedule {
  id: string;
  accountId: string;
  endpointId: string;
  /** The plan as requested. The caller validates it. */
  request: unknown;
  cron: string;
  timeZone: string;
  /** The database's clock, which determines what is due; RFC 3339. */
  now: string;
}

/**
 * Locks the schedule that has been due the longest until the transaction ends. Skips schedules in `except` and those locked by
 * other transactions. Null if there is none.
 */
export async function takeDueSchedule(tx: Transaction, except: readonly string[]): Promise<DueSchedule | null> {
  const { id, accountId, endpointId, request, cron, timeZone, nextAt, removedAt } = schedules;
  const [row] = await tx
    .select({ id, accountId, endpointId, request, cron, timeZone, now: sql<string>`to_json(now()) #>> '{}'` })
    .from(schedules)
    .where(and(sql`${nextAt} <= now()`, isNull(removedAt), notInArray(id, [...except])))
    .orderBy(asc(nextAt), asc(id))
    .limit(1)
    .for('update', { skipLocked: true });
  return row ?? null;
}

/** Whether a run of the schedule is pending or in progress. */
export async function hasOpenRun(tx: Transaction, scheduleId: string): Promise<boolean> {
  // Must match the predicate of the index on open runs.
  const isOpen = sql`${runs.state} in ('pending', 'claimed', 'running', 'completed')`;
  const open = await tx
    .select({ id: runs.id })
    .from(runs)
    .where(and(eq(runs.scheduleId, scheduleId), isOpen))
    .limit(1);
  return open.length > 0;
}

/** Sets a schedule's next time, or none, and the run it created; null if it created none. */
export async function moveSchedule(
  tx: Transaction,
  id: string,
  { nextAt, runId }: { nextAt: Date | null; runId: string | null },
): Promise<void> {
  await tx
    .update(schedules)
    .set({
      nextAt: nextAt?.toISOString() ?? null,
      ...(runId === null ? { skippedAt: sql`now()` } : { lastRunId: runId }),
    })
    .where(eq(schedules.id, id));
}
