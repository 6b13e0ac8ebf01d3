import { type MetricName, metricNames } from '@inferboard/core/metrics/index';
import { getTableColumns, getTableName } from 'drizzle-orm';
import { toSnakeCase } from 'drizzle-orm/casing';
import type { PgTable } from 'drizzle-orm/pg-core';
import { accounts, apiKeys, settings } from './accounts.ts';
import { auditLog } from './audit-log.ts';
import {
  boardFigures,
  boardPoints,
  boardRows,
  boardSystems,
  boards,
  boardTotals,
  pointShapes,
  toolScatter,
} from './boards.ts';
import { catalogueEntries } from './catalogue-entries.ts';
import { concerns } from './concerns.ts';
import { dataVersions } from './data-versions.ts';
import { endpoints } from './endpoints.ts';
import { idempotencyKeys } from './idempotency.ts';
import { priceLists } from './price-lists.ts';
import { rateLimits } from './rate-limits.ts';
import { rederivations, resultVersions } from './rederivations.ts';
import { regressionChecks, toldRegressions } from './regressions.ts';
import { requestSequences } from './request-sequences.ts';
import { resultAnchors } from './result-anchors.ts';
import { pointStatistics, points, results, scenarios, systems } from './results.ts';
import { endpointUsage, runEvents, runPoints, runs, schedules } from './runs.ts';
import { artifacts, reviews, submissions } from './submissions.ts';
import { targetLeases, targetUsage } from './targets.ts';
import { webhookDeliveries, webhooks } from './webhooks.ts';

/**
 * What of a column leaves with a dump: `public`, its values; `private`, nothing, and a restored row has the column's default
 * or null; or nothing either, and a restored row, which must have something, gets this expression of SQL.
 */
type Exposure = 'public' | 'private' | { standIn: string };

/** A table some of which anybody may read over HTTP. */
export interface PublicTable {
  name: string;
  /** Every column, by its name in the database. */
  declared: string[];
  /** Those that are public, in the order of their declaration. */
  columns: string[];
  /** What restored rows get in columns that are not public. */
  standIns: { column: string; expression: string }[];
  /** By which the same rows always come in the same order. */
  key: string[];
  /** SQL that holds for the rows that are public; null where all are. */
  rows: string | null;
}

const sqlName = (table: PgTable, field: string) => toSnakeCase(getTableColumns(table)[field]?.name ?? field);

function publicTable<T extends PgTable>(
  table: T,
  key: (keyof T['_']['columns'] & string)[],
  columns: Record<keyof T['_']['columns'] & string, Exposure>,
  rows: string | null = null,
): PublicTable {
  const exposures = Object.entries<Exposure>(columns);
  return {
    name: getTableName(table),
    declared: exposures.map(([field]) => sqlName(table, field)),
    columns: exposures.filter(([, exposure]) => exposure === 'public').map(([field]) => sqlName(table, field)),
    standIns: exposures.flatMap(([field, exposure]) =>
      typeof exposure === 'string' ? [] : [{ column: sqlName(table, field), expression: exposure.standIn }],
    ),
    key: key.map((field) => sqlName(table, field)),
    rows,
  };
}

const publicMetrics = Object.fromEntries(metricNames.map((name) => [name, 'public'])) as Record<MetricName, 'public'>;

/**
 * Every column that a dump holds, and of the same tables every column that it does not: a column that is declared neither
 * way does not compile. In an order in which each table refers to those before it.
 */
export const publicTables: readonly PublicTable[] = [
  publicTable(accounts, ['id'], {
    ...{ id: 'public', name: 'public', createdAt: 'public' },
    nameKey: 'public',
    registeredItself: 'private',
    standing: 'public',
    vouchedAt: 'private',
    vouchedBy: 'private',
  }),
  publicTable(catalogueEntries, ['id'], {
    id: 'public',
    kind: 'public',
    entryId: 'public',
    facts: 'public',
    aliases: 'public',
    addedBy: 'public',
    createdAt: 'public',
  }),
  // A managed run tells the id of its endpoint and what the server calls its model, and of a schedule its id: no more. They
  // come back as removed ones, so that nothing is measured by mistake.
  publicTable(
    endpoints,
    ['id'],
    {
      id: 'public',
      accountId: 'public',
      name: { standIn: 'id' },
      baseUrl: { standIn: `'https://endpoint.invalid/v1'` },
      model: 'public',
      facts: { standIn: `'{}'` },
      credentialKeyId: 'private',
      credentialBox: 'private',
      requestsPerDay: 'private',
      tokensPerDay: 'private',
      proofToken: { standIn: `md5(random()::text)` },
      verifiedBy: 'private',
      verifiedAt: 'private',
      createdAt: 'private',
      removedAt: { standIn: 'now()' },
    },
    'exists (select 1 from runs r join submissions s on s.run_id = r.id where r.endpoint_id = endpoints.id)',
  ),
  publicTable(
    schedules,
    ['id'],
    {
      id: 'public',
      accountId: 'public',
      endpointId: 'public',
      request: { standIn: `'{}'` },
      cron: { standIn: `''` },
      timeZone: { standIn: `'UTC'` },
      nextAt: 'private',
      lastRunId: 'private',
      skippedAt: 'private',
      createdAt: 'private',
      removedAt: { standIn: 'now()' },
    },
    'exists (select 1 from runs r join submissions s on s.run_id = r.id where r.schedule_id = schedules.id)',
  ),
  // A run is read by whoever has its address, and its submissions tell it.
  publicTable(
    runs,
    ['id'],
    {
      id: 'public',
      accountId: 'public',
      endpointId: 'public',
      scheduleId: 'public',
      state: 'public',
      request: 'public',
      seed: 'public',
      omitted: 'public',
      pointsTotal: 'public',
      pointsDone: 'public',
      requestsTotal: 'public',
      requestsDone: 'public',
      events: 'public',
      attempt: 'public',
      fruitless: 'private',
      worker: 'private',
      leaseUntil: 'private',
      notBefore: 'private',
      cancelAskedAt: 'public',
      failureCode: 'public',
      failureMessage: 'public',
      createdAt: 'public',
      startedAt: 'public',
      endedAt: 'public',
    },
    'exists (select 1 from submissions s where s.run_id = runs.id)',
  ),
  publicTable(
    runPoints,
    ['runId', 'ordinal'],
    {
      runId: 'public',
      ordinal: 'public',
      key: 'public',
      point: 'public',
      measuredAt: 'public',
      attempt: 'public',
      summary: 'public',
      // On its way into a submission, which is public.
      report: 'private',
      reportPacking: 'private',
    },
    'exists (select 1 from submissions s where s.run_id = run_points.run_id)',
  ),
  publicTable(
    runEvents,
    ['runId', 'ordinal'],
    { runId: 'public', ordinal: 'public', kind: 'public', data: 'public', createdAt: 'public' },
    'exists (select 1 from submissions s where s.run_id = run_events.run_id)',
  ),
  publicTable(artifacts, ['sha256'], {
    sha256: 'public',
    bytes: 'public',
    packing: 'public',
    place: 'private',
    size: 'public',
    mediaType: 'public',
    createdAt: 'public',
  }),
  publicTable(submissions, ['id'], {
    id: 'public',
    accountId: 'public',
    artifactSha256: 'public',
    fingerprint: 'public',
    status: 'public',
    tool: 'public',
    toolVersion: 'public',
    parameters: 'public',
    ignored: 'public',
    notes: 'public',
    sourceUrl: 'public',
    source: 'public',
    runId: 'public',
    retractedAt: 'public',
    retractionReason: 'public',
    createdAt: 'public',
  }),
  publicTable(reviews, ['id'], {
    id: 'public',
    submissionId: 'public',
    accountId: 'public',
    decision: 'public',
    note: 'public',
    mapping: 'public',
    results: 'public',
    createdAt: 'public',
  }),
  // Nobody reads one that is not decided, and nobody but admins who it came from.
  publicTable(
    concerns,
    ['id'],
    {
      id: 'public',
      submissionId: 'public',
      reason: 'public',
      text: 'public',
      accountId: 'private',
      reporterHash: 'private',
      state: 'public',
      answer: 'public',
      answeredAt: 'public',
      note: 'public',
      action: 'public',
      decidedBy: 'public',
      decidedAt: 'public',
      createdAt: 'public',
    },
    `state <> 'open'`,
  ),
  publicTable(systems, ['id'], {
    id: 'public',
    label: 'public',
    modelId: 'public',
    modelFamily: 'public',
    modelName: 'public',
    modelKey: 'public',
    quantizationId: 'public',
    quantizationName: 'public',
    quantizationKey: 'public',
    quantizationRecipe: 'public',
    gpuId: 'public',
    gpuFamily: 'public',
    gpuName: 'public',
    gpuKey: 'public',
    gpuCount: 'public',
    gpuPowerLimitW: 'public',
    engineId: 'public',
    engineName: 'public',
    engineKey: 'public',
    engineVersion: 'public',
    parallelism: 'public',
    features: 'public',
    createdAt: 'public',
  }),
  publicTable(scenarios, ['id'], {
    id: 'public',
    key: 'public',
    name: 'public',
    inputTokens: 'public',
    outputTokens: 'public',
    dataset: 'public',
    depth: 'public',
    kernel: 'public',
    quality: 'public',
  }),
  publicTable(points, ['id'], {
    id: 'public',
    systemId: 'public',
    scenarioId: 'public',
    kind: 'public',
    loadMode: 'public',
    loadLevel: 'public',
    loadDetail: 'public',
    loadKey: 'public',
    workload: 'public',
    regime: 'public',
  }),
  publicTable(results, ['id'], {
    id: 'public',
    submissionId: 'public',
    accountId: 'public',
    ordinal: 'public',
    pointId: 'public',
    status: 'public',
    copyOf: 'public',
    copyReason: 'public',
    ownTrust: 'public',
    trust: 'public',
    origin: 'public',
    tool: 'public',
    toolVersion: 'public',
    measuredLengths: 'public',
    repetition: 'public',
    definitions: 'public',
    derived: 'public',
    repeats: 'public',
    limits: 'public',
    certificates: 'public',
    ranges: 'public',
    extra: 'public',
    findings: 'public',
    passed: 'public',
    unchecked: 'public',
    lineFrom: 'public',
    lineTo: 'public',
    measuredAt: 'public',
    source: 'public',
    createdAt: 'public',
    ...publicMetrics,
  }),
  publicTable(resultAnchors, ['resultId', 'metric'], {
    resultId: 'public',
    metric: 'public',
    modelKey: 'public',
    value: 'public',
    accountId: 'public',
  }),
  publicTable(requestSequences, ['resultId'], { resultId: 'public', latencies: 'public' }),
  publicTable(pointStatistics, ['pointId', 'status', 'accountId', 'ownTrust', 'variant'], {
    pointId: 'public',
    status: 'public',
    accountId: 'public',
    ownTrust: 'public',
    variant: 'public',
    stands: 'public',
    disputed: 'public',
    definitions: 'public',
    derived: 'public',
    results: 'public',
    runs: 'public',
    firstResultId: 'public',
    trust: 'public',
    tools: 'public',
    findings: 'public',
    warnings: 'public',
    replication: 'public',
    spreads: 'public',
    statistics: 'public',
    updatedAt: 'public',
    summedBy: 'private',
    ...publicMetrics,
  }),
  publicTable(rederivations, ['id'], {
    id: 'public',
    release: 'public',
    tool: 'public',
    reached: 'public',
    submissionsRead: 'public',
    submissionsChanged: 'public',
    submissionsUnreadable: 'public',
    startedAt: 'public',
    endedAt: 'public',
  }),
  publicTable(resultVersions, ['resultId', 'version'], {
    resultId: 'public',
    version: 'public',
    rederivationId: 'public',
    was: 'public',
    replacedAt: 'public',
  }),
];

/** Tables of which nothing leaves, whatever columns they have. */
export const privateTables: readonly string[] = [
  apiKeys,
  auditLog,
  boardFigures,
  boardPoints,
  boardRows,
  boards,
  boardSystems,
  boardTotals,
  dataVersions,
  endpointUsage,
  idempotencyKeys,
  pointShapes,
  priceLists,
  rateLimits,
  regressionChecks,
  settings,
  targetLeases,
  targetUsage,
  toldRegressions,
  toolScatter,
  webhookDeliveries,
  webhooks,
].map(getTableName);
