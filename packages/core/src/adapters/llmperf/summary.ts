import { toPlainText } from '../plain-facts.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import type { JsonObject, JsonRecord } from '../reading/documents/json-records.ts';
import { shiftDecimal } from '../reading/figures/numbers.ts';
import {
  addLatency,
  addMetric,
  noFigures,
  type ReportFigures,
  readFigure,
  totalOf,
} from '../reading/figures/report-figures.ts';

/** A parsed llmperf summary. A figure is missing if `figures.faults` has an error for it. */
export interface LlmperfSummary {
  figures: ReportFigures;
  model: string | null;
  concurrency: number | null;
  /** The requested length; `varies` if a standard deviation was requested too. */
  input: AskedLength;
  output: AskedLength;
  measuredAt: string | null;
}

export interface AskedLength {
  tokens: number | null;
  varies: boolean;
}

const latencies = [
  ['ttft_s', 'ttft_ms'],
  ['inter_token_latency_s', 'tpot_ms'],
  ['end_to_end_latency_s', 'e2e_ms'],
] as const;

/** The figures of a latency as one object. In the file they are flat keys with its name as prefix. */
const words: Readonly<Record<string, string>> = {
  mean: 'mean',
  min: 'min',
  max: 'max',
  stddev: 'std',
  quantiles_p50: 'p50',
  quantiles_p75: 'p75',
  quantiles_p90: 'p90',
  quantiles_p95: 'p95',
  quantiles_p99: 'p99',
};

function askedLength(figures: ReportFigures, value: JsonObject, which: 'input' | 'output'): AskedLength {
  const tokens = readFigure(figures, value[`mean_${which}_tokens`], `/mean_${which}_tokens`);
  const spread = readFigure(figures, value[`stddev_${which}_tokens`], `/stddev_${which}_tokens`);
  return { tokens: tokens === null || tokens === 0 ? null : Math.round(tokens), varies: (spread ?? 0) > 0 };
}

/** Seconds since 1970 as RFC 3339 UTC; null outside the years of benchmarks. */
function toInstant(value: JsonValue | undefined): string | null {
  const isTime = typeof value === 'number' && value > 1.5e9 && value < 4e9;
  return isTime ? new Date(shiftDecimal(Math.floor(value), 3)).toISOString() : null;
}

/** Reads a summary. Errors are added to `figures.faults`. */
export function readLlmperfSummary({ value, from }: JsonRecord): LlmperfSummary {
  const figures = noFigures(from);
  const used = new Set(['version', 'name', 'model', 'timestamp', 'num_concurrent_requests']);
  for (const which of ['input', 'output']) used.add(`mean_${which}_tokens`).add(`stddev_${which}_tokens`);
  const take = (name: string) => {
    used.add(name);
    return value[name];
  };
  const add = (metric: Parameters<typeof addMetric>[1], name: string) =>
    addMetric(figures, metric, take(name), `/${name}`);

  const ok = add('requests_ok', 'results_num_completed_requests');
  const failed = add('requests_failed', 'results_number_errors');
  if (ok === 0) {
    const message = `0 of ${failed ?? 0} requests succeeded: nothing was measured.`;
    figures.faults.push({ code: 'nothing_measured', line: from, message });
  }
  const sent = readFigure(figures, take('results_num_requests_started'), '/results_num_requests_started');
  if (sent !== null) figures.extra.requests_sent = sent;
  const perMinuteName = 'results_num_completed_requests_per_min';
  const perMinute = readFigure(figures, take(perMinuteName), `/${perMinuteName}`);
  if (perMinute !== null && perMinute > 0) figures.metrics.set('req_s', perMinute / 60);
  add('output_tok_s', 'results_mean_output_throughput_token_per_s');
  const speedName = 'results_request_output_throughput_token_per_s_mean';
  const speed = readFigure(figures, take(speedName), `/${speedName}`);
  // Output tokens divided by the whole latency: the speed of one user, including the time to first token.
  if (speed !== null) figures.extra.request_output_tok_s_mean = speed;

  for (const [name, family] of latencies) {
    const parts = Object.keys(words).filter((word) => Object.hasOwn(value, `results_${name}_${word}`));
    const statistics: JsonObject = {};
    for (const word of parts) statistics[word] = take(`results_${name}_${word}`) ?? null;
    addLatency(figures, family, statistics, { pointer: `/results_${name}`, places: 3, words, joint: '_' });
  }
  for (const which of ['input', 'output'] as const) {
    const name = `results_number_${which}_tokens_mean`;
    const total = totalOf(readFigure(figures, take(name), `/${name}`), ok);
    if (total !== null) figures.metrics.set(`${which}_tokens`, total);
  }
  const model = value.model;
  const concurrency = readFigure(figures, value.num_concurrent_requests, '/num_concurrent_requests');
  for (const name of Object.keys(value)) if (!used.has(name)) figures.ignored.add(name);
  return {
    figures,
    model: typeof model === 'string' ? toPlainText(model) : null,
    concurrency,
    input: askedLength(figures, value, 'input'),
    output: askedLength(figures, value, 'output'),
    measuredAt: toInstant(value.timestamp),
  };
}
