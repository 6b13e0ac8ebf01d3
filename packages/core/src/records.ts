import type { Definitions, Metrics } from './adapters/adapter.ts';
import type { MetricName } from './metrics/index.ts';

/** One request of a run as its client saw it. Null: not recorded; a figure of 0 was measured. */
export interface RequestRecord {
  /** When it was sent, in seconds from any one zero of the run. */
  sentS: number | null;
  inputTokens: number | null;
  /** Prompt tokens the server says it took from its prefix cache. */
  cachedTokens: number | null;
  outputTokens: number | null;
  /** Most output tokens that were asked for. */
  maxTokens: number | null;
  ttftMs: number | null;
  e2eMs: number | null;
  /** Gaps between successive stream chunks after the first, ms. */
  gapsMs: readonly number[] | null;
  /** Why it failed; null where it succeeded. */
  error: string | null;
}

/** A successful request of which nothing was recorded. */
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

/** Latency limits that a request must meet, all at once, to count as good, in ms; null where none was set. */
export interface Limits {
  ttftMs: number | null;
  itlMs: number | null;
  tpotMs: number | null;
  e2eMs: number | null;
}

/** How far a percentile recomputed from records may be relied on. Values in the metric's unit. */
export interface Certificate {
  /** Samples it rests on (requests, or gaps for `itl_ms`), and the fewest it would need to be certified. */
  n: number;
  floor: number;
  /** The sample percentile, told even where `n` is below `floor` and the metric itself is therefore missing. */
  value: number;
  /** The true percentile lies below this with 99 % confidence, whatever the distribution; null below the samples for that. */
  upper99: number | null;
  certified: boolean;
}

export type Certificates = Partial<Record<MetricName, Certificate>>;

/**
 * What records say of one figure. `value` is what the result carries; null where records only bound it, or where samples
 * are too few. Other tools interpolate or divide otherwise: `low` to `high` is where their figure may lie as well.
 */
export interface RecomputedFigure {
  name: MetricName;
  value: number | null;
  low: number;
  high: number;
}

/** The per-request records of a result, what the artifact said before they were used, and what they made. */
export interface Records {
  requests: readonly RequestRecord[];
  /** Figures as the artifact states them. Where records allow, the result carries recomputed ones in their place. */
  stated: Metrics;
  /** The formulas of the stated figures. */
  statedDefinitions: Definitions;
  figures: readonly RecomputedFigure[];
  certificates: Certificates;
}
