import {
  nextPercentile,
  shownPercentiles,
  supportedPercentiles,
} from '@inferboard/core/statistics/supported-percentiles';
import { columnUnit, formatCount, formatValue } from '../../lib/format.ts';

type Fields = Record<string, unknown>;
const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? { ...value } : {});
const numberOf = (value: unknown) => (typeof value === 'number' ? value : null);

/** Latencies by their names in the summary of a point. */
const latencies = ['ttft', 'itl', 'tpot', 'e2e'] as const;
export type Latency = (typeof latencies)[number];

/** Samples of a latency. Earlier releases stored no number; each successful request has at least one sample. */
const samplesOf = (latency: Latency, { samples, requests }: Fields): number =>
  numberOf(fieldsOf(samples)[latency]) ?? numberOf(fieldsOf(requests).ok) ?? 0;

/** The metrics of the summary of a point, without percentiles for which there are too few samples. */
export function supportedMetrics(summary: unknown): Fields {
  const fields = fieldsOf(summary);
  const metrics = fieldsOf(fields.metrics);
  for (const latency of latencies) {
    const supported = supportedPercentiles(samplesOf(latency, fields));
    for (const p of shownPercentiles) if (!supported.includes(p)) metrics[`${latency}_ms_p${p}`] = null;
  }
  return metrics;
}

/** The highest percentile of a latency, below its median. */
export interface Tail {
  /** "p95 31.0"; null if there are too few samples for any. */
  value: string | null;
  /** The percentile that is missing, and why: "p90 needs 29 samples"; null if there is a value. */
  reason: string | null;
}

/** The highest percentile that the samples of a latency support; null without samples. */
export function tailOf(latency: Latency, summary: unknown): Tail | null {
  const n = samplesOf(latency, fieldsOf(summary));
  const metrics = supportedMetrics(summary);
  const figureOf = (p: number) => formatValue(numberOf(metrics[`${latency}_ms_p${p}`]), columnUnit('ms'));
  const highest = shownPercentiles.findLast((p) => p !== 50 && figureOf(p) !== null);
  if (highest !== undefined) return { value: `p${highest} ${figureOf(highest)}`, reason: null };
  const next = n === 0 ? null : nextPercentile(n);
  if (next === null) return null;
  return { value: null, reason: `p${next.percentile} needs ${formatCount(next.samples)} samples` };
}
