import { isEnded, type RunState } from '@inferboard/core/plans/run-state';
import { eq, sql } from 'drizzle-orm';
import type { Database } from '../client.ts';
import { runs } from '../schema/index.ts';
import { type Done, nothingMore } from '../transaction.ts';
import { appendEvent } from './run-events.ts';

/**
 * Asks for the end of a run: one that waits is canceled at once, of any other its worker is told with its next beat.
 * Answers the state that it was in; asking again, or when it is over, changes nothing. Null where there is none.
 */
export async function cancelRun(db: Database['db'], id: string, done: Done = nothingMore): Promise<RunState | null> {
  return db.transaction(async (tx) => {
    const [row] = await tx.select({ state: runs.state }).from(runs).where(eq(runs.id, id)).for('update');
    if (row === undefined) return null;
    const state = row.state as RunState; // The table's check knows no other.
    if (isEnded(state)) return state;
    await done(tx);
    const asked = { cancelAskedAt: sql`coalesce(${runs.cancelAskedAt}, now())` };
    if (state !== 'pending') {
      await tx.update(runs).set(asked).where(eq(runs.id, id));
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
