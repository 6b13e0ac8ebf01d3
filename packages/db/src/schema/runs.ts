import { sql } from 'drizzle-orm';
import {
  bigint,
  check,
  customType,
  date,
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

/** When runs of an endpoint begin by themselves. */
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
    /** What each run measures, as it was asked for. */
    request: jsonb().notNull(),
    cron: text().notNull(),
    timeZone: text().notNull(),
    /** Null where the expression names no time any more. */
    nextAt: instant(),
    lastRunId: text(),
    /** When a run was due and none was made, because the one before was not over. */
    skippedAt: instant(),
    createdAt: instant().notNull().defaultNow(),
    removedAt: instant(),
  },
  (table) => [
    index('schedules_account').on(table.accountId, table.id),
    index('schedules_due').on(table.nextAt).where(sql`${table.removedAt} is null`),
  ],
);

/** A managed run, which is its own place in the queue of the workers. */
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
    /** What was asked for; what it comes to stands in `run_points`. */
    request: jsonb().notNull(),
    seed: bigint({ mode: 'number' }).notNull(),
    /** Points of the plan that the limits left no room for, and why. */
    omitted: jsonb().notNull(),
    pointsTotal: integer().notNull(),
    pointsDone: integer().notNull().default(0),
    /** Requests that are measured, and those of finished points and of the one under way that are over. */
    requestsTotal: integer().notNull(),
    requestsDone: integer().notNull().default(0),
    /** Events so far. */
    events: integer().notNull().default(0),
    /** How often it was claimed; whoever writes names the attempt it belongs to. */
    attempt: integer().notNull().default(0),
    /** Claims since a point was last measured. */
    fruitless: integer().notNull().default(0),
    worker: text(),
    leaseUntil: instant(),
    notBefore: instant().notNull().defaultNow(),
    cancelAskedAt: instant(),
    failureCode: text(),
    failureMessage: text(),
    createdAt: instant().notNull().defaultNow(),
    startedAt: instant(),
    endedAt: instant(),
  },
  (table) => [
    index('runs_account').on(table.accountId, table.id),
    // One run per endpoint at a time, whatever the workers believe.
    uniqueIndex('runs_endpoint_busy').on(table.endpointId).where(sql`${table.state} in ('claimed', 'running')`),
    index('runs_open').on(table.createdAt).where(sql`${table.state} in ('pending', 'claimed', 'running', 'completed')`),
    check(
      'runs_state_known',
      sql`${table.state} in ('pending', 'claimed', 'running', 'completed', 'processed', 'failed', 'canceled')`,
    ),
  ],
);

/** What a run measures, one after the other; the records of a point come all at once, when it is over. */
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
    /** The figures for whoever watches. */
    summary: jsonb(),
    /** The point as a line of the native format, packed; null again once it is stored in a submission. */
    report: bytea(),
    reportPacking: text().$type<'zstd'>(),
  },
  (table) => [
    primaryKey({ columns: [table.runId, table.ordinal] }),
    uniqueIndex('run_points_key_unique').on(table.runId, table.key),
    check('run_points_whole', sql`(${table.measuredAt} is null) = (${table.attempt} is null)`),
  ],
);

/** What happened in a run, numbered from 1 without gaps. */
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

/** What an endpoint was asked on a day (UTC), against what it may be. */
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
