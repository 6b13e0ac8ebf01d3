import type { CapacityAnswer } from '@inferboard/core/plans/capacity-answer';
import type { PlanPoint } from '@inferboard/core/plans/point';
import { and, asc, eq, isNotNull, sql } from 'drizzle-orm';
import type { Database } from '../connection/client.ts';
import type { Queryable } from '../connection/transaction.ts';
import { runPoints, runs } from '../schema/index.ts';
import type { Lease } from './run-claim.ts';
import { change, type StoredPoint } from './run-progress.ts';

/** A measured point of a run. */
export interface MeasuredRow extends StoredPoint {
  summary: Record<string, unknown>;
}

/** The measured points of a run, in measuring order. */
export async function listMeasuredPoints(db: Queryable, runId: string): Promise<MeasuredRow[]> {
  const rows = await db
    .select({ ordinal: runPoints.ordinal, point: runPoints.point, summary: runPoints.summary })
    .from(runPoints)
    .where(and(eq(runPoints.runId, runId), isNotNull(runPoints.measuredAt)))
    .orderBy(asc(runPoints.ordinal));
  return rows as MeasuredRow[];
}

/** Adds the next point of a search, or the next repetition of a point. @throws LeaseLostError */
export async function addPoint(db: Database['db'], lease: Lease, point: PlanPoint): Promise<StoredPoint> {
  return db.transaction(async (tx) => {
    await change(tx, lease, ['running'], {});
    const [row] = await tx
      .insert(runPoints)
      .values({
        ...{ runId: lease.runId, key: point.key, point },
        ordinal: sql`(select coalesce(max(ordinal) + 1, 0) from run_points where run_id = ${lease.runId})`,
      })
      .returning({ ordinal: runPoints.ordinal });
    if (row === undefined) throw new Error(`a point of run ${lease.runId} was not added`);
    return { ordinal: row.ordinal, point };
  });
}

/**
 * Makes the totals of a run that added points those of its points, and stores the answer of its search, if it is one.
 *
 * @throws LeaseLostError
 */
export async function closePoints(db: Queryable, lease: Lease, capacity: CapacityAnswer | null): Promise<void> {
  const totals = { pointsTotal: sql`${runs.pointsDone}`, requestsTotal: sql`${runs.requestsDone}` };
  await change(db, lease, ['running'], { ...(capacity !== null && { capacity }), ...totals });
}
