import type { MetricName } from '../../metrics/index.ts';
import { latencyName } from '../reading/figures/latency-name.ts';
import { isMissing, parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';
import { definitionsOf, noFigures, type ReportFigures, totalOf } from '../reading/figures/report-figures.ts';
import type { PerfTables } from './perf-tables.ts';
import type { SummaryRow } from './perf-text.ts';

/** The printed figures of a run, by meaning. */
export interface PerfFigures {
  figures: ReportFigures;
  users: number | null;
  /** Requested rate in requests per second; null if there was no pacing. */
  rate: number | null;
  sent: number | null;
  /** Tokens per answered request. */
  meanInput: number | null;
  meanOutput: number | null;
  /** Percent of prompt tokens served from the server's cache. */
  cachedPercent: number | null;
  isMultiTurn: boolean;
  /** The path of the run's database; null if not printed. */
  path: string | null;
  /** True if responses came in one piece. Their time to first token is then left out. */
  cameAtOnce: boolean;
  definitions: Record<string, string>;
}

type Family = 'ttft_ms' | 'tpot_ms' | 'itl_ms' | 'e2e_ms';

const families: Record<string, Family> = {
  latency: 'e2e_ms',
  'time to first token': 'ttft_ms',
  ttft: 'ttft_ms',
  'time per output token': 'tpot_ms',
  tpot: 'tpot_ms',
  'inter-token latency': 'itl_ms',
  itl: 'itl_ms',
};

const rates: Record<string, MetricName> = {
  'request throughput (req/s)': 'req_s',
  'req throughput (req/s)': 'req_s',
  'average qps': 'req_s',
  'output token throughput (tok/s)': 'output_tok_s',
  'output throughput (tok/s)': 'output_tok_s',
  'throughput(average tokens/s)': 'output_tok_s',
  'throughput(average output tokens per second)': 'output_tok_s',
  'total token throughput (tok/s)': 'total_tok_s',
  'total throughput (tok/s)': 'total_tok_s',
};

const counts: Record<string, 'users' | 'rate' | 'sent' | 'ok' | 'failed' | 'input' | 'output' | 'cached' | 'turns'> = {
  'number of concurrency': 'users',
  concurrency: 'users',
  'request rate (req/s)': 'rate',
  'total requests': 'sent',
  'succeed requests': 'ok',
  'success requests': 'ok',
  'failed requests': 'failed',
  'average input tokens per request': 'input',
  'avg input tokens': 'input',
  'average output tokens per request': 'output',
  'avg output tokens': 'output',
  'kv cache hit rate (%)': 'cached',
  'avg turns/request': 'turns',
};

const durations = new Set(['time taken for tests (s)', 'test duration (s)']);

/** Digits after the point: four in the older grid, two in the newer box. */
const digits = { grid: 3, box: 2 };

/** A latency by its label, which includes the unit: `Average time to first token (s)`, `TTFT (ms)`. */
function toLatency(label: string): { family: Family; unit: string } | null {
  const parts = /^(?:average |avg )?([a-z -]{1,40}?) ?\((m?s)\)$/i.exec(label);
  const family = families[parts?.[1]?.toLowerCase() ?? ''];
  return family === undefined ? null : { family, unit: parts?.[2]?.toLowerCase() ?? '' };
}

function readCell(figures: ReportFigures, { line, label, value }: SummaryRow): number | null {
  if (isMissing(value)) return null;
  const number = parseNumber(value);
  if (number !== null && number >= 0) return number;
  // For rates, and for figures without a response, it means "no value".
  if (number === -1) return null;
  const message = `"${label}" should be a number that is not negative, found "${value.slice(0, 60)}".`;
  figures.faults.push({ code: 'value_unreadable', line, message });
  return null;
}

function addStatistic(figures: ReportFigures, row: SummaryRow, word: string): boolean {
  const latency = toLatency(row.label);
  if (latency === null) return false;
  const value = readCell(figures, row);
  if (value === null || value === 0) return true;
  const ms = latency.unit === 's' ? shiftDecimal(value, 3) : value;
  const name = latencyName(latency.family, word);
  if (name.kind === 'metric') figures.metrics.set(name.name, ms);
  else if (word === 'p75') figures.extra[name.name] = ms;
  return true;
}

/** Requests as `400 / 398 / 2`: all, answered, failed. */
function toTriple(row: SummaryRow): number[] | null {
  if (!/^total \/ success \/ failed$/i.test(row.label)) return null;
  const parts = row.value.split('/').map((part) => parseNumber(part));
  return parts.length === 3 && parts.every((part) => part !== null) ? parts : null;
}

/** Faster than any service streams to one user: tokens after the first arrived all at once. */
const leastGapMs = 0.1;

/** Whether responses came in one piece, so that the first token is the last. */
function isOnePiece({ metrics }: ReportFigures, meanOutput: number | null): boolean {
  const [ttft, e2e] = [metrics.get('ttft_ms_mean'), metrics.get('e2e_ms_mean')];
  if (ttft === undefined || e2e === undefined) return false;
  // A truncated grid does not show the number of tokens after the first.
  if (meanOutput === null) return ttft >= e2e;
  if (meanOutput <= 1) return false;
  return (e2e - ttft) / (meanOutput - 1) < leastGapMs;
}

function drop(figures: ReportFigures, families: readonly Family[]): void {
  for (const family of families) {
    for (const name of figures.metrics.keys()) if (name.startsWith(family)) figures.metrics.delete(name);
    for (const name of Object.keys(figures.extra)) if (name.startsWith(family)) delete figures.extra[name];
  }
}

/** Reads the output of a run. Errors are added to `figures.faults`. */
export function readPerfFigures(tables: PerfTables): PerfFigures {
  const figures = noFigures(tables.from);
  figures.faults.push(...tables.faults.slice(0, 100));
  const found: Partial<Record<(typeof counts)[string], number>> = {};
  let path: string | null = null;
  for (const row of tables.rows) {
    const key = row.label.toLowerCase().replace(/\s+/g, ' ');
    const triple = toTriple(row);
    const metric = rates[key];
    const count = counts[key];
    if (durations.has(key)) {
      const seconds = readCell(figures, row);
      if (seconds !== null && seconds > 0) figures.metrics.set('duration_s', seconds);
    } else if (triple !== null) [found.sent, found.ok, found.failed] = triple;
    else if (metric !== undefined) {
      const value = readCell(figures, row);
      if (value !== null && value > 0) figures.metrics.set(metric, value);
    } else if (count !== undefined) found[count] = readCell(figures, row) ?? undefined;
    else if (key === 'result db path') path = row.value;
    else if (!addStatistic(figures, row, 'mean') && row.value !== '') figures.ignored.add(row.label);
  }
  for (const cell of tables.cells) {
    const word = /^\d/.test(cell.percentile) ? `p${cell.percentile.slice(0, -1)}` : cell.percentile;
    if (!addStatistic(figures, cell, word)) figures.ignored.add(`percentiles of ${cell.label}`);
  }
  const { sent = null, ok = null, failed = null, input = null, output = null } = found;
  if (ok !== null) figures.metrics.set('requests_ok', ok);
  if (failed !== null) figures.metrics.set('requests_failed', failed);
  if (sent !== null) figures.extra.requests_sent = sent;
  if (tables.success != null && failed === null) figures.extra.success_percent = tables.success;
  const isBox = tables.rows.some(({ label }) => label.startsWith('──') || label === 'Test Duration (s)');
  // A rounded mean gives the exact total only for few requests.
  const isExact = ok !== null && ok < 10 ** (tables.digits ?? (isBox ? digits.box : digits.grid));
  const [inputs, outputs] = [input, output].map((mean) => (isExact ? totalOf(mean, ok) : null));
  if (inputs != null && inputs > 0) figures.metrics.set('input_tokens', inputs);
  if (outputs != null && outputs > 0) figures.metrics.set('output_tokens', outputs);
  const cameAtOnce = isOnePiece(figures, output);
  if (cameAtOnce) drop(figures, ['ttft_ms', 'tpot_ms', 'itl_ms']);
  // Before the row of gaps was added, this label had four successive formulas. All of them were printed in seconds.
  else if (!figures.metrics.has('itl_ms_mean')) {
    const isTpot = ({ label }: SummaryRow) => {
      const latency = toLatency(label);
      return latency?.family === 'tpot_ms' && latency.unit === 's';
    };
    const isOld = tables.rows.some(isTpot) || tables.cells.some(isTpot);
    for (const { label } of tables.rows.filter(isTpot)) figures.ignored.add(label);
    for (const { label } of tables.cells.filter(isTpot)) figures.ignored.add(`percentiles of ${label}`);
    if (isOld) drop(figures, ['tpot_ms']);
  }
  return {
    figures,
    users: found.users ?? null,
    rate: found.rate ?? null,
    sent,
    meanInput: input,
    meanOutput: output,
    cachedPercent: found.cached ?? null,
    isMultiTurn: (found.turns ?? 0) > 0,
    path,
    cameAtOnce,
    definitions: definitionsOf(figures.metrics, {
      ttft_ms: 'send_to_first_token',
      tpot_ms: 'without_first_token',
      itl_ms: 'per_chunk',
      e2e_ms: 'request',
    }),
  };
}
