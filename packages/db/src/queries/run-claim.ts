import type { RunState } from '@inferboard/core/plans/run-state';
import { sql } from 'drizzle-orm';
import type { Database } from '../client.ts';
import { codesOf } from '../errors.ts';
import { appendEvent } from './run-events.ts';

/** A worker's hold on a run. Whoever claims the run next has a higher attempt, and nothing of this one is stored then. */
export interface Lease {
  runId: string;
  attempt: number;
}

export interface ClaimedRun extends Lease {
  accountId: string;
  endpointId: string;
  scheduleId: string | null;
  /** `claimed`, or `completed` where only the storing is left. */
  state: Extract<RunState, 'claimed' | 'completed'>;
  seed: number;
  /** Requests of the points that are measured. */
  requestsDone: number;
  /** Claims since a point was last measured, this one among them. */
  fruitless: number;
  isCancelAsked: boolean;
}

/** Seconds that a worker holds a run without a beat. */
export const leaseS = 10;

export const leaseEnd = sql`now() + make_interval(secs => ${leaseS})`;

const uniqueViolation = '23505';

/** The same run, or another of its endpoint, was claimed at the same moment. */
const isRace = (error: unknown) => [...codesOf(error)].includes(uniqueViolation);

async function tryClaim(db: Database['db'], worker: string): Promise<ClaimedRun | null> {
  return db.transaction(async (tx) => {
    const [claimed] = (await tx.execute(sql`
      update runs r set
        state = case when r.state = 'completed' then 'completed' else 'claimed' end,
        attempt = r.attempt + 1, fruitless = r.fruitless + 1, worker = ${worker}, lease_until = ${leaseEnd},
        started_at = coalesce(r.started_at, now())
      where r.id = (
        select w.id from runs w
        where (w.state = 'pending' and w.not_before <= now()
            or w.state in ('claimed', 'running', 'completed') and w.lease_until < now())
          and (w.state = 'completed' or not exists (
            select 1 from runs busy
            where busy.endpoint_id = w.endpoint_id and busy.state in ('claimed', 'running') and busy.id <> w.id))
        order by (w.state = 'pending'), w.created_at
        limit 1 for update skip locked)
      returning r.id as "runId", r.attempt, r.account_id as "accountId", r.endpoint_id as "endpointId",
        r.schedule_id as "scheduleId", r.state, r.seed::float8 as seed, r.fruitless,
        coalesce((select sum((p.point ->> 'requests')::int) from run_points p
          where p.run_id = r.id and p.measured_at is not null), 0)::int as "requestsDone",
        r.cancel_asked_at is not null as "isCancelAsked"`)) as unknown as ClaimedRun[];
    if (claimed === undefined) return null;
    const { runId, state, attempt } = claimed;
    if (state === 'claimed') await appendEvent(tx, runId, 'state', { state, attempt });
    return claimed;
  });
}

/**
 * Claims the next run for a worker: one that was left by a worker that is gone, else the oldest that waits and whose
 * endpoint is free. Null where there is none.
 */
export async function claimRun(db: Database['db'], worker: string): Promise<ClaimedRun | null> {
  for (;;) {
    try {
      return await tryClaim(db, worker);
    } catch (error) {
      if (!isRace(error)) throw error;
    }
  }
}
