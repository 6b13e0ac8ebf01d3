import type { Fault } from '../../errors.ts';
import { findMetric, type MetricName } from '../../metrics/index.ts';
import { type Load, offlineLoad } from '../../subjects/load.ts';
import { type Adapter, noRemarks, noResult, noScenario, type ParsedResult, type ReaderNote } from '../adapter.ts';
import { ArtifactError, unreadable } from '../errors.ts';
import { noteIgnored } from '../plain-facts.ts';
import { isMissing, parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';
import { findAt } from '../reading/text/by-line.ts';
import { findMlperfBlocks, type MlperfBlock, type MlperfLine } from './block.ts';
import { inferMlperfDataset } from './dataset.ts';

const scenarios = ['Server', 'Offline', 'SingleStream', 'MultiStream'] as const;
type MlperfScenario = (typeof scenarios)[number];

/** Labels of rates, the result's own before its substitutes. */
const rates: [MetricName, string[]][] = [
  [
    'req_s',
    ['completed samples per second', 'samples per second', 'scheduled samples per second', 'qps w/ loadgen overhead'],
  ],
  [
    'output_tok_s',
    [
      'completed tokens per second',
      'completed tokens per second (inferred)',
      'tokens per second',
      'tokens per second (inferred)',
    ],
  ],
];
const families: [RegExp, string][] = [
  // The streams scenarios are summarised by the required percentile, which some people copy without the statistics.
  [/^(min|max|mean|\d{1,2}\.\d\d percentile|\d{1,2}th percentile) latency \(ns\)$/, 'e2e_ms'],
  [/^(min|max|mean|\d{1,2}\.\d\d percentile) first token latency \(ns\)$/, 'ttft_ms'],
  [/^(min|max|mean|\d{1,2}\.\d\d percentile) time (?:to|per) output token \(ns\)$/, 'tpot_ms'],
];
/** Parameters to store with the metrics, and the power of ten to ms. */
const parameters: Record<string, { name: string; places: number }> = {
  'target_latency (ns)': { name: 'target_latency_ms', places: -6 },
  'ttft_latency (ns)': { name: 'limit_ttft_ms', places: -6 },
  'tpot_latency (ns)': { name: 'limit_tpot_ms', places: -6 },
  'min_duration (ms)': { name: 'min_duration_ms', places: 0 },
  performance_sample_count: { name: 'performance_sample_count', places: 0 },
  samples_per_query: { name: 'samples_per_query', places: 0 },
  target_qps: { name: 'target_qps', places: 0 },
};

interface Figures {
  metrics: Map<MetricName, number>;
  extra: Record<string, number>;
  used: Set<string>;
}

/** A number of at least 0; null if not measured, which some versions print as 0. */
function toFigure({ line, label, value }: MlperfLine, faults: Fault[]): number | null {
  const number = parseNumber(value);
  if (number !== null && number >= 0) return number > 0 ? number : null;
  if (isMissing(value)) return null;
  faults.push({ code: 'value_unreadable', line, message: `"${label}" cannot be "${value.slice(0, 60)}".` });
  return null;
}

/** `99.90 percentile` is p999, which is not one of our metrics; `99.00 percentile` and `99th percentile` are p99. */
function toStatistic(word: string): string {
  const percentile = /^(\d{1,2})(?:\.(\d\d)|th) /.exec(word);
  return percentile === null ? word : `p${percentile[1]}${(percentile[2] ?? '').replace(/0+$/, '')}`;
}

/** The family of a latency and the name of its statistic; undefined for any other label. */
function familyOf(key: string): { base: string; word: string } | undefined {
  if (!key.endsWith(' (ns)')) return undefined;
  for (const [pattern, base] of families) {
    const word = pattern.exec(key)?.[1];
    if (word !== undefined) return { base, word };
  }
  return undefined;
}

function readFigures({ rows }: MlperfBlock, faults: Fault[]): Figures {
  const figures: Figures = { metrics: new Map(), extra: {}, used: new Set() };
  for (const [name, labels] of rates) {
    const key = labels.find((label) => rows.has(label));
    const row = key === undefined ? undefined : rows.get(key);
    const number = row === undefined ? null : toFigure(row, faults);
    if (number !== null) figures.metrics.set(name, number);
    if (key !== undefined) figures.used.add(key);
  }
  for (const [key, row] of rows) {
    const parameter = Object.hasOwn(parameters, key) ? parameters[key] : undefined;
    const family = familyOf(key);
    if (parameter === undefined && family === undefined) continue;
    figures.used.add(key);
    const number = toFigure(row, faults);
    if (number === null) continue;
    if (parameter !== undefined) figures.extra[parameter.name] = shiftDecimal(number, parameter.places);
    if (family === undefined) continue;
    const name = `${family.base}_${toStatistic(family.word)}`;
    const metric = findMetric(name);
    if (metric?.name === name) figures.metrics.set(metric.name, shiftDecimal(number, -6));
    else figures.extra[name] = shiftDecimal(number, -6);
  }
  // The requested rate is stored with the achieved rate.
  const scheduled = rows.get('scheduled samples per second');
  if (scheduled !== undefined && !figures.used.has('scheduled samples per second')) {
    figures.used.add('scheduled samples per second');
    const number = toFigure(scheduled, faults);
    if (number !== null) figures.extra.scheduled_req_s = number;
  }
  return figures;
}

/** Arrivals of Server are Poisson; Offline sends all at once; the streams wait for each response. */
function toLoad(scenario: MlperfScenario, extra: Record<string, number>): Load | null {
  const { target_qps: rate, samples_per_query: samples } = extra;
  if (scenario === 'SingleStream') return { mode: 'concurrency', level: 1 };
  if (scenario === 'Server') return rate === undefined ? null : { mode: 'rate', level: rate, burstiness: 1 };
  if (scenario === 'Offline')
    return samples === undefined ? offlineLoad : { mode: 'burst', level: samples, regime: 'offline' };
  return samples === undefined ? null : { mode: 'batch', level: samples };
}

/** LoadGen sums latencies in 64 bits of nanoseconds, which a batch of millions of samples overflows. */
const sumMax = 2 ** 64;

/** Removes a mean that was computed from an overflowed sum, and adds a note. */
function withoutOverflow(
  metrics: Map<MetricName, number>,
  { samples_per_query: samples }: Figures['extra'],
): ReaderNote[] {
  const [mean, middle] = [metrics.get('e2e_ms_mean'), metrics.get('e2e_ms_p50')];
  if (mean === undefined || middle === undefined || samples === undefined) return [];
  if (samples * middle * 1e6 < sumMax || mean > middle / 2) return [];
  metrics.delete('e2e_ms_mean');
  const message = `The mean latency is omitted: the sum of ${samples} latencies around ${Math.round(middle)} ms exceeds the 64 bits that LoadGen has for it.`;
  return [{ code: 'mean_overflown', severity: 'info', message, evidence: { mean, p50: middle, samples } }];
}

function toNotes({ rows, recommendations }: MlperfBlock): ReaderNote[] {
  const result = rows.get('result is')?.value ?? '';
  if (result === 'VALID') return [];
  const unmet = [...rows.values()].filter(({ label, value }) => /satisfied$/i.test(label) && !/^yes$/i.test(value));
  const reasons = [...unmet.map(({ label, value }) => `${label}: ${value}`), ...recommendations].slice(0, 10);
  const details = reasons.length === 0 ? '' : ` ${reasons.join('; ')}`;
  const message = `LoadGen calls the run ${result === '' ? 'neither valid nor invalid' : result}.${details}`;
  return [{ code: 'run_invalid', severity: 'warning', message, evidence: { result, reasons } }];
}

const definitions: Record<string, string> = { ttft_ms: 'schedule_to_first_token', tpot_ms: 'without_first_token' };

/**
 * Offline is one query with all samples. LoadGen times each sample from the start of that query, so a sample waits for the
 * samples before it. A query of MultiStream is timed until its last sample.
 */
const latencies: Record<MlperfScenario, string> = {
  Server: 'request',
  SingleStream: 'request',
  Offline: 'from_run_start',
  MultiStream: 'whole_batch',
};

function toDefinitions(names: readonly MetricName[], scenario: MlperfScenario): Record<string, string> {
  const all = { ...definitions, e2e_ms: latencies[scenario] };
  return Object.fromEntries(Object.entries(all).filter(([base]) => names.some((name) => name.startsWith(`${base}_`))));
}

/** The scenario of a performance run. Errors are thrown. */
function checkRun(block: MlperfBlock): MlperfScenario {
  if (!block.isSummary) {
    const message = 'This is the summary of an accuracy run, which has no speed.';
    throw unreadable(block.from, 'nothing_measured', message, 'Send the summary of the performance run.');
  }
  const [mode, named] = [block.rows.get('mode'), block.rows.get('scenario')];
  const scenario = scenarios.find((name) => name === named?.value);
  if (mode === undefined || named === undefined) {
    const message = `The summary that begins on line ${block.from} ends before its scenario and mode.`;
    throw unreadable(block.from, 'block_cut', message, 'Send the whole file.');
  }
  if (mode.value !== 'PerformanceOnly') {
    const message = `The mode of the run is ${mode.value}: only PerformanceOnly measures speed.`;
    throw unreadable(mode.line, 'nothing_measured', message);
  }
  if (scenario === undefined) {
    const message = `"${named.value.slice(0, 60)}" is not a LoadGen scenario. Scenarios: ${scenarios.join(', ')}.`;
    throw unreadable(named.line, 'value_unreadable', message);
  }
  return scenario;
}

/** The result of one summary, and the unused labels. Throws `ArtifactError`. */
export function toMlperfResult(block: MlperfBlock): { result: ParsedResult; ignored: string[] } {
  const scenario = checkRun(block);
  const faults: Fault[] = [];
  const { metrics, extra, used } = readFigures(block, faults);
  if (faults.length === 0 && metrics.size === 0) {
    const message = `The summary that begins on line ${block.from} has neither a rate nor a latency.`;
    faults.push({ code: 'block_cut', line: block.from, message, hint: 'Send the whole file.' });
  }
  if (faults.length > 0) throw new ArtifactError(faults);
  const overflown = withoutOverflow(metrics, extra);
  const reported = new Set(['scenario', 'mode', 'result is']);
  const isInferred = [...used].some((key) => key.endsWith('(inferred)'));
  const result: ParsedResult = {
    ...noResult,
    scenario: { ...noScenario, dataset: inferMlperfDataset({ ...extra, mlperf_scenario: scenario }) },
    load: toLoad(scenario, extra),
    metrics: Object.fromEntries(metrics),
    definitions: toDefinitions([...metrics.keys()], scenario),
    extra: {
      mlperf_scenario: scenario,
      mlperf_result: block.rows.get('result is')?.value ?? 'unknown',
      ...(isInferred ? { tokens_inferred: true } : {}),
      ...extra,
    },
    notes: [...toNotes(block), ...overflown],
    lines: { from: block.from, to: block.to },
  };
  const ignored = [...block.rows].filter(([key]) => !used.has(key) && !reported.has(key) && !key.endsWith('satisfied'));
  return { result, ignored: ignored.map(([, { label }]) => label) };
}

/**
 * `mlperf_log_summary.txt` of MLPerf LoadGen. Latencies are in nanoseconds from the scheduled time of a query. The file does
 * not name the model or the hardware; the folder names of a submission do.
 *
 * Written by https://github.com/mlcommons/inference/blob/master/loadgen/results.cc (`PerformanceSummary::LogSummary`).
 */
export const mlperfLoadgen: Adapter = {
  id: 'mlperf-loadgen',
  title: 'MLPerf LoadGen',
  kind: 'serving',
  recognises: 'a summary under "MLPerf Results Summary"',
  command: 'mlperf_log_summary.txt of a performance run',
  detect: (artifact) => findMlperfBlocks(artifact).map(({ from, to }) => ({ adapter: 'mlperf-loadgen', from, to })),
  read: (artifact, claim) => {
    const tool = { name: 'mlperf loadgen', version: null };
    const { found } = findAt(findMlperfBlocks(artifact), claim.from);
    if (found === null) return { tool, results: [], ignored: [], ...noRemarks };
    const { result, ignored } = toMlperfResult(found);
    return { tool, results: [result], ignored: noteIgnored(ignored), ...noRemarks };
  },
};
