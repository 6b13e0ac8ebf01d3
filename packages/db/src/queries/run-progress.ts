import type { PlanPoint } from '@inferboard/core/plans/point';
import type { EndState, RunState } from '@inferboard/core/plans/run-state';
import { and, asc, eq, inArray, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../client.ts';
import type { Packed } from '../packing.ts';
import { runPoints, runs } from '../schema/index.ts';
import type { Queryable, Transaction } from '../transaction.ts';
import { type Lease, leaseEnd } from './run-claim.ts';
import { appendEvent } from './run-events.ts';

/** The run belongs to another attempt, or is over: what this worker has of it must not be stored. */
export class LeaseLostError extends Error {
  constructor({ runId, attempt }: Lease) {
    super(`run ${runId} is no longer that of attempt ${attempt}`);
    this.name = 'LeaseLostError';
  }
}

type Change = Partial<Record<keyof typeof runs.$inferSelect, unknown>>;

/** Changes a run that the lease holds, and holds it longer. */
async function change(
  db: Queryable,
  lease: Lease,
  from: readonly RunState[],
  set: Change,
): Promise<{ isCancelAsked: boolean; requestsDone: number }> {
  const [row] = await db
    .update(runs)
    // The keys are those of the table.
    .set({ leaseUntil: leaseEnd, ...set } as Record<string, unknown>)
    .where(and(eq(runs.id, lease.runId), eq(runs.attempt, lease.attempt), inArray(runs.state, [...from])))
    .returning({ isCancelAsked: sql<boolean>`${runs.cancelAskedAt} is not null`, requestsDone: runs.requestsDone });
  if (row === undefined) throw new LeaseLostError(lease);
  return row;
}

/**
 * Holds a run for another while, and tells how many requests are over. True if somebody asked to cancel it.
 *
 * @throws LeaseLostError
 */
export async function beatRun(db: Queryable, lease: Lease, requestsDone: number | null): Promise<boolean> {
  const done = requestsDone === null ? {} : { requestsDone: sql`least(${requestsDone}, ${runs.requestsTotal})` };
  return (await change(db, lease, ['claimed', 'running', 'completed'], done)).isCancelAsked;
}

/** Moves a run on to the next state. @throws LeaseLostError */
export async function advanceRun(db: Database['db'], lease: Lease, to: 'running' | 'completed'): Promise<void> {
  await db.transaction(async (tx) => {
    await change(tx, lease, [to === 'running' ? 'claimed' : 'running'], { state: to });
    await appendEvent(tx, lease.runId, 'state', { state: to });
  });
}

/** Gives a run back to the queue, for another try after some seconds. @throws LeaseLostError */
export async function postponeRun(
  db: Database['db'],
  lease: Lease,
  { seconds, message }: { seconds: number; message: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    const notBefore = sql`now() + make_interval(secs => ${seconds})`;
    await change(tx, lease, ['claimed', 'running'], { state: 'pending', notBefore, leaseUntil: null, worker: null });
    await appendEvent(tx, lease.runId, 'state', { state: 'pending', message, retry_in_s: seconds });
  });
}

export interface Failure {
  code: string;
  message: string;
}

/** Ends a run, in the caller's transaction. @throws LeaseLostError */
export async function endRun(tx: Transaction, lease: Lease, to: EndState, failure: Failure | null): Promise<void> {
  await change(tx, lease, ['claimed', 'running', 'completed'], {
    state: to,
    ...{ leaseUntil: null, worker: null, endedAt: sql`now()` },
    ...{ failureCode: failure?.code ?? null, failureMessage: failure?.message ?? null },
  });
  await appendEvent(tx, lease.runId, 'end', { state: to, failure });
}

export interface StoredPoint {
  ordinal: number;
  point: PlanPoint;
}

const selectPoints = (db: Queryable, where: SQL | undefined) =>
  db
    .select({ ordinal: runPoints.ordinal, point: runPoints.point })
    .from(runPoints)
    .where(where)
    .orderBy(asc(runPoints.ordinal)) as unknown as Promise<StoredPoint[]>;

/** Points of a run that nobody has measured, in their order. */
export const listOpenPoints = (db: Queryable, runId: string): Promise<StoredPoint[]> =>
  selectPoints(db, and(eq(runPoints.runId, runId), isNull(runPoints.measuredAt)));

export interface MeasuredReport {
  /** The figures for whoever watches. */
  summary: Record<string, unknown>;
  /** The point as a line of the native format; null where not one request came to its end. */
  report: Packed | null;
  /** Requests of all finished points, this one among them. */
  requestsDone: number;
}

/** Stores what a point brought, once. @throws LeaseLostError */
export async function finishPoint(
  db: Database['db'],
  lease: Lease,
  { ordinal, point }: StoredPoint,
  { summary, report, requestsDone }: MeasuredReport,
): Promise<void> {
  await db.transaction(async (tx) => {
    await change(tx, lease, ['running'], { pointsDone: sql`${runs.pointsDone} + 1`, requestsDone, fruitless: 0 });
    const stored = await tx
      .update(runPoints)
      .set({
        ...{ measuredAt: sql`now()`, attempt: lease.attempt, summary },
        ...{ report: report?.bytes ?? null, reportPacking: report?.packing ?? null },
      })
      .where(and(eq(runPoints.runId, lease.runId), eq(runPoints.ordinal, ordinal), isNull(runPoints.measuredAt)))
      .returning({ ordinal: runPoints.ordinal });
    if (stored.length === 0) throw new LeaseLostError(lease);
    await appendEvent(tx, lease.runId, 'point', { ordinal, key: point.key, ...summary });
  });
}

export interface PackedReport {
  ordinal: number;
  report: Packed;
}

/** Measured points that are in no submission yet, in their order, so many at most. */
export async function listReports(db: Queryable, runId: string, limit: number): Promise<PackedReport[]> {
  const rows = await db
    .select({ ordinal: runPoints.ordinal, bytes: runPoints.report, packing: runPoints.reportPacking })
    .from(runPoints)
    .where(and(eq(runPoints.runId, runId), isNotNull(runPoints.report)))
    .orderBy(asc(runPoints.ordinal))
    .limit(limit);
  return rows.flatMap(({ ordinal, bytes, packing }) =>
    bytes === null ? [] : [{ ordinal, report: { bytes, packing } }],
  );
}

/** Notes, in the transaction that stores them as a submission, that these reports are in one. @throws LeaseLostError */
export async function clearReports(tx: Transaction, lease: Lease, ordinals: readonly number[]): Promise<void> {
  await change(tx, lease, ['claimed', 'running', 'completed'], {});
  const cleared = await tx
    .update(runPoints)
    .set({ report: null, reportPacking: null })
    .where(
      and(eq(runPoints.runId, lease.runId), inArray(runPoints.ordinal, [...ordinals]), isNotNull(runPoints.report)),
    )
    .returning({ ordinal: runPoints.ordinal });
  if (cleared.length !== ordinals.length) throw new LeaseLostError(lease);
}
