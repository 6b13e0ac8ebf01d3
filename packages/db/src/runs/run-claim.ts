import type { CapacitySearch } from '@inferboard/core/plans/capacity-search';
import type { RunState } from '@inferboard/core/plans/run-state';
import { sql } from 'drizzle-orm';
import type { Database } from '../connection/client.ts';
import { codesOf } from '../connection/errors.ts';
import { measuredRequests } from './measured-requests.ts';
import { appendEvent } from './run-events.ts';

/** A worker's lease of a run. A later claim has a higher attempt, and writes of this attempt are then rejected. */
export interface Lease {
  runId: string;
  attempt: number;
}

export interface ClaimedRun extends Lease {
  accountId: string;
  endpointId: string;
  scheduleId: string | null;
  /** `claimed`, or `completed` if only storing is left. */
  state: Extract<RunState, 'claimed' | 'completed'>;
  seed: number;
  /** What the run searches; null for a plan with fixed points. */
  search: CapacitySearch | null;
  /** Limits of one request for the goodput, as requested; null if there are none. */
  slo: string | null;
  /** Consecutive failed requests that end a point, as requested; null if not stated. */
  errorsMax: number | null;
  /** Repeats each point until it is stable, as requested; null for other runs. */
  until: string | null;
  /** Measured requests in total, or at most. */
  requestsTotal: number;
  /** Workers that share the requests of each point, if as many are free. */
  workers: number;
  /** Requests of measured points. */
  requestsDone: number;
  /** Claims since the last measured point, including this one. */
  fruitless: number;
  isCancelAsked: boolean;
}

/** Seconds until a lease ends without a heartbeat. */
export const leaseS = 10;

export const leaseEnd = sql`now() + make_interval(secs => ${leaseS})`;

const uniqueViolation = '23505';

/** Another worker concurrently claimed the run, or another run of its endpoint. */
const isRace = (error: unknown) => [...codesOf(error)].includes(uniqueViolation);

async function tryClaim(db: Database['db'], worker: string): Promise<ClaimedRun | null> {
  return db.transaction(async (tx) => {
    const [claimed] = (await tx.execute(sql`
      update runs r set
        state = case when r.state = 'completed' then 'completed' else 'claimed' end,
        attempt = r.attempt + 1, fruitless = r.fruitless + 1, worker = ${worker}, lease_until = ${leaseEnd},
        started_at = coalesce(r.started_at, now()), live = null, requests_done = ${measuredRequests(sql`r.id`)}
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
        r.schedule_id as "scheduleId", r.state, r.seed::float8 as seed, r.search, r.fruitless,
        r.request ->> 'until' as until, r.requests_total as "requestsTotal", r.request ->> 'slo' as slo, (r.request #>> '{limits,max_errors}')::int as "errorsMax",
        coalesce((r.request ->> 'workers')::int, 1) as workers,
        r.requests_done as "requestsDone",
        r.cancel_asked_at is not null as "isCancelAsked"`)) as unknown as ClaimedRun[];
    if (claimed === undefined) return null;
    const { runId, state, attempt } = claimed;
    if (state === 'claimed') await appendEvent(tx, runId, 'state', { state, attempt });
    return claimed;
  });
}

/** Claims the next run: one whose lease has ended, else the oldest pending one whose endpoint is free. Null if there is none. */
export async function claimRun(db: Database['db'], worker: string): Promise<ClaimedRun | null> {
  for (;;) {
    try {
      return await tryClaim(db, worker);
    } catch (error) {
      if (!isRace(error)) throw error;
    }
  }
}
