import type { LiveFigures } from '@inferboard/core/observed/live-figures';
import type { Timeline } from '@inferboard/core/observed/timeline';
import type { CapacityAnswer } from '@inferboard/core/plans/capacity-answer';
import type { CapacitySearch } from '@inferboard/core/plans/capacity-search';
import type { PublishChoice } from '@inferboard/core/plans/run-state';
import { sql } from 'drizzle-orm';
import {
  bigint,
  check,
  customType,
  date,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';
import { endpoints } from './endpoints.ts';

const instant = () => timestamp({ withTimezone: true, mode: 'string' });
const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' });

/** Recurring runs of an endpoint. */
export const schedules = pgTable(
  'schedules',
  {
    id: text().primaryKey(),
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    endpointId: text()
      .notNull()
      .references(() => endpoints.id),
    /** The plan of each run, as requested. */
    request: jsonb().notNull(),
    cron: text().notNull(),
    timeZone: text().notNull(),
    /** Null if the expression has no further times. */
    nextAt: instant(),
    lastRunId: text(),
    /** When a run was skipped because the previous one was not over. */
    skippedAt: instant(),
    createdAt: instant().notNull().defaultNow(),
    removedAt: instant(),
  },
  (table) => [
    index('schedules_account').on(table.accountId, table.id),
    index('schedules_due').on(table.nextAt).where(sql`${table.removedAt} is null`),
  ],
);

/** A managed run. The row is also its entry in the workers' queue. */
export const runs = pgTable(
  'runs',
  {
    id: text().primaryKey(),
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    endpointId: text()
      .notNull()
      .references(() => endpoints.id),
    scheduleId: text().references(() => schedules.id),
    state: text().notNull().default('pending'),
    /** The plan as requested; `run_points` holds the resulting points. */
    request: jsonb().notNull(),
    seed: bigint({ mode: 'number' }).notNull(),
    /** A search for the capacity, which adds its points while it runs; null for a plan with fixed points. */
    search: jsonb().$type<CapacitySearch>(),
    /** What the search has found so far; null before its first point, and without one. */
    capacity: jsonb().$type<CapacityAnswer>(),
    /** Points of the plan that exceeded the limits, with the reason. */
    omitted: jsonb().notNull(),
    /** Of a search: at most, until it is over. */
    pointsTotal: integer().notNull(),
    pointsDone: integer().notNull().default(0),
    /** Measured requests in total, and finished ones so far, including those of the current point. */
    requestsTotal: integer().notNull(),
    requestsDone: integer().notNull().default(0),
    /** Figures of the current point, overwritten every few seconds; null if the run is not being measured. */
    live: jsonb().$type<LiveFigures>(),
    /** Throughput, TTFT and the server's metrics over time; null if no metrics were read. */
    timeline: jsonb().$type<Timeline>(),
    /** Number of events so far. */
    events: integer().notNull().default(0),
    /** Number of claims. Each write states the attempt it belongs to. */
    attempt: integer().notNull().default(0),
    /** Claims since the last measured point. */
    fruitless: integer().notNull().default(0),
    worker: text(),
    leaseUntil: instant(),
    notBefore: instant().notNull().defaultNow(),
    cancelAskedAt: instant(),
    /** What a cancellation publishes; null without one. */
    cancelPublish: text().$type<PublishChoice>(),
    failureCode: text(),
    failureMessage: text(),
    createdAt: instant().notNull().defaultNow(),
    startedAt: instant(),
    endedAt: instant(),
  },
  (table) => [
    index('runs_account').on(table.accountId, table.id),
    // Enforces one run per endpoint at a time.
    uniqueIndex('runs_endpoint_busy').on(table.endpointId).where(sql`${table.state} in ('claimed', 'running')`),
    index('runs_open').on(table.createdAt).where(sql`${table.state} in ('pending', 'claimed', 'running', 'completed')`),
    check(
      'runs_state_known',
      sql`${table.state} in ('pending', 'claimed', 'running', 'completed', 'processed', 'failed', 'canceled')`,
    ),
  ],
);

/** The points of a run in measuring order. The records of a point are stored together when it is over. */
export const runPoints = pgTable(
  'run_points',
  {
    runId: text()
      .notNull()
      .references(() => runs.id),
    ordinal: integer().notNull(),
    key: text().notNull(),
    point: jsonb().notNull(),
    measuredAt: instant(),
    /** The attempt that measured it. */
    attempt: integer(),
    /** Figures for the display of progress. */
    summary: jsonb(),
    /** The point as a line of the native format, compressed; null again once it is in a submission. */
    report: bytea(),
    reportPacking: text().$type<'zstd'>(),
  },
  (table) => [
    primaryKey({ columns: [table.runId, table.ordinal] }),
    uniqueIndex('run_points_key_unique').on(table.runId, table.key),
    check('run_points_whole', sql`(${table.measuredAt} is null) = (${table.attempt} is null)`),
  ],
);

/** Requests of a share so far. */
export interface ShareCounts {
  done: number;
  failed: number;
  in_flight: number;
  tokens: number;
}

/** What a share waits for; see `packages/db/src/runs/shares`. */
export type ShareState = 'open' | 'joined' | 'assigned' | 'ready' | 'done' | 'failed' | 'closed';

/** Shares of a running run for further workers, from 1. The worker that holds the run has share 0, which has no row. */
export const runShares = pgTable(
  'run_shares',
  {
    runId: text()
      .notNull()
      .references(() => runs.id),
    share: integer().notNull(),
    /** The attempt of the run that opened it. */
    attempt: integer().notNull(),
    /** Number of claims. Each write of a worker states the claim it belongs to. */
    claims: integer().notNull().default(0),
    state: text().$type<ShareState>().notNull().default('open'),
    worker: text(),
    leaseUntil: instant(),
    /** Number of jobs so far, one for each point. */
    round: integer().notNull().default(0),
    /** The requests of the current point; null without one. */
    job: bytea(),
    jobPacking: text().$type<'zstd'>(),
    /** When the requests of all shares start, in ms since 1970 by the clock of the database. */
    startAtMs: doublePrecision(),
    /** Maximum error of the worker's clock, compared with that of the database. */
    clockErrorMs: doublePrecision(),
    counts: jsonb().$type<ShareCounts>(),
    /** The records of the current point. */
    result: bytea(),
    resultPacking: text().$type<'zstd'>(),
    /** Why the worker could not measure it, in words for readers of the run. */
    failure: text(),
  },
  (table) => [
    primaryKey({ columns: [table.runId, table.share] }),
    check(
      'run_shares_state_known',
      sql`${table.state} in ('open', 'joined', 'assigned', 'ready', 'done', 'failed', 'closed')`,
    ),
  ],
);

/** Events of a run, numbered from 1 without gaps. */
export const runEvents = pgTable(
  'run_events',
  {
    runId: text()
      .notNull()
      .references(() => runs.id),
    ordinal: integer().notNull(),
    kind: text().notNull(),
    data: jsonb().notNull(),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.runId, table.ordinal] }),
    check('run_events_kind_known', sql`${table.kind} in ('state', 'point', 'end')`),
  ],
);

/** An endpoint's usage on a day (UTC), compared with its limits. */
export const endpointUsage = pgTable(
  'endpoint_usage',
  {
    endpointId: text()
      .notNull()
      .references(() => endpoints.id),
    day: date().notNull(),
    requests: bigint({ mode: 'number' }).notNull(),
    tokens: bigint({ mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.endpointId, table.day] })],
);
