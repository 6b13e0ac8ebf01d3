import { origins, resultStatuses } from '@inferboard/core/subjects/result';
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';
import { metricColumns } from './metric-columns.ts';
import { oneOf } from './one-of.ts';
import { submissions } from './submissions.ts';

const instant = () => timestamp({ withTimezone: true, mode: 'string' });

/** The words of a system's label, split as `wordsOf` in core does. */
export const labelWords = sql.raw(
  String.raw`array_to_tsvector(array_remove(regexp_split_to_array(lower("label"), '[^a-z0-9.\u0080-\uffff]+'), ''))`,
);

/** The measured system. The id is derived from its facts, so that links survive a re-import. */
export const systems = pgTable(
  'systems',
  {
    id: text().primaryKey(),
    label: text().notNull(),
    modelId: text(),
    modelFamily: text(),
    modelName: text().notNull(),
    /** Canonical form of the name, to compare names outside the catalogue. */
    modelKey: text().notNull(),
    quantizationId: text(),
    quantizationName: text().notNull(),
    quantizationKey: text().notNull(),
    quantizationRecipe: text().array().notNull(),
    gpuId: text(),
    gpuFamily: text(),
    gpuName: text().notNull(),
    gpuKey: text().notNull(),
    gpuCount: integer(),
    gpuPowerLimitW: doublePrecision(),
    engineId: text(),
    engineName: text().notNull(),
    engineKey: text().notNull(),
    engineVersion: text(),
    parallelism: jsonb().notNull(),
    features: jsonb().notNull(),
    createdAt: instant().notNull().defaultNow(),
  },
  (table) => [
    index('systems_model').on(table.modelId),
    index('systems_model_family').on(table.modelFamily),
    index('systems_gpu').on(table.gpuId),
    index('systems_gpu_family').on(table.gpuFamily),
    index('systems_quantization').on(table.quantizationId),
    index('systems_engine').on(table.engineId),
    // Serves systems of one model and GPU, and those that differ only in the engine version.
    index('systems_lineage').on(
      sql`coalesce(${table.modelId}, ${table.modelFamily}, ${table.modelKey})`,
      sql`coalesce(${table.gpuId}, ${table.gpuFamily}, ${table.gpuKey})`,
      sql`coalesce(${table.quantizationId}, ${table.quantizationKey})`,
      sql`coalesce(${table.engineId}, ${table.engineKey})`,
    ),
    // Serves prefix searches on the label's words; see `wordsOf` in core.
    index('systems_words').using('gin', labelWords),
  ],
);

/** The workload of a system. */
export const scenarios = pgTable(
  'scenarios',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    key: text().notNull().unique(),
    /** The shape: a named one, or one derived from data set and rounded lengths. */
    name: text().notNull(),
    inputTokens: integer(),
    outputTokens: integer(),
    dataset: text(),
    depth: integer(),
    kernel: jsonb(),
    /** The evaluated task; null except for evaluations. */
    quality: jsonb(),
  },
  (table) => [index('scenarios_name').on(table.name)],
);

/** System x scenario x load. */
export const points = pgTable(
  'points',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    systemId: text()
      .notNull()
      .references(() => systems.id),
    scenarioId: bigint({ mode: 'number' })
      .notNull()
      .references(() => scenarios.id),
    kind: text().notNull(),
    loadMode: text().notNull(),
    /** Null only for the mode `unspecified`. */
    loadLevel: doublePrecision(),
    /** Burstiness and caps, in addition to mode and level. */
    loadDetail: jsonb().notNull(),
    loadKey: text().notNull(),
    /** `workloadOf`: the shape and its regime. The regime is null for kernels, training and evaluations. */
    workload: text(),
    regime: text(),
  },
  (table) => [
    uniqueIndex('points_identity_unique').on(table.systemId, table.scenarioId, table.kind, table.loadKey),
    index('points_scenario').on(table.scenarioId),
    index('points_workload').on(table.workload),
    index('points_quality').on(table.id).where(sql`${table.kind} = 'quality'`),
    check('points_kind_known', sql`${table.kind} in ('serving', 'kernel', 'training', 'quality')`),
    check(
      'points_load_known',
      sql`(${table.loadMode} in ('concurrency', 'burst', 'rate', 'batch') and ${table.loadLevel} is not null)
        or (${table.loadMode} = 'unspecified' and ${table.loadLevel} is null)`,
    ),
  ],
);

/** One measured repetition of a point. Metric columns hold measured and derived values; `derived` lists the latter. */
export const results = pgTable(
  'results',
  {
    id: text().primaryKey(),
    submissionId: text()
      .notNull()
      .references(() => submissions.id),
    /** The submission's account. The results of one account at a point form its claim. */
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    /** Index in the artifact, from 0. */
    ordinal: integer().notNull(),
    pointId: bigint({ mode: 'number' })
      .notNull()
      .references(() => points.id),
    status: text().notNull(),
    /** The earlier result that this one copies. Copies are shown and never counted. */
    copyOf: text(),
    /** Why it is a copy: see `copyReasons` in core. Null if it is not one. */
    copyReason: text(),
    /** Trust before other accounts' results are considered. */
    ownTrust: text().notNull(),
    /** The trust of its claim. */
    trust: text().notNull(),
    origin: text().notNull(),
    tool: text().notNull(),
    toolVersion: text(),
    /** Mean tokens per request as stated by the artifact, {inputTokens, outputTokens}. */
    measuredLengths: jsonb(),
    repetition: integer(),
    definitions: jsonb().notNull(),
    derived: text().array().notNull(),
    repeats: jsonb(),
    /** Latency limits of a goodput value; certificates of percentiles recomputed from records. */
    limits: jsonb(),
    certificates: jsonb(),
    /** Minimum and maximum of metrics without a value. */
    ranges: jsonb(),
    extra: jsonb().notNull(),
    /**
     * Findings of checks, each {code, severity, message, evidence}. Stored inline: separate rows, twice as many, would cost as
     * much as the results.
     */
    findings: jsonb().notNull(),
    /** Ids of checks that passed. */
    passed: text().array().notNull(),
    /** Checks without their inputs, each [id, missing input]. Checks that failed are in `findings`. */
    unchecked: jsonb().notNull(),
    lineFrom: integer().notNull(),
    lineTo: integer().notNull(),
    measuredAt: instant(),
    /** The publication: `Source` in core. Null if none is stated. */
    source: jsonb(),
    createdAt: instant().notNull().defaultNow(),
    ...metricColumns(),
  },
  (table) => [
    uniqueIndex('results_submission_ordinal_unique').on(table.submissionId, table.ordinal),
    // Keeps counted results adjacent by status, even at points with many held results.
    index('results_standing').on(table.pointId, table.status, table.id),
    // Serves the results of one claim, regardless of other claims at its point.
    index('results_claim').on(table.pointId, table.accountId, table.status, table.id),
    // Serves the newest public results, regardless of the number of held ones.
    index('results_accepted').on(table.id).where(sql`${table.status} = 'accepted'`),
    check('results_status_known', oneOf(table.status, resultStatuses)),
    check('results_origin_known', oneOf(table.origin, origins)),
  ],
);

/**
 * Statistics of claims, updated in the transaction that changes their results. Leaderboards read them. A claim consists of one
 * account's results at a point with one kind of evidence. Accounts are never pooled; one claim of each point and status
 * represents it. Metric columns hold means; `spreads` and `statistics` hold the rest by metric. Values by different formulas
 * are never averaged: variant 0 holds each metric by the preferred formula that the claim has, variant 1 by the next, and so
 * on. `definitions` names the formulas.
 */
export const pointStatistics = pgTable(
  'point_statistics',
  {
    pointId: bigint({ mode: 'number' })
      .notNull()
      .references(() => points.id),
    status: text().notNull(),
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    ownTrust: text().notNull(),
    variant: smallint().notNull(),
    /** One claim of each point and status is shown and ranked. */
    stands: boolean().notNull(),
    /** Another account's claim contradicts the representative one. */
    disputed: boolean().notNull(),
    /** Formula of this row's values, by metric base. */
    definitions: jsonb().notNull(),
    /** Metrics in this row with at least one derived value. */
    derived: text().array().notNull(),
    /** Number of results, equal across variants; so are runs, trust and findings. */
    results: integer().notNull(),
    /** Number of underlying repetitions: a tool may average several into one result. */
    runs: integer().notNull(),
    /** The earliest result. */
    firstResultId: text().notNull(),
    trust: text().notNull(),
    /** Tools of the results in this row. If a metric has fewer, its spread lists them. */
    tools: text().array().notNull(),
    /** Number of findings on these results, and of those that are warnings or violations. */
    findings: integer().notNull(),
    warnings: integer().notNull(),
    /** Agreement of other accounts with the representative claim; null if there are none, and for other claims. */
    replication: jsonb(),
    /** n, sd and, if they differ from the row's, tools of each metric with several values. Boards rank by them. */
    spreads: jsonb().notNull(),
    statistics: jsonb().notNull(),
    updatedAt: instant().notNull().defaultNow(),
    /** The transaction that last computed the claim from its results; additions do not change it. Null: an earlier release. */
    summedBy: bigint({ mode: 'number' }).default(sql`(pg_current_xact_id())::xid::text::bigint`),
    ...metricColumns(),
  },
  (table) => [primaryKey({ columns: [table.pointId, table.status, table.accountId, table.ownTrust, table.variant] })],
);
