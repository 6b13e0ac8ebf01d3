import type { LiveFigures } from '@inferboard/core/observed/live-figures';
import type { Timeline } from '@inferboard/core/observed/timeline';
import type { CapacityAnswer } from '@inferboard/core/plans/capacity-answer';
import type { PlanPoint } from '@inferboard/core/plans/point';
import type { EndState, PublishChoice, RunState } from '@inferboard/core/plans/run-state';
import { and, asc, eq, inArray, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../connection/client.ts';
import type { Queryable, Transaction } from '../connection/transaction.ts';
import type { Packed } from '../copy/packing.ts';
import { runPoints, runs } from '../schema/index.ts';
import { measuredRequests } from './measured-requests.ts';
import { type Lease, leaseEnd } from './run-claim.ts';
import { appendEvent } from './run-events.ts';

/** The run belongs to another attempt, or is over. The worker must not store its results. */
export class LeaseLostError extends Error {
  constructor({ runId, attempt }: Lease) {
    super(`run ${runId} is no longer that of attempt ${attempt}`);
    this.name = 'LeaseLostError';
  }
}

export type Change = Partial<Record<keyof typeof runs.$inferSelect, unknown>>;

/** Runs that an earlier release canceled state no choice. */
const isCanceled = sql`${runs.cancelAskedAt} is not null`;

/** Updates a leased run and extends the lease. @throws LeaseLostError */
export async function change(
  db: Queryable,
  lease: Lease,
  from: readonly RunState[],
  set: Change,
): Promise<{ cancel: PublishChoice | null }> {
  const [row] = await db
    .update(runs)
    // The keys are column names.
    .set({ leaseUntil: leaseEnd, ...set } as Record<string, unknown>)
    .where(and(eq(runs.id, lease.runId), eq(runs.attempt, lease.attempt), inArray(runs.state, [...from])))
    .returning({
      cancel: sql<PublishChoice | null>`case when ${isCanceled} then coalesce(${runs.cancelPublish}, 'measured') end`,
    });
  if (row === undefined) throw new LeaseLostError(lease);
  return row;
}

/**
 * Extends the lease and stores the number of finished requests, and the figures of the current point; null leaves either as it
 * is. Returns what to publish if cancellation was requested, else null.
 *
 * @throws LeaseLostError
 */
export async function beatRun(
  db: Queryable,
  lease: Lease,
  requestsDone: number | null,
  live: LiveFigures | null = null,
): Promise<PublishChoice | null> {
  const done = requestsDone === null ? {} : { requestsDone: sql`least(${requestsDone}, ${runs.requestsTotal})` };
  const set = { ...done, ...(live !== null && { live }) };
  return (await change(db, lease, ['claimed', 'running', 'completed'], set)).cancel;
}

/** Advances a run to the next state. @throws LeaseLostError */
export async function advanceRun(db: Database['db'], lease: Lease, to: 'running' | 'completed'): Promise<void> {
  await db.transaction(async (tx) => {
    await change(tx, lease, [to === 'running' ? 'claimed' : 'running'], { state: to, live: null });
    await appendEvent(tx, lease.runId, 'state', { state: to });
  });
}

/** Why a run returns to the queue. */
export interface Postponement {
  /** Delay in seconds before the next attempt. */
  seconds: number;
  message: string;
  /** Failed attempts since the last measured point, and how many end the run; omitted if attempts are not counted. */
  attempts?: { failed: number; max: number };
}

/**
 * Returns a run to the queue for a retry after a delay. A canceled run becomes `completed` instead, so that a worker stores its
 * results and ends it.
 *
 * @throws LeaseLostError
 */
export async function postponeRun(
  db: Database['db'],
  lease: Lease,
  { seconds, message, attempts }: Postponement,
): Promise<void> {
  await db.transaction(async (tx) => {
    const { cancel } = await change(tx, lease, ['claimed', 'running'], {
      state: sql`case when ${isCanceled} then 'completed' else 'pending' end`,
      notBefore: sql`now() + make_interval(secs => ${seconds})`,
      leaseUntil: sql`case when ${isCanceled} then now() end`,
      ...{ worker: null, live: null, requestsDone: measuredRequests(sql`${runs.id}`) },
    });
    const counted = attempts && { attempts_failed: attempts.failed, attempts_max: attempts.max };
    const postponed = { state: 'pending', message, retry_in_s: seconds, ...counted };
    await appendEvent(tx, lease.runId, 'state', cancel === null ? postponed : { state: 'completed' });
  });
}

export interface Failure {
  code: string;
  message: string;
}

/**
 * Ends a run, in the caller's transaction. If it was not measured to its end, its progress is that of its stored points.
 *
 * @throws LeaseLostError
 */
export async function endRun(tx: Transaction, lease: Lease, to: EndState, failure: Failure | null): Promise<void> {
  await change(tx, lease, ['claimed', 'running', 'completed'], {
    state: to,
    ...{ leaseUntil: null, worker: null, live: null, endedAt: sql`now()` },
    ...(to !== 'processed' && { requestsDone: measuredRequests(sql`${runs.id}`) }),
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

/** A run over time so far; null if no metrics of the server were read. */
export async function findTimeline(db: Queryable, runId: string): Promise<Timeline | null> {
  const [row] = await db.select({ timeline: runs.timeline }).from(runs).where(eq(runs.id, runId));
  return row?.timeline ?? null;
}

/** Unmeasured points of a run, in order. */
export const listOpenPoints = (db: Queryable, runId: string): Promise<StoredPoint[]> =>
  selectPoints(db, and(eq(runPoints.runId, runId), isNull(runPoints.measuredAt)));

export interface MeasuredReport {
  /** Figures for the display of progress. */
  summary: Record<string, unknown>;
  /** The point as a line of the native format; null if no request finished. */
  report: Packed | null;
  /** Requests of all finished points, including this one. */
  requestsDone: number;
  /** The run over time, including this point; undefined leaves it unchanged. */
  timeline?: Timeline | undefined;
  /** What a search has found, including this point; undefined leaves it unchanged. */
  capacity?: CapacityAnswer | undefined;
}

/** Stores the result of a point, once. @throws LeaseLostError */
export async function finishPoint(
  db: Database['db'],
  lease: Lease,
  { ordinal, point }: StoredPoint,
  { summary, report, requestsDone, timeline, capacity }: MeasuredReport,
): Promise<void> {
  await db.transaction(async (tx) => {
    await change(tx, lease, ['running'], {
      ...{ pointsDone: sql`${runs.pointsDone} + 1`, requestsDone, fruitless: 0 },
      ...(timeline !== undefined && { timeline }),
      ...(capacity !== undefined && { capacity }),
    });
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

/** Measured points that are in no submission yet, in order, at most `limit`. */
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

/** Marks reports as stored, in the transaction that stores them as a submission. @throws LeaseLostError */
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
