import { and, asc, eq, isNull, notInArray, sql } from 'drizzle-orm';
import { runs, schedules } from '../schema/index.ts';
import type { Transaction } from '../transaction.ts';

export interface DueSchedule {
  id: string;
  accountId: string;
  endpointId: string;
  /** As it was asked for: whether it still reads, the caller finds out. */
  request: unknown;
  cron: string;
  timeZone: string;
  /** The database's clock, by which it is due; RFC 3339. */
  now: string;
}

/**
 * A schedule whose time has come, the longest due first, held until the transaction ends. What another transaction holds
 * is passed over, and so are `except`. Null where there is none.
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

/** Whether a run of the schedule waits or is under way. */
export async function hasOpenRun(tx: Transaction, scheduleId: string): Promise<boolean> {
  // In the words of the index of open runs.
  const isOpen = sql`${runs.state} in ('pending', 'claimed', 'running', 'completed')`;
  const open = await tx
    .select({ id: runs.id })
    .from(runs)
    .where(and(eq(runs.scheduleId, scheduleId), isOpen))
    .limit(1);
  return open.length > 0;
}

/** Moves a schedule on to its next time, or to none, with the run that it made; null where it made none. */
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
