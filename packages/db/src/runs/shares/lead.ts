import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '../../connection/client.ts';
import { type Queryable, transact } from '../../connection/transaction.ts';
import { ints } from '../../copy/bulk.ts';
import type { Packed } from '../../copy/packing.ts';
import { runShares, type ShareCounts, type ShareState } from '../../schema/index.ts';
import type { Lease } from '../run-claim.ts';
import { change } from '../run-progress.ts';

// What the worker that holds a run does with its shares. All writes belong to its attempt.

/** A share as the worker that holds the run sees it. */
export interface SeenShare {
  share: number;
  claims: number;
  state: ShareState;
  /** True if a worker holds it. */
  isHeld: boolean;
  counts: ShareCounts | null;
  clockErrorMs: number | null;
  failure: string | null;
}

const ofAttempt = ({ runId, attempt }: Lease) => and(eq(runShares.runId, runId), eq(runShares.attempt, attempt));

const oneOf = (lease: Lease, { share, claims }: Pick<SeenShare, 'share' | 'claims'>) =>
  and(ofAttempt(lease), eq(runShares.share, share), eq(runShares.claims, claims));

/** Opens shares 1 to `count` of a run, and removes those of earlier attempts. @throws LeaseLostError */
export async function openShares(db: Database['db'], lease: Lease, count: number): Promise<void> {
  const { runId, attempt } = lease;
  await transact(db, async (tx) => {
    await change(tx, lease, ['running'], {});
    await tx.delete(runShares).where(eq(runShares.runId, runId));
    await tx.insert(runShares).values(Array.from({ length: count }, (_, at) => ({ runId, attempt, share: at + 1 })));
  });
}

/** The shares of a run, in order. */
export async function listShares(db: Queryable, lease: Lease): Promise<SeenShare[]> {
  return db
    .select({
      share: runShares.share,
      claims: runShares.claims,
      state: runShares.state,
      isHeld: sql<boolean>`coalesce(${runShares.leaseUntil} > now(), false)`,
      counts: runShares.counts,
      clockErrorMs: runShares.clockErrorMs,
      failure: runShares.failure,
    })
    .from(runShares)
    .where(ofAttempt(lease))
    .orderBy(runShares.share);
}

/** Gives the worker of a share its requests of a point. Returns false if it no longer holds the share. */
export async function assignShare(
  db: Queryable,
  lease: Lease,
  seen: Pick<SeenShare, 'share' | 'claims'>,
  job: Packed,
): Promise<boolean> {
  const assigned = await db
    .update(runShares)
    .set({
      ...{ state: 'assigned', round: sql`${runShares.round} + 1`, job: job.bytes, jobPacking: job.packing },
      ...{ startAtMs: null, clockErrorMs: null, counts: null, result: null, resultPacking: null },
    })
    .where(and(oneOf(lease, seen), eq(runShares.state, 'joined')))
    .returning({ share: runShares.share });
  return assigned.length === 1;
}

/**
 * Sets the common start of shares that are ready, `leadMs` from now. Returns it in ms since 1970 by the clock of the database;
 * null if one of them is not ready.
 */
export async function startShares(
  db: Database['db'],
  lease: Lease,
  shares: readonly number[],
  leadMs: number,
): Promise<number | null> {
  return transact(db, async (tx) => {
    const started = (await tx.execute(sql`
      with start as materialized (select extract(epoch from clock_timestamp())::float8 * 1000 + ${leadMs}::float8 as at)
      update run_shares s set start_at_ms = start.at from start
      where s.run_id = ${lease.runId} and s.attempt = ${lease.attempt} and s.share = any(${ints(shares)})
        and s.state = 'ready'
      returning s.start_at_ms as at`)) as unknown as { at: number }[];
    return started.length === shares.length ? (started[0]?.at ?? null) : null;
  });
}

/** Takes the records of a share that is done, whose worker then waits for the next point. Null if it is not done. */
export async function takeShareResult(
  db: Database['db'],
  lease: Lease,
  seen: Pick<SeenShare, 'share' | 'claims'>,
): Promise<Packed | null> {
  return transact(db, async (tx) => {
    const where = and(oneOf(lease, seen), eq(runShares.state, 'done'));
    const [row] = await tx
      .select({ bytes: runShares.result, packing: runShares.resultPacking })
      .from(runShares)
      .where(where);
    if (row === undefined || row.bytes === null) return null;
    await tx
      .update(runShares)
      .set({
        state: sql`case when ${runShares.worker} is null then 'open' else 'joined' end`,
        ...{ job: null, jobPacking: null, result: null, resultPacking: null },
      })
      .where(where);
    return { bytes: row.bytes, packing: row.packing };
  });
}

/** Asks the workers of all shares to stop. */
export async function closeShares(db: Queryable, lease: Lease): Promise<void> {
  await db.update(runShares).set({ state: 'closed' }).where(ofAttempt(lease));
}

/** Removes the shares of a run. */
export async function removeShares(db: Queryable, lease: Lease): Promise<void> {
  await db.delete(runShares).where(ofAttempt(lease));
}
