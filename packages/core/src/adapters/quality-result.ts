import type { MetricName } from '../metrics/index.ts';
import type { Load } from '../subjects/load.ts';
import type { QualityTask } from '../subjects/scenario.ts';
import { type Fact, noFacts, noResult, noScenario, type ParsedResult, type SystemFacts } from './adapter.ts';

// The readers of evaluations use this file to create their results.

/** A figure of an evaluation, as its tool reports it. */
export interface Evaluation {
  task: QualityTask;
  metric: Extract<MetricName, 'score' | 'perplexity' | 'kl_divergence'>;
  value: number;
  /** Of the mean; null if the tool reports none. */
  standardError: number | null;
  /** Number of items or tokens behind the mean; null if the tool does not report it. */
  n: number | null;
  system: Partial<SystemFacts>;
  load?: Load | null;
  dataset?: Fact<string> | null;
  extra?: ParsedResult['extra'];
  measuredAt?: string | null;
  lines: { from: number; to: number };
}

/** A mean over items. Its standard error is the deviation of the items divided by the square root of their number. */
function toRepeats({ metric, standardError, n }: Evaluation): ParsedResult['repeats'] {
  if (standardError === null || n === null || n < 2) return { n: null, sd: {}, samples: null };
  return { n, sd: { [metric]: standardError * Math.sqrt(n) }, samples: null };
}

export function toEvaluation(evaluation: Evaluation): ParsedResult {
  const { task, metric, value, standardError, n, system, load, dataset, extra, measuredAt, lines } = evaluation;
  return {
    ...noResult,
    kind: 'quality',
    system: { ...noFacts, ...system },
    scenario: { ...noScenario, dataset: dataset ?? null, quality: task },
    load: load ?? null,
    metrics: { [metric]: value },
    repeats: toRepeats(evaluation),
    extra: {
      ...extra,
      ...(standardError === null ? {} : { standard_error: standardError }),
      ...(n === null ? {} : { samples: n }),
    },
    measuredAt: measuredAt ?? null,
    lines,
  };
}

export const stated = <T>(value: T | null): Fact<T> | null => (value === null ? null : { value, origin: 'stated' });

/** A finite number of a record; null for anything else, such as "N/A". */
export const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
