import type { Definitions, Metrics } from './adapters/adapter.ts';
import type { MetricName } from './metrics/index.ts';

/** One request of a run as recorded by its client. Null means not recorded; 0 is a measured value. */
export interface RequestRecord {
  /** Send time in seconds since an arbitrary zero of the run. */
  sentS: number | null;
  inputTokens: number | null;
  /** Prompt tokens from the prefix cache, as reported by the server. */
  cachedTokens: number | null;
  outputTokens: number | null;
  /** Requested maximum of output tokens. */
  maxTokens: number | null;
  ttftMs: number | null;
  e2eMs: number | null;
  /** Gaps between successive stream chunks after the first, ms. */
  gapsMs: readonly number[] | null;
  /** Error of a failed request; null if it succeeded. */
  error: string | null;
}

/** A successful request without recorded data. */
export const nothingRecorded: RequestRecord = {
  sentS: null,
  inputTokens: null,
  cachedTokens: null,
  outputTokens: null,
  maxTokens: null,
  ttftMs: null,
  e2eMs: null,
  gapsMs: null,
  error: null,
};

/** Latency limits in ms that a good request must all meet; null if not set. */
export interface Limits {
  ttftMs: number | null;
  itlMs: number | null;
  tpotMs: number | null;
  e2eMs: number | null;
}

/** Reliability of a percentile recomputed from records. Values in the metric's unit. */
export interface Certificate {
  /** Number of samples (requests, or gaps for `itl_ms`), and the minimum for a certificate. */
  n: number;
  floor: number;
  /** The sample percentile. It is included even if `n` is below `floor` and the metric itself is missing. */
  value: number;
  /** Upper bound of the true percentile with 99 % confidence for any distribution; null with too few samples. */
  upper99: number | null;
  certified: boolean;
}

export type Certificates = Partial<Record<MetricName, Certificate>>;

/**
 * The value of one figure according to the records. `value` is the result's value; null if records only bound it, or if
 * there are too few samples. Other tools interpolate or divide differently: their figure may be anywhere from `low` to
 * `high`.
 */
export interface RecomputedFigure {
  name: MetricName;
  value: number | null;
  low: number;
  high: number;
}

/** The per-request records of a result, the artifact's stated figures, and the recomputed ones. */
export interface Records {
  requests: readonly RequestRecord[];
  /** Figures stated in the artifact. If records allow it, the result has recomputed ones instead. */
  stated: Metrics;
  /** The formulas of the stated figures. */
  statedDefinitions: Definitions;
  figures: readonly RecomputedFigure[];
  certificates: Certificates;
}
