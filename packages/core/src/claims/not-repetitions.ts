import { type Finding, figure } from '../checks/check.ts';
import type { MetricName } from '../metrics/index.ts';
import { loadKey } from '../subjects/load.ts';
import type { Result } from '../subjects/result.ts';
import { scenarioKey } from '../subjects/scenario.ts';
import { systemKey } from '../subjects/system.ts';

/** Maximum ratio between repetitions of one point. */
export const repetitionsRatioMost = 1.5;

/** Metrics that boards rank by and repetitions share: rates and mean latencies. Tails and goodput vary too much. */
const rankedMetrics: readonly MetricName[] = [
  'output_tok_s',
  'total_tok_s',
  'req_s',
  'input_tok_s',
  'decode_tok_s',
  'prefill_tok_s',
  'user_tok_s',
  'ttft_ms_mean',
  'tpot_ms_mean',
  'itl_ms_mean',
  'e2e_ms_mean',
  'forward_ms',
  'forward_tflop_s',
  'backward_ms',
  'backward_tflop_s',
  'wall_s',
];

/** Results of one artifact that claim to be one point but are not repetitions of each other. */
export interface NotRepetitions {
  /** Their positions in the artifact, in order. */
  indexes: number[];
  /** The metric with the largest difference, and the two figures. */
  metric: MetricName;
  low: number;
  high: number;
  isLoadStated: boolean;
  /** True if these figures come from other results of the same system, at another workload or load. */
  isElsewhere: boolean;
}

interface Row {
  index: number;
  result: Result;
}

/** Rows without repetition numbers. If a number occurs twice, returns all rows, because the numbers mean something else. */
function unnumbered(rows: readonly Row[]): readonly Row[] {
  const numbers = rows.flatMap(({ result }) => result.repetition ?? []);
  if (new Set(numbers).size < numbers.length) return rows;
  return rows.filter(({ result }) => result.repetition === null);
}

/** Requests that a tool timed one by one. Their prompts may differ, so only the speed of decoding is comparable. */
const areSingle = (rows: readonly Row[]) => rows.every(({ result }) => result.metrics.requests_ok === 1);
const singleMetrics: readonly MetricName[] = ['decode_tok_s'];

/** Returns the metric with the largest difference. Figures of different formulas are not compared. */
function widest(
  rows: readonly Row[],
  metrics: readonly MetricName[],
): Pick<NotRepetitions, 'metric' | 'low' | 'high'> | null {
  const ranges = new Map<string, { metric: MetricName; low: number; high: number }>();
  for (const { result } of rows) {
    for (const metric of metrics) {
      const value = result.metrics[metric];
      if (value === undefined || !(value > 0)) continue;
      const key = `${metric} ${result.definitions[metric.replace(/_mean$/, '')] ?? ''}`;
      const { low, high } = ranges.get(key) ?? { low: value, high: value };
      ranges.set(key, { metric, low: Math.min(low, value), high: Math.max(high, value) });
    }
  }
  let most: { metric: MetricName; low: number; high: number } | null = null;
  for (const range of ranges.values()) {
    if (most === null || range.high / range.low > most.high / most.low) most = range;
  }
  return most;
}

const isApart = ({ low, high }: { low: number; high: number }) => high / low > repetitionsRatioMost;

/** Returns any difference within a group, however small; null if there is none. Of single requests, only a large one. */
function differenceIn(rows: readonly Row[]): NotRepetitions | null {
  const isSingle = areSingle(rows);
  const judged = isSingle ? rows : unnumbered(rows);
  const found = judged.length < 2 ? null : widest(judged, isSingle ? singleMetrics : rankedMetrics);
  if (found === null || found.high === found.low || (isSingle && !isApart(found))) return null;
  const isLoadStated = judged[0]?.result.load.mode !== 'unspecified';
  return { ...found, indexes: judged.map(({ index }) => index), isLoadStated, isElsewhere: false };
}

/** Checks the groups of one system. If one group shows another difference of the system, no group is of repetitions. */
function judgeSystem(groups: readonly NotRepetitions[], kind: Result['kind']): NotRepetitions[] {
  const shown = groups.find(isApart);
  return groups.flatMap((group) => {
    // A training run has no load to state.
    if (isApart(group) || (!group.isLoadStated && kind === 'serving')) return group;
    if (shown === undefined) return [];
    const { metric, low, high } = shown;
    return { ...group, metric, low, high, isElsewhere: true };
  });
}

/**
 * Finds results that look like repetitions but are not. They have the same system, workload and load, without repetition
 * numbers from the tool. A ranked metric differs by more than a factor of 1.5, in the group or in another such group of the
 * system. For serving runs without a stated load, any difference counts. Single requests, which the parser numbers, may differ
 * in all but the speed of decoding. O(n).
 */
export function findNotRepetitions(results: readonly Result[]): NotRepetitions[] {
  if (results.length < 2) return [];
  const systemKeys = new Map<Result['system'], string>();
  const rows = results.map((result, index) => ({ result, index }));
  const bySystem = Map.groupBy(rows, ({ result: { kind, system } }) => {
    const key = systemKeys.get(system) ?? systemKey(system);
    systemKeys.set(system, key);
    return `${kind} ${key}`;
  });
  return [...bySystem.values()].flatMap((of) => {
    const points = Map.groupBy(of, ({ result: { scenario, load } }) => {
      return `${scenarioKey(scenario)} ${load.mode === 'unspecified' ? load.mode : loadKey(load)}`;
    });
    const groups = [...points.values()].flatMap((group) => differenceIn(group) ?? []);
    return judgeSystem(groups, of[0]?.result.kind ?? 'serving');
  });
}

/** Builds the finding for each of these results. It reports a missing fact, not a violation. */
export function notRepetitionsFinding(found: NotRepetitions): Finding {
  const { indexes, metric, low, high, isLoadStated, isElsewhere } = found;
  const range = `${metric} from ${figure(low)} to ${figure(high)}`;
  const same = isLoadStated ? 'system, workload and load' : 'system and workload, and no stated load';
  const differs = isElsewhere ? `, and other results of this system have ${range}` : ` but ${range}`;
  return {
    code: 'not_repetitions',
    severity: 'warning',
    message:
      `${indexes.length} results of the artifact have the same ${same}${differs}, so they are not repetitions and do not rank. ` +
      'State how they differ, for example the load or a setting, and send them again.',
    evidence: { metric, low, high, ratio: high / low, results: indexes.length },
  };
}
