import type { Fault } from '../../errors.ts';
import {
  findFamily,
  findMetric,
  type Metric,
  type MetricName,
  metricFamilies,
  metricNames,
} from '../../metrics/index.ts';
import { toPointer } from '../../text/json-pointer.ts';
import { nearestOrLonger } from '../../text/nearest.ts';
import type { Definitions, Metrics, ResultKind } from '../adapter.ts';
import { addFaults, maxFaults, maxHints } from '../errors.ts';
import type { NativeResult } from './schema.ts';

/** Maximum number of known names in a hint. */
const listedMax = 24;

const counts = new Set(['requests_ok', 'requests_failed', 'input_tokens', 'output_tokens', 'batch_size']);

/** Collects errors at JSON pointers, up to the maximum number reported. */
export interface Report {
  (path: readonly PropertyKey[], code: string, message: string, hint?: string): void;
  /** True if the maximum is reached. Reading further would not change the response. */
  isFull(): boolean;
  /** A hint with the known name nearest to an unknown one, or with all names if they are few; undefined after the first few hints. */
  nearest(name: string, names: readonly string[]): string | undefined;
}

export function reporter(faults: Fault[], line: number): Report {
  const report = (path: readonly PropertyKey[], code: string, message: string, hint?: string) => {
    const place = { code, line, pointer: toPointer(path), message };
    addFaults(faults, [hint === undefined ? place : { ...place, hint }]);
  };
  return Object.assign(report, {
    isFull: () => faults.length >= maxFaults,
    nearest: (name: string, names: readonly string[]) => {
      if (faults.length >= maxHints) return undefined;
      const meant = nearestOrLonger(name, names);
      if (meant !== null) return `Did you mean "${meant}"?`;
      return names.length > listedMax ? undefined : `Known names: ${names.join(', ')}.`;
    },
  });
}

/** Names that a client may state. Derived metrics are computed. */
const statedNames = metricFamilies.flatMap((family) =>
  family.derived ? [] : metricNames.filter((name) => findMetric(name)?.family === family),
);

export function toMetric(key: string, kind: ResultKind, path: readonly PropertyKey[], report: Report): Metric | null {
  const metric = findMetric(key);
  if (metric === null) {
    const message = `Unknown metric ${JSON.stringify(key.slice(0, 80))}.`;
    report(
      path,
      'metric_unknown',
      message,
      report.nearest(key, statedNames) ?? 'GET /v1/catalogue/metrics lists the metrics.',
    );
    return null;
  }
  if (metric.family.derived) {
    report(path, 'metric_derived', `${metric.name} is computed by Inferboard.`, 'Omit it.');
    return null;
  }
  if (metric.family.kind !== kind) {
    report(
      path,
      'metric_of_other_kind',
      `${metric.name} belongs to results of the kind "${metric.family.kind}", this one is "${kind}".`,
    );
    return null;
  }
  return metric;
}

function describe(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, 60) : value) ?? String(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** The stated value of a metric; null if it is missing, undefined if it is invalid. Invalid values are reported. */
function toValue(
  metric: Metric,
  value: unknown,
  path: readonly PropertyKey[],
  report: Report,
): number | null | undefined {
  // Bare NaN is already null. A bare infinity also means "not measured".
  if (value === null || value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) return null;
  if (typeof value !== 'number') {
    report(
      path,
      'value_invalid',
      `${metric.name} must be a number, found ${describe(value)}.`,
      'Use null for values that were not measured.',
    );
    return undefined;
  }
  const isTime = (metric.family.unit === 'ms' || metric.family.unit === 's') && metric.statistic !== 'sd';
  const isCount = counts.has(metric.family.base);
  // A percentile may have been rounded to 0; the check of figures compares it with the related ones.
  const isAbove = isTime && (metric.statistic === null || metric.statistic === 'mean' || metric.statistic === 'max');
  const wanted = isCount ? 'a whole number, 0 or more' : isAbove ? 'above 0' : '0 or more';
  if (value < 0 || (isAbove && value === 0) || (isCount && !Number.isSafeInteger(value))) {
    report(
      path,
      'value_invalid',
      `${metric.name} must be ${wanted}, found ${describe(value)}.`,
      'Use null for values that were not measured.',
    );
    return undefined;
  }
  return value;
}

/**
 * Reads `metrics`. A bare base such as `itl_ms` means its mean. A result without figures and without requests to compute
 * them from is an error.
 */
export function readMetrics(
  result: NativeResult,
  kind: ResultKind,
  at: readonly PropertyKey[],
  report: Report,
): Metrics {
  const given = Object.entries(result.metrics ?? {});
  const hasRequests = Array.isArray(result.requests) && result.requests.length > 0;
  const metrics = new Map<MetricName, number | null | undefined>();
  for (const [key, value] of given) {
    if (report.isFull()) break;
    const path = [...at, 'metrics', key];
    const metric = toMetric(key, kind, path, report);
    if (metric === null) continue;
    if (metrics.has(metric.name))
      report(path, 'metric_repeated', `${metric.name} is given twice: the name without a statistic means the mean.`);
    metrics.set(metric.name, toValue(metric, value, path, report));
  }
  const found = [...metrics].filter((entry): entry is [MetricName, number] => typeof entry[1] === 'number');
  const isReported = metrics.size < given.length || [...metrics.values()].includes(undefined);
  if (found.length === 0 && !isReported && !hasRequests) {
    report([...at, 'metrics'], 'metrics_empty', 'A result needs at least one measured value.');
  }
  return Object.fromEntries(found);
}

/**
 * The default formula of a native figure: the first one of the registry. Gaps have several formulas, so theirs is
 * `not_stated`.
 */
function usualDefinition(base: string, isBatch: boolean): string | undefined {
  if (base === 'itl_ms') return 'not_stated';
  if (base === 'e2e_ms' && isBatch) return 'whole_batch';
  return findFamily(base)?.definitions[0]?.id;
}

/** Reads `definitions`. Values without a stated formula get the registry's default if the metric has several. */
export function readDefinitions(
  result: NativeResult,
  metrics: Metrics,
  at: readonly PropertyKey[],
  report: Report,
): Definitions {
  const definitions: Definitions = {};
  for (const [base, id] of Object.entries(result.definitions ?? {})) {
    if (report.isFull()) break;
    const path = [...at, 'definitions', base];
    const family = findFamily(base);
    const ids = family?.definitions.map((definition) => definition.id) ?? [];
    if (family === null || ids.length === 0) {
      const bases = metricFamilies
        .filter((candidate) => candidate.definitions.length > 0)
        .map((candidate) => candidate.base);
      report(
        path,
        'metric_unknown',
        `${JSON.stringify(base.slice(0, 80))} has no definitions to choose from.`,
        report.nearest(base, bases),
      );
    } else if (!ids.includes(id)) {
      report(
        path,
        'definition_unknown',
        `${base} has no definition ${JSON.stringify(id.slice(0, 80))}. Known definitions: ${ids.join(', ')}.`,
        report.nearest(id, ids),
      );
    } else definitions[base] = id;
  }
  for (const name of Object.keys(metrics)) {
    const base = findMetric(name)?.family.base ?? name;
    const usual = usualDefinition(base, result.load?.mode === 'batch');
    if (definitions[base] === undefined && usual !== undefined) definitions[base] = usual;
  }
  return definitions;
}

/**
 * Definitions under their current ids. Documents that Inferboard wrote before `from_run_start` existed call the latencies of
 * MLPerf's Offline scenario `whole_batch`.
 */
export function currentDefinitions(
  definitions: Definitions,
  tool: string | null | undefined,
  { load }: NativeResult,
): Definitions {
  const isOffline = tool === 'mlperf loadgen' && load?.mode === 'burst' && load.regime === 'offline';
  return isOffline && definitions.e2e_ms === 'whole_batch' ? { ...definitions, e2e_ms: 'from_run_start' } : definitions;
}
