import type { Load } from '../load.ts';
import type { MetricName } from '../metrics/index.ts';
import type { QualityTask } from '../scenario.ts';
import { type Fact, noFacts, noScenario, type ParsedResult, type SystemFacts } from './adapter.ts';

// The readers of evaluations make their results with this file.

/** A figure of an evaluation as its tool states it. */
export interface Evaluation {
  task: QualityTask;
  metric: Extract<MetricName, 'score' | 'perplexity' | 'kl_divergence'>;
  value: number;
  /** Of the mean; null where the tool states none. */
  standardError: number | null;
  /** Items or tokens behind the mean; null where the tool does not say. */
  n: number | null;
  system: Partial<SystemFacts>;
  load?: Load | null;
  dataset?: Fact<string> | null;
  extra?: ParsedResult['extra'];
  measuredAt?: string | null;
  lines: { from: number; to: number };
}

/** A mean over items: its standard error is their deviation over the root of their number. */
function toRepeats({ metric, standardError, n }: Evaluation): ParsedResult['repeats'] {
  if (standardError === null || n === null || n < 2) return { n: null, sd: {}, samples: null };
  return { n, sd: { [metric]: standardError * Math.sqrt(n) }, samples: null };
}

export function toEvaluation(evaluation: Evaluation): ParsedResult {
  const { task, metric, value, standardError, n, system, load, dataset, extra, measuredAt, lines } = evaluation;
  return {
    kind: 'quality',
    system: { ...noFacts, ...system },
    scenario: { ...noScenario, dataset: dataset ?? null, quality: task },
    load: load ?? null,
    repetition: null,
    metrics: { [metric]: value },
    definitions: {},
    repeats: toRepeats(evaluation),
    requests: null,
    limits: null,
    extra: {
      ...extra,
      ...(standardError === null ? {} : { standard_error: standardError }),
      ...(n === null ? {} : { samples: n }),
    },
    notes: [],
    measuredAt: measuredAt ?? null,
    lines,
  };
}

export const stated = <T>(value: T | null): Fact<T> | null => (value === null ? null : { value, origin: 'stated' });

/** A finite number of a record; null of anything else, such as "N/A". */
export const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
