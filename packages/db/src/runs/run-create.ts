import type { ExpandedPlan } from '@inferboard/core/plans/expand';
import type { PlanPoint } from '@inferboard/core/plans/point';
import { and, eq, isNull } from 'drizzle-orm';
import { createId } from '../connection/ids.ts';
import type { Transaction } from '../connection/transaction.ts';
import { endpoints, runPoints, runs } from '../schema/index.ts';
import { appendEvent } from './run-events.ts';

export interface NewRun {
  accountId: string;
  endpointId: string;
  scheduleId: string | null;
  /** The plan as requested. */
  request: Record<string, unknown>;
  seed: number;
  expanded: ExpandedPlan;
}

/** Points per statement: a statement takes at most 65 534 parameters. */
const batchPoints = 5000;

async function insertPoints(tx: Transaction, runId: string, points: readonly PlanPoint[]): Promise<void> {
  for (let start = 0; start < points.length; start += batchPoints) {
    const batch = points.slice(start, start + batchPoints);
    await tx
      .insert(runPoints)
      .values(batch.map((point, index) => ({ runId, ordinal: start + index, key: point.key, point })));
  }
}

/** Queues a run in the caller's transaction. Returns null if the endpoint was removed. */
export async function insertRun(tx: Transaction, run: NewRun): Promise<string | null> {
  const { accountId, endpointId, scheduleId, request, seed, expanded } = run;
  const { points, atMost, omitted, search } = expanded;
  // A concurrent removal of the endpoint either waits for this transaction or is visible here.
  const there = await tx
    .select({ id: endpoints.id })
    .from(endpoints)
    .where(and(eq(endpoints.id, endpointId), isNull(endpoints.removedAt)))
    .for('key share');
  if (there.length === 0) return null;
  const id = createId('run');
  await tx.insert(runs).values({
    ...{ id, accountId, endpointId, scheduleId, request, seed, omitted, search },
    ...{ pointsTotal: atMost.points, requestsTotal: atMost.requests },
  });
  await insertPoints(tx, id, points);
  await appendEvent(tx, id, 'state', { state: 'pending' });
  return id;
}
