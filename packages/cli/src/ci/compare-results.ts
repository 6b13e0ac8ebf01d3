import { findMetric, type Metric } from '@inferboard/core/metrics/index';
import { type Change, judgeChange } from '@inferboard/core/series/change';
import type { Figure } from '@inferboard/core/series/comparison';
import { type PointSample, pointStatistics } from '@inferboard/core/statistics/point-statistics';

interface Named {
  id: string | null;
  name: string;
}

/** What is compared of a result, as the service shows it. */
export interface Result {
  kind: string;
  system: {
    label: string;
    model: Named;
    quantization: Named;
    gpu: Named;
    gpu_count: number | null;
    gpu_power_limit_w: number | null;
    engine: Named & { version: string | null };
    parallelism: object;
    features: object;
  };
  workload: { id: string };
  scenario: object;
  load: { mode: string; level: number | null };
  metrics: Record<string, number | null>;
  derived: Record<string, number | null>;
  definitions: Record<string, string>;
  repeats: { n: number | null; sd: Record<string, number>; samples: Record<string, number[]> | null } | null;
}

/** A metric of one point, now and before. */
export interface Compared {
  point: { label: string; workload: string; load: Result['load'] };
  metric: Metric;
  fresh: StatedFigure;
  before: StatedFigure;
  change: Change;
}

/** A figure, and whether its output states the number of repetitions. If not, `n` is 1. */
type StatedFigure = Figure & { isCounted: boolean };

/** Outcome of a build: a regression of any figure, or that no figure has enough data to exclude one. */
export type BuildVerdict = 'regression' | 'no_regression' | 'insufficient_data' | 'no_base';

/** The verdict on a build. Without a figure that was judged, nothing is known about regressions. */
export function verdictOf(compared: readonly Compared[], hasBase: boolean): BuildVerdict {
  if (!hasBase) return 'no_base';
  const verdicts = new Set(compared.map(({ change }) => change.verdict));
  if (verdicts.has('regression')) return 'regression';
  return verdicts.has('stable') || verdicts.has('improvement') ? 'no_regression' : 'insufficient_data';
}

/** What is compared unless metrics are named: where a point has them, the first of throughput and the first of latency. */
export const comparedByDefault: readonly (readonly string[])[] = [
  [
    'output_tok_s_per_gpu',
    'output_tok_s',
    'decode_tok_s',
    'prefill_tok_s',
    'user_tok_s',
    'req_s',
    'forward_ms',
    'wall_s',
  ],
  ['ttft_ms_mean', 'ttft_ms_p50', 'e2e_ms_mean'],
];

/** What must be alike: everything but the version of the engine, which changes with the code. */
function keyOf({ kind, system, scenario, workload, load }: Result): string {
  const named = ({ id, name }: Named) => id ?? name;
  const { model, quantization, gpu, engine, gpu_count, gpu_power_limit_w, parallelism, features } = system;
  const facts = [...[model, quantization, gpu, engine].map(named), gpu_count, gpu_power_limit_w, parallelism, features];
  return JSON.stringify([kind, facts, scenario, workload.id, load]);
}

function groupByPoint(results: readonly Result[]): Map<string, Result[]> {
  const groups = new Map<string, Result[]>();
  for (const result of results) {
    const key = keyOf(result);
    groups.set(key, [...(groups.get(key) ?? []), result]);
  }
  return groups;
}

const figureOf = ({ metrics, derived }: Result, name: string): number | null => metrics[name] ?? derived[name] ?? null;

/** Repetitions of a point as one figure; null where none has the metric. */
function toFigure(results: readonly Result[], { name, family }: Metric): StatedFigure | null {
  const having = results.filter((result) => figureOf(result, name) !== null);
  const samples = having.map((result): PointSample => {
    const { repeats } = result;
    const stated = repeats && { n: repeats.n, sd: repeats.sd[name] ?? null, samples: repeats.samples?.[name] ?? null };
    return { value: figureOf(result, name) ?? 0, repeats: stated };
  });
  if (samples.length === 0) return null;
  const { mean, sd, n } = pointStatistics(samples);
  return { mean, sd, n: n ?? 1, isCounted: n !== null, definition: having[0]?.definitions[family.base] ?? null };
}

const uncounted = 'A verdict needs the number of repetitions, and an output does not state it.';

function judge(metric: Metric, fresh: StatedFigure, before: StatedFigure): Change {
  const change = judgeChange(metric, fresh, before);
  const isCounted = fresh.isCounted && before.isCounted;
  return change.verdict !== 'insufficient_data' || isCounted ? change : { ...change, reason: uncounted };
}

/**
 * Compares figures with those of the base, for each system, workload and load that both measured. Each result is a repetition.
 * The rule is that of the service's list of changes.
 *
 * @param names metrics to compare; none for the first of each list of `comparedByDefault` that a point has
 */
export function compareResults(
  fresh: readonly Result[],
  before: readonly Result[],
  names: readonly string[] = [],
): Compared[] {
  const places = groupByPoint(before);
  const lists = names.length > 0 ? names.map((name) => [name]) : comparedByDefault;
  return [...groupByPoint(fresh)].flatMap(([key, results]) => {
    const olds = places.get(key);
    const [first] = results;
    if (olds === undefined || first === undefined) return [];
    const point = { label: first.system.label, workload: first.workload.id, load: first.load };
    return lists.flatMap((list): Compared[] => {
      for (const name of list) {
        const metric = findMetric(name);
        if (metric === null || metric.family.direction === 'neutral') continue;
        const [now, then] = [toFigure(results, metric), toFigure(olds, metric)];
        if (now === null || then === null) continue;
        return [{ point, metric, fresh: now, before: then, change: judge(metric, now, then) }];
      }
      return [];
    });
  });
}
