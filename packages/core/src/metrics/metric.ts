/** Statistics a distribution of latencies may be summarised by, in the order they are shown. */
export const latencyStatistics = ['mean', 'p50', 'p90', 'p95', 'p99', 'min', 'max', 'sd'] as const;
export type LatencyStatistic = (typeof latencyStatistics)[number];

export type MetricKind = 'serving' | 'kernel' | 'training' | 'quality';

/**
 * One formula a metric's value may have been made by. Values whose `group` differs measure different things and are
 * never ranked together; within a group the row's label is enough.
 */
export interface MetricDefinition {
  id: string;
  title: string;
  group: string;
}

/**
 * What a metric is, said once. Database columns, filter parameters, the OpenAPI document, table headings and the
 * glossary follow from this.
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
  /** Statistics over requests, gaps or tokens; null where a run has one value. */
  readonly statistics: readonly string[] | null;
  readonly description: string;
  readonly formula: string;
  /** For readers: what it tells, what moves it, the trap people fall into, where tools mean something else by the word. */
  readonly glossary: string;
  /** Bases this one can be computed from. */
  readonly needs: readonly string[];
  /** Facts besides metrics that it needs, in words: "the number of GPUs". */
  readonly prerequisites: readonly string[];
  /** Formulas in use among tools, preferred first. Empty: only one is possible. */
  readonly definitions: readonly MetricDefinition[];
  /** True where Inferboard computes it; false where a tool or a measurement gives it. */
  readonly derived: boolean;
}

type NamesOf<F extends MetricFamily> = F['statistics'] extends readonly (infer S extends string)[]
  ? `${F['base']}_${S}`
  : F['base'];

/** All value names of a list of families: "ttft_ms_mean" | ... | "req_s" | ... */
export type NamesOfAll<L extends readonly MetricFamily[]> = { [I in keyof L]: NamesOf<L[I]> }[number];

/** Keeps literal types, so that metric names are known to the compiler. */
export function defineMetric<const F extends MetricFamily>(family: F): F {
  return family;
}
