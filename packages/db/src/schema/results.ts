import { origins, resultStatuses } from '@inferboard/core/result';
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

/** The words of a system's label, as `wordsOf` in core splits them. */
export const labelWords = sql.raw(
  String.raw`array_to_tsvector(array_remove(regexp_split_to_array(lower("label"), '[^a-z0-9.\u0080-\uffff]+'), ''))`,
);

/** What was measured. The id follows from the facts, so that a link survives a new import. */
export const systems = pgTable(
  'systems',
  {
    id: text().primaryKey(),
    label: text().notNull(),
    modelId: text(),
    modelFamily: text(),
    modelName: text().notNull(),
    /** Canonical form of the name, for comparing names the catalogue does not know. */
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
    // Systems of one model and GPU, and among them those that are the same but for the version of their engine.
    index('systems_lineage').on(
      sql`coalesce(${table.modelId}, ${table.modelFamily}, ${table.modelKey})`,
      sql`coalesce(${table.gpuId}, ${table.gpuFamily}, ${table.gpuKey})`,
      sql`coalesce(${table.quantizationId}, ${table.quantizationKey})`,
      sql`coalesce(${table.engineId}, ${table.engineKey})`,
    ),
    // Words of the label, which a search looks up by their first letters; see `wordsOf` in core.
    index('systems_words').using('gin', labelWords),
  ],
);

/** The workload asked of a system. */
export const scenarios = pgTable(
  'scenarios',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    key: text().notNull().unique(),
    /** The shape: a named one, or one named by its data set and rounded lengths. */
    name: text().notNull(),
    inputTokens: integer(),
    outputTokens: integer(),
    dataset: text(),
    depth: integer(),
    kernel: jsonb(),
    /** What was evaluated; null of everything but evaluations. */
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
    /** Null with the mode `unspecified` only. */
    loadLevel: doublePrecision(),
    /** Burstiness and caps, beyond mode and level. */
    loadDetail: jsonb().notNull(),
    loadKey: text().notNull(),
    /** `workloadOf`: the shape under its regime. The regime is null of kernels, training and evaluations. */
    workload: text(),
    regime: text(),
  },
  (table) => [
    uniqueIndex('points_identity_unique').on(table.systemId, table.scenarioId, table.kind, table.loadKey),
    index('points_scenario').on(table.scenarioId),
    index('points_workload').on(table.workload),
    check('points_kind_known', sql`${table.kind} in ('serving', 'kernel', 'training', 'quality')`),
    check(
      'points_load_known',
      sql`(${table.loadMode} in ('concurrency', 'burst', 'rate', 'batch') and ${table.loadLevel} is not null)
        or (${table.loadMode} = 'unspecified' and ${table.loadLevel} is null)`,
    ),
  ],
);

/** One measured repetition of a point. Metric columns hold measured and derived values; `derived` names the latter. */
export const results = pgTable(
  'results',
  {
    id: text().primaryKey(),
    submissionId: text()
      .notNull()
      .references(() => submissions.id),
    /** The submission's account: results of one account at a point are its claim. */
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    /** Place in the artifact, from 0. */
    ordinal: integer().notNull(),
    pointId: bigint({ mode: 'number' })
      .notNull()
      .references(() => points.id),
    status: text().notNull(),
    /** The result that said the same before: a copy is shown and never counted. */
    copyOf: text(),
    /** Why it is a copy: see `copyReasons` in core. Null where it is none. */
    copyReason: text(),
    /** Its trust before other accounts are looked at. */
    ownTrust: text().notNull(),
    /** The trust of its claim. */
    trust: text().notNull(),
    origin: text().notNull(),
    tool: text().notNull(),
    toolVersion: text(),
    /** Mean tokens per request as the artifact states them, {inputTokens, outputTokens}. */
    measuredLengths: jsonb(),
    repetition: integer(),
    definitions: jsonb().notNull(),
    derived: text().array().notNull(),
    repeats: jsonb(),
    /** Latency limits behind a goodput; certificates of the percentiles we recomputed from records. */
    limits: jsonb(),
    certificates: jsonb(),
    /** Lowest and highest of metrics that have no value. */
    ranges: jsonb(),
    extra: jsonb().notNull(),
    /** What our checks doubt, each {code, severity, message, evidence}. Part of the row: twice as many rows of their own cost as much to store as the results. */
    findings: jsonb().notNull(),
    /** Ids of the checks that ran and had no doubt. */
    passed: text().array().notNull(),
    /** Checks that lacked their inputs, each [id, what it lacked]; those that spoke are in `findings`. */
    unchecked: jsonb().notNull(),
    lineFrom: integer().notNull(),
    lineTo: integer().notNull(),
    measuredAt: instant(),
    /** Where it was published: `Source` in core. Null where nobody says so. */
    source: jsonb(),
    createdAt: instant().notNull().defaultNow(),
    ...metricColumns(),
  },
  (table) => [
    uniqueIndex('results_submission_ordinal_unique').on(table.submissionId, table.ordinal),
    // By standing: at a point that is flooded with results that are held back, those that count are next to each other.
    index('results_standing').on(table.pointId, table.status, table.id),
    // Those of one claim, however many others have at the point.
    index('results_claim').on(table.pointId, table.accountId, table.status, table.id),
    // The newest that anybody is shown, however many are held back.
    index('results_accepted').on(table.id).where(sql`${table.status} = 'accepted'`),
    check('results_status_known', oneOf(table.status, resultStatuses)),
    check('results_origin_known', oneOf(table.origin, origins)),
  ],
);

/**
 * The statistics of claims, kept current in the transaction that changes their results: what a leaderboard reads. A claim is
 * what one account says of a point with one kind of evidence; accounts are never pooled, and one claim of each point and
 * status stands for it. Metric columns hold means, `spreads` and `statistics` the rest by metric. Values of one metric made
 * by different formulas are never averaged together: variant 0 holds each metric by the preferred formula that the claim
 * has, variant 1 by the next, and so on; `definitions` says which.
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
    /** Another account contradicts the claim that stands. */
    disputed: boolean().notNull(),
    /** Formula by metric base, for the values in this row. */
    definitions: jsonb().notNull(),
    /** Metrics in this row some of whose values were computed by us. */
    derived: text().array().notNull(),
    /** All results of the claim, the same in each variant; so are runs, trust and findings. */
    results: integer().notNull(),
    /** Repetitions behind them: a tool may have averaged several into one result. */
    runs: integer().notNull(),
    /** The earliest of them. */
    firstResultId: text().notNull(),
    trust: text().notNull(),
    /** Tools of the results in this row; where those of one metric are fewer, its spread names them. */
    tools: text().array().notNull(),
    /** Findings over all these results, and those of them that are warnings or violations. */
    findings: integer().notNull(),
    warnings: integer().notNull(),
    /** What other accounts say of the claim that stands; null where there are none, and of claims that do not stand. */
    replication: jsonb(),
    /** n, sd and, where they are not the row's, tools of each metric that is more than one value; what boards are ranked by. */
    spreads: jsonb().notNull(),
    statistics: jsonb().notNull(),
    updatedAt: instant().notNull().defaultNow(),
    /** The transaction that summed the claim up from its results; those that only add to it leave it. Null: an earlier release. */
    summedBy: bigint({ mode: 'number' }).default(sql`(pg_current_xact_id())::xid::text::bigint`),
    ...metricColumns(),
  },
  (table) => [primaryKey({ columns: [table.pointId, table.status, table.accountId, table.ownTrust, table.variant] })],
);
