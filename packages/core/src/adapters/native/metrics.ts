import { closest } from 'fastest-levenshtein';
import type { Fault } from '../../errors.ts';
import {
  findFamily,
  findMetric,
  type Metric,
  type MetricName,
  metricFamilies,
  metricNames,
} from '../../metrics/index.ts';
import type { Definitions, Metrics, ResultKind } from '../adapter.ts';
import { addFaults, maxFaults, maxHints } from '../errors.ts';
import { toPointer } from '../reading/zod-faults.ts';
import type { NativeResult } from './schema.ts';

const counts = new Set(['requests_ok', 'requests_failed', 'input_tokens', 'output_tokens', 'batch_size']);

/** Takes faults at JSON pointers until there are as many as are told. */
export interface Report {
  (path: readonly PropertyKey[], code: string, message: string, hint?: string): void;
  /** True once nothing fits any more: reading on would change no answer. */
  isFull(): boolean;
  /** The known name nearest to an unknown one; undefined after the first few. */
  nearest(name: string, names: readonly string[]): string | undefined;
}

export function reporter(faults: Fault[], line: number): Report {
  const report = (path: readonly PropertyKey[], code: string, message: string, hint?: string) => {
    const place = { code, line, pointer: toPointer(path), message };
    addFaults(faults, [hint === undefined ? place : { ...place, hint }]);
  };
  return Object.assign(report, {
    isFull: () => faults.length >= maxFaults,
    nearest: (name: string, names: readonly string[]) =>
      faults.length >= maxHints ? undefined : `Did you mean "${closest(name.slice(0, 100), [...names])}"?`,
  });
}

/** Names that may be stated; the derived ones are ours. */
const statedNames = metricFamilies.flatMap((family) =>
  family.derived ? [] : metricNames.filter((name) => findMetric(name)?.family === family),
);

export function toMetric(key: string, kind: ResultKind, path: readonly PropertyKey[], report: Report): Metric | null {
  const metric = findMetric(key);
  if (metric === null) {
    const message = `There is no metric ${JSON.stringify(key.slice(0, 80))}.`;
    report(path, 'metric_unknown', message, report.nearest(key, statedNames));
    return null;
  }
  if (metric.family.derived) {
    report(path, 'metric_derived', `${metric.name} is computed by Inferboard.`, 'Leave it out.');
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

/** A value of a metric as stated; null where it is missing or wrong, which is then reported. */
function toValue(metric: Metric, value: unknown, path: readonly PropertyKey[], report: Report): number | null {
  // Bare NaN is null already; a bare infinity likewise says that nothing was measured.
  if (value === null || value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) return null;
  if (typeof value !== 'number') {
    report(
      path,
      'value_invalid',
      `${metric.name} must be a number, found ${describe(value)}.`,
      'Write null for what was not measured.',
    );
    return null;
  }
  const isTime = (metric.family.unit === 'ms' || metric.family.unit === 's') && metric.statistic !== 'sd';
  const isCount = counts.has(metric.family.base);
  // A percentile may have been rounded to 0; the check of figures looks at its siblings.
  const isAbove = isTime && (metric.statistic === null || metric.statistic === 'mean' || metric.statistic === 'max');
  const wanted = isCount ? 'a whole number, 0 or more' : isAbove ? 'above 0' : '0 or more';
  if (value < 0 || (isAbove && value === 0) || (isCount && !Number.isSafeInteger(value))) {
    report(
      path,
      'value_invalid',
      `${metric.name} must be ${wanted}, found ${describe(value)}.`,
      'Write null for what was not measured.',
    );
    return null;
  }
  return value;
}

/**
 * Reads `metrics`; a bare base such as `itl_ms` is its mean. A result with neither a figure nor requests to make figures
 * of is reported.
 */
export function readMetrics(
  result: NativeResult,
  kind: ResultKind,
  at: readonly PropertyKey[],
  report: Report,
): Metrics {
  const given = Object.entries(result.metrics ?? {});
  const hasRequests = Array.isArray(result.requests) && result.requests.length > 0;
  const metrics = new Map<MetricName, number | null>();
  for (const [key, value] of given) {
    if (report.isFull()) break;
    const path = [...at, 'metrics', key];
    const metric = toMetric(key, kind, path, report);
    if (metric === null) continue;
    if (metrics.has(metric.name))
      report(path, 'metric_repeated', `${metric.name} is given twice: the name without a statistic means the mean.`);
    metrics.set(metric.name, toValue(metric, value, path, report));
  }
  const found = [...metrics].filter((entry): entry is [MetricName, number] => entry[1] !== null);
  if (found.length === 0 && metrics.size === given.length && !hasRequests) {
    report([...at, 'metrics'], 'metrics_empty', 'A result needs at least one measured value.');
  }
  return Object.fromEntries(found);
}

/** The formula a native figure has when nothing else is said: the registry's own. Gaps are made in several ways. */
function usualDefinition(base: string, isBatch: boolean): string | undefined {
  if (base === 'itl_ms') return 'not_stated';
  if (base === 'e2e_ms' && isBatch) return 'whole_batch';
  return findFamily(base)?.definitions[0]?.id;
}

/** Reads `definitions` and fills in the registry's formula for every other value that knows several. */
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
        `${base} has no definition ${JSON.stringify(id.slice(0, 80))}; known are ${ids.join(', ')}.`,
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
