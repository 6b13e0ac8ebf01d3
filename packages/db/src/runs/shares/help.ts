import { and, eq, sql } from 'drizzle-orm';
import type { Queryable } from '../../connection/transaction.ts';
import { texts } from '../../copy/bulk.ts';
import type { Packed } from '../../copy/packing.ts';
import { runShares, type ShareCounts, type ShareState } from '../../schema/index.ts';
import { leaseEnd } from '../run-claim.ts';

// What the worker of a share does. Each write belongs to its claim.

/** A worker's claim of a share. */
export interface HeldShare {
  runId: string;
  share: number;
  /** Those of the run and of the share. */
  attempt: number;
  claims: number;
  endpointId: string;
}

/** Seconds that the lease of a run must last for its shares to continue: they stop before another worker can start. */
const marginS = 4;

const isHeld = ({ runId, share, attempt, claims }: HeldShare) =>
  and(
    eq(runShares.runId, runId),
    eq(runShares.share, share),
    eq(runShares.attempt, attempt),
    eq(runShares.claims, claims),
  );

/**
 * Claims a share of a run that another worker measures: one that is open, or whose worker died between two points. A worker has at
 * most one share of each run. Null if there is none.
 *
 * @param except ids of runs that this worker cannot help with
 */
export async function claimShare(db: Queryable, worker: string, except: readonly string[]): Promise<HeldShare | null> {
  const [claimed] = (await db.execute(sql`
    update run_shares s set worker = ${worker}, lease_until = ${leaseEnd}, state = 'joined', claims = s.claims + 1,
      job = null, job_packing = null, result = null, result_packing = null, counts = null, failure = null
    from runs r
    where r.id = s.run_id and (s.run_id, s.share) = (
      select o.run_id, o.share from run_shares o join runs w on w.id = o.run_id
      where (o.state = 'open' or o.state in ('joined', 'assigned', 'ready') and o.lease_until < now())
        and w.attempt = o.attempt and w.state = 'running' and w.lease_until > now() and w.cancel_asked_at is null
        and w.worker <> ${worker} and not (w.id = any(${texts(except)}))
        and not exists (
          select 1 from run_shares own
          where own.run_id = o.run_id and own.worker = ${worker} and own.lease_until > now())
      order by o.run_id, o.share limit 1 for update of o skip locked)
    returning s.run_id as "runId", s.share, s.attempt, s.claims, r.endpoint_id as "endpointId"`)) as unknown as HeldShare[];
  return claimed ?? null;
}

/** A share as its worker sees it. */
export interface ShareBeat {
  state: ShareState;
  round: number;
  /** The common start; null if it is not set. */
  startAtMs: number | null;
  isCanceled: boolean;
  /** False if no worker holds the run, so that no further request may be sent. */
  isLed: boolean;
}

/** Extends the lease of a share and stores its counts; null leaves them as they are. Null if the claim is lost. */
export async function beatShare(db: Queryable, held: HeldShare, counts: ShareCounts | null): Promise<ShareBeat | null> {
  const [beat] = (await db.execute(sql`
    update run_shares s set lease_until = ${leaseEnd},
      counts = coalesce(${counts === null ? null : JSON.stringify(counts)}::jsonb, s.counts)
    from runs r
    where r.id = s.run_id and s.run_id = ${held.runId} and s.share = ${held.share} and s.attempt = ${held.attempt}
      and s.claims = ${held.claims}
    returning s.state, s.round, s.start_at_ms as "startAtMs", r.cancel_asked_at is not null as "isCanceled",
      r.attempt = s.attempt and r.state = 'running'
        and r.lease_until > now() + make_interval(secs => ${marginS}) as "isLed"`)) as unknown as ShareBeat[];
  return beat ?? null;
}

/** The requests of the current point; null if there are none. */
export async function readShareJob(db: Queryable, held: HeldShare): Promise<Packed | null> {
  const [row] = await db
    .select({ bytes: runShares.job, packing: runShares.jobPacking })
    .from(runShares)
    .where(and(isHeld(held), eq(runShares.state, 'assigned')));
  return row === undefined || row.bytes === null ? null : { bytes: row.bytes, packing: row.packing };
}

/** Reports that the connections of a share are open and its clock is known. */
export async function readyShare(db: Queryable, held: HeldShare, clockErrorMs: number): Promise<void> {
  await db
    .update(runShares)
    .set({ state: 'ready', clockErrorMs })
    .where(and(isHeld(held), eq(runShares.state, 'assigned')));
}

/** Stores the records of a share. */
export async function finishShare(db: Queryable, held: HeldShare, result: Packed, clockErrorMs: number): Promise<void> {
  await db
    .update(runShares)
    .set({ state: 'done', result: result.bytes, resultPacking: result.packing, clockErrorMs })
    .where(and(isHeld(held), eq(runShares.state, 'ready')));
}

/** Gives up a share that this worker cannot measure. */
export async function failShare(db: Queryable, held: HeldShare, failure: string): Promise<void> {
  await db.update(runShares).set({ state: 'failed', failure, worker: null, leaseUntil: null }).where(isHeld(held));
}

/** Returns a share, for another worker if it is not closed. */
export async function releaseShare(db: Queryable, held: HeldShare): Promise<void> {
  const state = sql`case when ${runShares.state} in ('closed', 'failed', 'done') then ${runShares.state} else 'open' end`;
  await db.update(runShares).set({ state, worker: null, leaseUntil: null }).where(isHeld(held));
}
