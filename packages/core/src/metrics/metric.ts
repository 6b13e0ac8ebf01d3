/** Statistics of a latency distribution, in display order. */
export const latencyStatistics = ['mean', 'p50', 'p90', 'p95', 'p99', 'min', 'max', 'sd'] as const;
export type LatencyStatistic = (typeof latencyStatistics)[number];

export type MetricKind = 'serving' | 'kernel' | 'training' | 'quality';

/**
 * One formula of a metric. Values of different `group`s measure different things and are never ranked together. Within a
 * group, the row's label distinguishes them.
 */
export interface MetricDefinition {
  id: string;
  title: string;
  group: string;
  /** Why values of this group are not ranked; absent if they are. The same for each formula of a group. */
  unranked?: string;
}

/**
 * The definition of a metric. Database columns, filter parameters, the OpenAPI document, table headings and the glossary are
 * derived from it.
 */
export interface MetricFamily {
  /** Metric and unit: `ttft_ms`. Its values are named `ttft_ms_mean` and so on, or `base` itself without statistics. */
  readonly base: string;
  readonly title: string;
  /** Unit as printed: "ms", "tok/s". Empty for pure counts. */
  readonly unit: string;
  /** Which way is better; `neutral` for counts and durations. */
  readonly direction: 'lower' | 'higher' | 'neutral';
  readonly kind: MetricKind;
  /** Statistics over requests, gaps or tokens; null if a run has one value. */
  readonly statistics: readonly string[] | null;
  readonly description: string;
  readonly formula: string;
  /** For readers: what it measures, what changes it, common mistakes, and tools that use the name for something else. */
  readonly glossary: string;
  /** Bases that this one can be calculated from. */
  readonly needs: readonly string[];
  /** Required facts other than metrics, in words: "the number of GPUs". */
  readonly prerequisites: readonly string[];
  /** Formulas used by tools, preferred first. Empty if only one is possible. */
  readonly definitions: readonly MetricDefinition[];
  /** True if Inferboard calculates it; false if a tool or a measurement provides it. */
  readonly derived: boolean;
}

type NamesOf<F extends MetricFamily> = F['statistics'] extends readonly (infer S extends string)[]
  ? `${F['base']}_${S}`
  : F['base'];

/** All value names of a list of families: "ttft_ms_mean" | ... | "req_s" | ... */
export type NamesOfAll<L extends readonly MetricFamily[]> = { [I in keyof L]: NamesOf<L[I]> }[number];

/** Keeps literal types, so that the compiler knows the metric names. */
export function defineMetric<const F extends MetricFamily>(family: F): F {
  return family;
}
