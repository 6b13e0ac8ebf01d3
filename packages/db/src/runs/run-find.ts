import type { PointCut } from '@inferboard/core/observed/cut-short';
import type { LiveFigures } from '@inferboard/core/observed/live-figures';
import type { Timeline } from '@inferboard/core/observed/timeline';
import type { CapacityAnswer } from '@inferboard/core/plans/capacity-answer';
import type { CapacitySearch } from '@inferboard/core/plans/capacity-search';
import type { PlanPoint } from '@inferboard/core/plans/point';
import { endStates, type RunState } from '@inferboard/core/plans/run-state';
import type { OmittedPoint } from '@inferboard/core/plans/scale';
import { and, asc, count, desc, eq, lt, notInArray, type SQL, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../connection/transaction.ts';
import { accounts, endpoints, runPoints, runs } from '../schema/index.ts';
import type { EndpointFacts } from './endpoint.ts';
import { leaseS } from './run-claim.ts';
import type { RunEvent } from './run-events.ts';

/** The progress of a run. Counts measured requests only. */
export interface RunProgress {
  pointsDone: number;
  pointsTotal: number;
  requestsDone: number;
  requestsTotal: number;
  /** Estimated whole seconds to the last request at the current pace; null if the run is not running. */
  etaS: number | null;
}

/** Why the last attempt at a run ended before a point was measured, and when the next one begins. */
export interface RunRetry {
  message: string;
  failedAt: string;
  /** Null if the next attempt has begun. */
  nextAt: string | null;
  attemptsFailed: number | null;
  attemptsMax: number | null;
}

export interface RunRow extends RunProgress {
  id: string;
  accountId: string;
  endpointId: string;
  endpointName: string;
  model: string;
  /** Facts of the endpoint. */
  facts: EndpointFacts;
  scheduleId: string | null;
  state: RunState;
  /** The plan as requested. */
  request: Record<string, unknown>;
  seed: number;
  omitted: OmittedPoint[];
  /** The parts of the summaries of points that ended early, in measuring order. */
  cuts: { cut: PointCut }[];
  search: CapacitySearch | null;
  capacity: CapacityAnswer | null;
  /** Figures of the current point; null if it is not being measured. */
  live: LiveFigures | null;
  /** Null if no metrics of the server were read. */
  timeline: Timeline | null;
  /** Number of events so far. */
  events: number;
  attempt: number;
  failureCode: string | null;
  failureMessage: string | null;
  /** Null if the last attempt measured a point, and once the run is over. */
  retry: RunRetry | null;
  /** Submissions with the run's results, oldest first. */
  submissionIds: string[];
  cancelAskedAt: string | null;
  createdAt: string;
  startedAt: string | null;
  endedAt: string | null;
}

/** Based on the lease's end, which changes only with a heartbeat. The response thus changes with the row, not with the clock. */
const etaS = sql<number | null>`case when runs.state = 'running' and runs.requests_done > 0 then ceil(
  greatest(0, extract(epoch from runs.lease_until - make_interval(secs => ${leaseS}) - runs.started_at))
  * (runs.requests_total - runs.requests_done) / runs.requests_done)::float8 end`;

/** An attempt without a point adds two events after the one that postponed the run: it was claimed, and it started. */
const retry = sql<RunRetry | null>`case when runs.state in ('pending', 'claimed', 'running') then (
  select jsonb_build_object('message', e.data -> 'message', 'failedAt', e.created_at,
    'nextAt', case when runs.state = 'pending' then runs.not_before end,
    'attemptsFailed', e.data -> 'attempts_failed', 'attemptsMax', e.data -> 'attempts_max')
  from (select * from run_events where run_id = runs.id order by ordinal desc limit 3) e
  where e.kind = 'state' and e.data ->> 'message' is not null order by e.ordinal desc limit 1) end`;

const cuts = sql<RunRow['cuts']>`(
  select coalesce(jsonb_agg(jsonb_build_object('cut', p.summary -> 'cut') order by p.ordinal), '[]'::jsonb)
  from run_points p where p.run_id = runs.id and jsonb_typeof(p.summary -> 'cut') = 'object')`;

const progress = {
  pointsDone: runs.pointsDone,
  pointsTotal: runs.pointsTotal,
  requestsDone: runs.requestsDone,
  requestsTotal: runs.requestsTotal,
  etaS,
};

const select = (db: Queryable, where: SQL | undefined) =>
  db
    .select({
      ...progress,
      id: runs.id,
      accountId: runs.accountId,
      endpointId: runs.endpointId,
      endpointName: endpoints.name,
      model: endpoints.model,
      facts: endpoints.facts,
      scheduleId: runs.scheduleId,
      state: runs.state,
      request: runs.request,
      seed: runs.seed,
      omitted: runs.omitted,
      cuts,
      search: runs.search,
      capacity: runs.capacity,
      live: runs.live,
      timeline: runs.timeline,
      events: runs.events,
      attempt: runs.attempt,
      failureCode: runs.failureCode,
      failureMessage: runs.failureMessage,
      retry,
      submissionIds: sql<string[]>`(
        select coalesce(jsonb_agg(s.id order by s.id), '[]'::jsonb) from submissions s where s.run_id = runs.id)`,
      cancelAskedAt: runs.cancelAskedAt,
      createdAt: runs.createdAt,
      startedAt: runs.startedAt,
      endedAt: runs.endedAt,
    })
    .from(runs)
    // Includes removed endpoints, whose rows are kept for this.
    .innerJoin(endpoints, eq(endpoints.id, runs.endpointId))
    .where(where)
    .orderBy(desc(runs.id));

/** A run of any account; null if it does not exist. */
export async function findRun(db: Queryable, id: string): Promise<RunRow | null> {
  const [row] = await select(db, eq(runs.id, id));
  return (row as RunRow | undefined) ?? null;
}

export interface RunQuestion {
  accountId: string;
  state: RunState | null;
  endpointId: string | null;
  limit: number;
  /** Id of the last run of the previous page. */
  after: string | null;
}

/** Runs of an account, newest first, sorted by id. */
export async function listRuns(db: Queryable, question: RunQuestion): Promise<RunRow[]> {
  const { accountId, state, endpointId, limit, after } = question;
  const where = and(
    eq(runs.accountId, accountId),
    state === null ? undefined : eq(runs.state, state),
    endpointId === null ? undefined : eq(runs.endpointId, endpointId),
    after === null ? undefined : lt(runs.id, after),
  );
  return (await select(db, where).limit(limit)) as RunRow[];
}

export interface RunPointRow {
  key: string;
  point: PlanPoint;
  measuredAt: string | null;
  summary: Record<string, unknown> | null;
}

/** The points of a run, in measuring order. */
export async function listRunPoints(db: Queryable, runId: string): Promise<RunPointRow[]> {
  const rows = await db
    .select({
      key: runPoints.key,
      point: runPoints.point,
      measuredAt: runPoints.measuredAt,
      summary: runPoints.summary,
    })
    .from(runPoints)
    .where(eq(runPoints.runId, runId))
    .orderBy(asc(runPoints.ordinal));
  return rows as RunPointRow[];
}

/** Number of an account's unfinished runs. Concurrent counts for one account are serialized by their transactions. */
export async function countOpenRuns(tx: Transaction, accountId: string): Promise<number> {
  await tx.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, accountId)).for('no key update');
  const [row] = await tx
    .select({ open: count() })
    .from(runs)
    .where(and(eq(runs.accountId, accountId), notInArray(runs.state, [...endStates])));
  return row?.open ?? 0;
}

/** A snapshot of a run, with the events after a given one. */
export interface RunSnapshot extends RunProgress {
  state: RunState;
  live: LiveFigures | null;
  /** Number of events so far. */
  eventsTotal: number;
  /** Events after the given one, oldest first. */
  events: Pick<RunEvent, 'ordinal' | 'kind' | 'data' | 'createdAt'>[];
}

/** Reads the next update for a watcher in one statement, with at most `limit` events. Null if the run does not exist. */
export async function findRunSnapshot(
  db: Queryable,
  id: string,
  after: number,
  limit: number,
): Promise<RunSnapshot | null> {
  const [row] = (await db.execute(sql`
    select runs.state, runs.live, runs.events as "eventsTotal", runs.points_done as "pointsDone", runs.points_total as "pointsTotal",
      runs.requests_done as "requestsDone", runs.requests_total as "requestsTotal", ${etaS} as "etaS",
      (select coalesce(jsonb_agg(jsonb_build_object('ordinal', e.ordinal, 'kind', e.kind, 'data', e.data,
          'createdAt', e.created_at) order by e.ordinal), '[]'::jsonb)
        from (select * from run_events where run_id = runs.id and ordinal > ${after} order by ordinal limit ${limit}) e
      ) as events
    from runs where runs.id = ${id}`)) as unknown as RunSnapshot[];
  return row ?? null;
}
