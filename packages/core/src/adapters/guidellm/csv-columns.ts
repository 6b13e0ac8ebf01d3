import type { MetricName } from '../../metrics/index.ts';
import { shiftDecimal } from '../reading/figures/numbers.ts';
import type { Row } from './csv-row.ts';
import type { Generation } from './run.ts';

/** First columns of a metric, in older and in newer files. */
const groups = {
  ttft_ms: ['Successful Time to first token ms', 'Time to First Token|Successful ms'],
  tpot_ms: ['Successful Inter token latency ms', 'Inter Token Latency|Successful ms'],
  e2e_ms: ['Successful Request latency', 'Request Latency|Successful Sec'],
  req_s: ['Successful Requests per second', 'Server Throughput|Successful Requests/Sec'],
  input_tok_s: ['', 'Token Throughput|Successful Input Tokens/Sec'],
  output_tok_s: ['Successful Output tokens per second', 'Token Throughput|Successful Output Tokens/Sec'],
  total_tok_s: ['Successful Tokens per second', 'Token Throughput|Successful Total Tokens/Sec'],
  input_tokens: ['Successful Prompt token count', 'Token Metrics|Successful Input Tokens'],
  output_tokens: ['Successful Output token count', 'Token Metrics|Successful Output Tokens'],
  concurrency: ['Successful Request concurrency', 'Server Throughput|Successful Concurrency'],
  per_token: ['Successful Time per output token ms', 'Time per Output Token|Successful ms'],
} as const;

const statistics = {
  mean: [' mean', '|Mean'],
  p50: [' median', '|Median'],
  sd: [' std dev', '|Std Dev'],
  list: [' [min, 0.1, 1, 5, 10, 25, 75, 90, 95, 99, max]', '|Percentiles'],
} as const;

/** Column names of one generation of files: of a metric, and of its mean, median and so on. */
export function columnsOf(generation: Generation) {
  const which = generation === 'until 0.3' ? 0 : 1;
  return (group: keyof typeof groups, statistic: keyof typeof statistics) =>
    `${groups[group][which]}${statistics[statistic][which]}`;
}

export function readLatencies(row: Row, columnOf: ReturnType<typeof columnsOf>): void {
  const { metrics, extra } = row.figures;
  for (const [family, places] of [
    ['ttft_ms', 0],
    ['tpot_ms', 0],
    ['e2e_ms', 3],
  ] as const) {
    const mean = row.number(columnOf(family, 'mean'));
    if (mean === null || mean === 0) continue;
    const [min, , , , , , p75, p90, p95, p99, max] = row.list(columnOf(family, 'list'));
    const [p50, sd] = [row.number(columnOf(family, 'p50')), row.number(columnOf(family, 'sd'))];
    for (const [name, value] of Object.entries({ mean, p50, sd, min, p90, p95, p99, max })) {
      // Names of the registry: a latency and one of its statistics.
      if (value !== null && value !== undefined)
        metrics.set(`${family}_${name}` as MetricName, shiftDecimal(value, places));
    }
    if (p75 !== null && p75 !== undefined) extra[`${family}_p75`] = shiftDecimal(p75, places);
  }
}

export function readRates(row: Row, columnOf: ReturnType<typeof columnsOf>): void {
  for (const name of ['req_s', 'input_tok_s', 'output_tok_s', 'total_tok_s'] as const) {
    const rate = row.number(columnOf(name, 'mean'));
    if (rate !== null && rate > 0) row.figures.metrics.set(name, rate);
  }
  const concurrency = row.number(columnOf('concurrency', 'mean'));
  if (concurrency !== null) row.figures.extra.mean_concurrency = concurrency;
  const perToken = row.number(columnOf('per_token', 'mean'));
  if (perToken !== null && perToken > 0) row.figures.extra.time_per_output_token_ms_mean = perToken;
}

const statuses = ['Successful', 'Incomplete', 'Errored'] as const;

/** Sets the counts of requests by status and returns them. */
export function readCounts(row: Row, generation: Generation) {
  const name = (status: string) => (generation === 'until 0.3' ? `${status} Requests` : `Request Counts|${status}|`);
  const [ok, incomplete, failed] = statuses.map((status) => row.number(name(status)));
  const { metrics, extra } = row.figures;
  if (ok !== null && ok !== undefined) metrics.set('requests_ok', ok);
  if (failed !== null && failed !== undefined) metrics.set('requests_failed', failed);
  if (incomplete !== null && incomplete !== undefined) extra.requests_incomplete = incomplete;
  return { ok: ok ?? null, incomplete: incomplete ?? 0, failed: failed ?? 0 };
}

/**
 * The status whose columns a row of a newer file fills without having such requests; null if there is none. Until 0.6 the
 * header came from the first benchmark, whose statuses may differ from those of later ones. Figures of later benchmarks are
 * then in the wrong columns.
 */
export function findShift(row: Row, columns: readonly string[]): string | null {
  const isEmpty = (status: string) => row.number(`Request Counts|${status}|`) === 0;
  const isFilled = (status: string) =>
    columns.some((name) => name.includes(`|${status} `) && name.endsWith('|Mean') && row.text(name) !== null);
  return statuses.find((status) => isEmpty(status) && isFilled(status)) ?? null;
}

const usedOlder = new Set(['Name', 'Duration', 'Args', 'Worker', 'Request Loader']);
const usedNewer = new Set([
  ...['Run Info', 'Benchmark', 'Timings', 'Request Counts', 'Runtime Info'],
  ...Object.values(groups).map(([, newer]) => newer.split('|')[0] ?? ''),
]);

/** Unused columns; in newer files, unused column groups. */
export function unusedColumns(columns: readonly string[], generation: Generation): Set<string> {
  if (generation === 'since 0.4')
    return new Set(columns.map((name) => name.split('|')[0] ?? '').filter((name) => !usedNewer.has(name)));
  const isFigure = /^(?:Successful|Incomplete|Errored|Total) /;
  return new Set(columns.filter((name) => !isFigure.test(name) && !usedOlder.has(name)));
}
