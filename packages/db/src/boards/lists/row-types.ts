import type { Ranges, Repeats, ResultKind } from '@inferboard/core/adapters/adapter';
import type { Finding } from '@inferboard/core/checks/check';
import type { Replication } from '@inferboard/core/claims/judge-claims';
import type { MetricName } from '@inferboard/core/metrics/index';
import type { Certificates, Limits } from '@inferboard/core/records';
import type { PointStatistics } from '@inferboard/core/statistics/point-statistics';
import type { Load } from '@inferboard/core/subjects/load';
import type { Origin, ResultStatus, SubmissionStatus, Trust } from '@inferboard/core/subjects/result';
import type { KernelWork, MeasuredLengths, QualityTask } from '@inferboard/core/subjects/scenario';
import type { Source } from '@inferboard/core/subjects/source';
import type { Parallelism } from '@inferboard/core/subjects/system';
import type { Mapping, ReviewDecision } from '@inferboard/core/submission/review';

// Rows as returned by `to_jsonb`: columns in snake_case, timestamps as RFC 3339 text.

type MetricColumns = Partial<Record<MetricName, number | null>>;

export interface SystemRow {
  id: string;
  label: string;
  model_id: string | null;
  model_family: string | null;
  model_name: string;
  quantization_id: string | null;
  quantization_name: string;
  quantization_recipe: string[];
  gpu_id: string | null;
  gpu_family: string | null;
  gpu_name: string;
  gpu_count: number | null;
  gpu_power_limit_w: number | null;
  engine_id: string | null;
  engine_name: string;
  engine_version: string | null;
  parallelism: Parallelism;
  features: Record<string, string | number | boolean>;
  created_at: string;
}

/** The names of a system, as short lists show them. */
export type NamedSystemRow = Omit<
  SystemRow,
  'label' | 'quantization_recipe' | 'parallelism' | 'features' | 'created_at'
>;

export interface ScenarioRow {
  name: string;
  input_tokens: number | null;
  output_tokens: number | null;
  dataset: string | null;
  depth: number | null;
  kernel: KernelWork | null;
  quality: QualityTask | null;
}

export interface LoadColumns {
  load_mode: Load['mode'];
  load_level: number | null;
  load_detail: { burstiness?: number | null; maxConcurrency?: number | null; regime?: 'offline' | null };
  kind: ResultKind;
}

/** An outlier references its result if every result is one sample. */
export type StoredStatistics = Omit<PointStatistics, 'outliers'> & {
  outliers: (PointStatistics['outliers'][number] & { result_id: string | null })[];
};

export interface PointStatisticsRow extends MetricColumns, LoadColumns {
  point_id: number;
  status: ResultStatus;
  account_id: string;
  own_trust: Trust;
  /** True for the claim that represents the point. */
  stands: boolean;
  /** Another account's claim contradicts it. */
  disputed: boolean;
  /** 0: each metric by the preferred formula that the point has; 1: by the next one. */
  variant: number;
  /** Formula of this row's values, by metric base. */
  definitions: Record<string, string>;
  derived: MetricName[];
  /** Number of results across all variants, number of underlying repetitions, and the earliest result. */
  results: number;
  runs: number;
  first_result_id: string;
  trust: Trust;
  findings: number;
  warnings: number;
  /** Agreement of other accounts with the representative claim; null if no other account has one. */
  replication: Replication | null;
  statistics: Partial<Record<MetricName, StoredStatistics>>;
  updated_at: string;
}

/** The fields of a point that short lists show. */
export type ShortPointRow = MetricColumns &
  Pick<LoadColumns, 'load_mode' | 'load_level' | 'kind'> &
  Pick<
    PointStatisticsRow,
    'point_id' | 'status' | 'definitions' | 'derived' | 'results' | 'trust' | 'findings' | 'statistics'
  >;

/** The ranked metric's value in one repetition. */
export interface RunRow {
  id: string;
  submission_id: string;
  repetition: number | null;
  value: number;
}

export interface ResultRow extends MetricColumns, LoadColumns {
  id: string;
  submission_id: string;
  account_id: string;
  ordinal: number;
  point_id: number;
  status: ResultStatus;
  copy_of: string | null;
  copy_reason: string | null;
  trust: Trust;
  origin: Origin;
  tool: string;
  tool_version: string | null;
  measured_lengths: MeasuredLengths | null;
  repetition: number | null;
  definitions: Record<string, string>;
  derived: MetricName[];
  repeats: Repeats | null;
  limits: Limits | null;
  certificates: Certificates | null;
  ranges: Ranges | null;
  passed: string[];
  extra: Record<string, string | number | boolean>;
  unchecked: [check: string, missing: string[]][];
  findings: Finding[];
  line_from: number;
  line_to: number;
  measured_at: string | null;
  source: Source | null;
  created_at: string;
  system: SystemRow;
  scenario: ScenarioRow;
}

export interface ReviewRow {
  id: string;
  decision: ReviewDecision;
  note: string;
  mapping: Mapping | null;
  /** Ids of the reviewed results. */
  results: string[];
  created_at: string;
  account_name: string;
}

/** The verified signature of a submission's bytes, and the key that made it. */
export interface SignedRow {
  key_id: string;
  public_key: string;
  signature: string;
  verified_at: string;
  key_revoked_at: string | null;
}

export interface SubmissionRow {
  id: string;
  account_id: string;
  account_name: string;
  artifact_sha256: string;
  artifact_size: number;
  artifact_media_type: string;
  status: SubmissionStatus;
  tool: string;
  tool_version: string | null;
  parameters: Record<string, unknown>;
  ignored: string[];
  notes: string | null;
  source_url: string | null;
  source: Source | null;
  run_id: string | null;
  session: string | null;
  retracted_at: string | null;
  retraction_reason: string | null;
  created_at: string;
  results: number;
  /** In chronological order. */
  reviews: ReviewRow[];
  /** Null without a signature. */
  signed: SignedRow | null;
}
