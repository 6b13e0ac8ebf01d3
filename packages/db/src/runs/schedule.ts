import { and, desc, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../connection/client.ts';
import { createId } from '../connection/ids.ts';
import type { Queryable } from '../connection/transaction.ts';
import { accounts, endpoints, schedules } from '../schema/index.ts';

export interface ScheduleRow {
  id: string;
  accountId: string;
  endpointId: string;
  /** The plan of each run, as requested. */
  request: Record<string, unknown>;
  /** A cron expression with five fields. */
  cron: string;
  timeZone: string;
  /** Null if the expression has no further times. */
  nextAt: string | null;
  lastRunId: string | null;
  /** Time of the last due run that was skipped. */
  skippedAt: string | null;
  createdAt: string;
}

export type NewSchedule = Pick<ScheduleRow, 'accountId' | 'endpointId' | 'request' | 'cron' | 'timeZone' | 'nextAt'>;

/** Maximum schedules per account. */
export const schedulesMax = 50;

const own = (id: string, accountId: string | null) =>
  and(
    eq(schedules.id, id),
    isNull(schedules.removedAt),
    accountId === null ? undefined : eq(schedules.accountId, accountId),
  );

async function select(db: Queryable, where: SQL | undefined): Promise<ScheduleRow[]> {
  const rows = await db
    .select({
      id: schedules.id,
      accountId: schedules.accountId,
      endpointId: schedules.endpointId,
      request: schedules.request,
      cron: schedules.cron,
      timeZone: schedules.timeZone,
      nextAt: schedules.nextAt,
      lastRunId: schedules.lastRunId,
      skippedAt: schedules.skippedAt,
      createdAt: schedules.createdAt,
    })
    .from(schedules)
    .where(where)
    .orderBy(desc(schedules.id));
  return rows as ScheduleRow[];
}

/** The schedules of an account, newest first; at most `schedulesMax`. */
export const listSchedules = (db: Queryable, accountId: string) =>
  select(db, and(eq(schedules.accountId, accountId), isNull(schedules.removedAt)));

/** A schedule of an account; of any account if `accountId` is null. Null if it does not exist. */
export async function findSchedule(db: Queryable, id: string, accountId: string | null): Promise<ScheduleRow | null> {
  return (await select(db, own(id, accountId)))[0] ?? null;
}

/** Why a schedule was rejected. */
export type ScheduleRefusal = 'endpoint_gone' | 'too_many';

/** Adds a schedule to an account. Concurrent calls for one account are serialized. */
export async function insertSchedule(
  db: Database['db'],
  schedule: NewSchedule,
): Promise<ScheduleRow | ScheduleRefusal> {
  const { accountId, endpointId } = schedule;
  return db.transaction(async (tx) => {
    await tx.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, accountId)).for('no key update');
    const mine = and(eq(schedules.accountId, accountId), isNull(schedules.removedAt));
    if ((await tx.$count(schedules, mine)) >= schedulesMax) return 'too_many';
    const there = await tx
      .select({ id: endpoints.id })
      .from(endpoints)
      .where(and(eq(endpoints.id, endpointId), isNull(endpoints.removedAt)))
      .for('key share');
    if (there.length === 0) return 'endpoint_gone';
    const id = createId('sch');
    await tx.insert(schedules).values({ id, ...schedule });
    const row = await findSchedule(tx, id, null);
    if (row === null) throw new Error(`schedule ${id} does not exist`);
    return row;
  });
}

/**
 * Removes a schedule of an account, or of any account if `accountId` is null. Its runs are kept. Returns false if it does not
 * exist.
 */
export async function removeSchedule(db: Queryable, id: string, accountId: string | null): Promise<boolean> {
  const removed = await db
    .update(schedules)
    .set({ removedAt: sql`now()` })
    .where(own(id, accountId))
    .returning({ id: schedules.id });
  return removed.length > 0;
}
