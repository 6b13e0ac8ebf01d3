import { and, desc, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../client.ts';
import { createId } from '../ids.ts';
import { accounts, endpoints, schedules } from '../schema/index.ts';
import type { Queryable } from '../transaction.ts';

export interface ScheduleRow {
  id: string;
  accountId: string;
  endpointId: string;
  /** What each run measures, as it was asked for. */
  request: Record<string, unknown>;
  /** Five fields. */
  cron: string;
  timeZone: string;
  /** Null where the expression names no time any more. */
  nextAt: string | null;
  lastRunId: string | null;
  /** When a run was due and none was made. */
  skippedAt: string | null;
  createdAt: string;
}

export type NewSchedule = Pick<ScheduleRow, 'accountId' | 'endpointId' | 'request' | 'cron' | 'timeZone' | 'nextAt'>;

/** Schedules that an account has at a time. */
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

/** A schedule of an account, or for `accountId` null anybody's; null if there is none. */
export async function findSchedule(db: Queryable, id: string, accountId: string | null): Promise<ScheduleRow | null> {
  return (await select(db, own(id, accountId)))[0] ?? null;
}

/** Why a schedule was not added. */
export type ScheduleRefusal = 'endpoint_gone' | 'too_many';

/** Adds a schedule to those of an account. Simultaneous ones of an account wait for each other. */
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
    if (row === null) throw new Error(`schedule ${id} vanished`);
    return row;
  });
}

/** Removes a schedule of an account, or for `accountId` null anybody's; its runs stay. False if there is none. */
export async function removeSchedule(db: Queryable, id: string, accountId: string | null): Promise<boolean> {
  const removed = await db
    .update(schedules)
    .set({ removedAt: sql`now()` })
    .where(own(id, accountId))
    .returning({ id: schedules.id });
  return removed.length > 0;
}
