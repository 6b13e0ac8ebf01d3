import { isEnded, type PublishChoice, type RunState } from '@inferboard/core/plans/run-state';
import { and, eq, isNotNull, sql } from 'drizzle-orm';
import type { Database } from '../connection/client.ts';
import { type Done, nothingMore, type Transaction } from '../connection/transaction.ts';
import { runPoints, runs } from '../schema/index.ts';
import { appendEvent } from './run-events.ts';

async function hasReports(tx: Transaction, id: string): Promise<boolean> {
  const where = and(eq(runPoints.runId, id), isNotNull(runPoints.report));
  return (await tx.select({ ordinal: runPoints.ordinal }).from(runPoints).where(where).limit(1)).length > 0;
}

/**
 * Cancels a run. A pending run without results ends at once. A pending run with results becomes `completed`, so that a worker
 * stores them and ends it, even if its endpoint is busy. The worker of any other run gets the request with its next heartbeat.
 * Returns the state before the call. Repeated calls, and calls after the end, change nothing. Null if the run does not exist.
 */
export async function cancelRun(
  db: Database['db'],
  id: string,
  publish: PublishChoice = 'measured',
  done: Done = nothingMore,
): Promise<RunState | null> {
  return db.transaction(async (tx) => {
    const [row] = await tx.select({ state: runs.state }).from(runs).where(eq(runs.id, id)).for('update');
    if (row === undefined) return null;
    const state = row.state as RunState; // the table's check allows no other
    if (isEnded(state)) return state;
    await done(tx);
    const asked = {
      cancelAskedAt: sql`coalesce(${runs.cancelAskedAt}, now())`,
      cancelPublish: sql`coalesce(${runs.cancelPublish}, ${publish})`,
    };
    if (state !== 'pending') {
      await tx.update(runs).set(asked).where(eq(runs.id, id));
      return state;
    }
    if (await hasReports(tx, id)) {
      const set = { ...asked, state: 'completed', leaseUntil: sql`now()` };
      await tx.update(runs).set(set).where(eq(runs.id, id));
      await appendEvent(tx, id, 'state', { state: 'completed' });
      return state;
    }
    await tx
      .update(runs)
      .set({ ...asked, state: 'canceled', endedAt: sql`now()` })
      .where(eq(runs.id, id));
    await appendEvent(tx, id, 'end', { state: 'canceled', failure: null });
    return state;
  });
}
