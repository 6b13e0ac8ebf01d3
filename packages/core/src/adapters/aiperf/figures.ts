import type { MetricName } from '../../metrics/index.ts';
import { ArtifactError } from '../errors.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import type { JsonObject } from '../reading/documents/json-records.ts';
import { latencyName } from '../reading/figures/latency-name.ts';
import { shiftDecimal } from '../reading/figures/numbers.ts';
import { addLatency, addMetric, noFigures, type ReportFigures, readFigure } from '../reading/figures/report-figures.ts';

// GenAI-Perf and its successor AIPerf write the same quantities in the same three layouts.

/** One measured quantity in a report, a table or a box. */
export interface Statistic {
  /** Name in JSON: `time_to_first_token`. */
  tag: string;
  /** As written; null if the layout has no unit. */
  unit: string | null;
  /** By statistic: `avg`, `p99`, `std` ... */
  values: JsonObject;
  line: number;
  /** Its label in the artifact, for error messages. */
  name: string;
}

const latencies = new Map([
  ['time_to_first_token', 'ttft_ms'],
  // The name used in AIPerf's first weeks.
  ['ttft', 'ttft_ms'],
  // One mean per request, (e2e - ttft) / (n - 1): a time per output token, despite its name.
  ['inter_token_latency', 'tpot_ms'],
  ['inter_chunk_latency', 'itl_ms'],
  ['request_latency', 'e2e_ms'],
] as const);

const rates = new Map<string, MetricName>([
  ['request_throughput', 'req_s'],
  ['output_token_throughput', 'output_tok_s'],
  ['total_token_throughput', 'total_tok_s'],
  ['output_token_throughput_per_user', 'user_tok_s'],
  ['request_goodput', 'goodput_req_s'],
  ['goodput', 'goodput_req_s'],
]);

const counts = new Map<string, MetricName>([
  ['request_count', 'requests_ok'],
  ['error_request_count', 'requests_failed'],
  ['total_isl', 'input_tokens'],
  ['total_input_sequence_length', 'input_tokens'],
  ['total_osl', 'output_tokens'],
  ['total_output_sequence_length', 'output_tokens'],
]);

/** Stored in addition to the metrics, by their means. */
const beside = new Map([
  ['time_to_second_token', 'time_to_second_token_ms'],
  ['time_to_first_output_token', 'time_to_first_output_token_ms'],
]);

const kept = new Set(['avg', 'min', 'max', 'std', 'p50', 'p75', 'p90', 'p95', 'p99']);
const words = { avg: 'mean' };
const places: Record<string, number> = { s: 3, sec: 3, seconds: 3, ms: 0, us: -3, ns: -6 };
const rateUnit = /^(?:(?:tokens|requests)\/s(?:ec)?(?:\/user)?|per sec)$/;

/** Names of GenAI-Perf in mid-2024. */
const olderTags = new Map([
  ['num_input_token', 'input_sequence_length'],
  ['num_output_token', 'output_sequence_length'],
]);

/** "Time To First Token (ms)" as its tag and its unit. */
export function parseLabel(label: string): { tag: string; unit: string | null } {
  const found = /^(.{0,200}?)(?:\s*\(([^()]{1,40})\))?\s*$/.exec(label.trim());
  const words = (found?.[1] ?? '').toLowerCase().replace(/[^a-z0-9]+/g, '_');
  const tag = words.replace(/^_|_$/g, '');
  return { tag: olderTags.get(tag) ?? tag, unit: found?.[2] ?? null };
}

function refuseUnit(figures: ReportFigures, { name, unit, line }: Statistic): void {
  const shownUnit = unit === null ? 'no unit' : `the unit "${unit.slice(0, 40)}"`;
  const message = `"${name}" has ${shownUnit}, which is not supported.`;
  figures.faults.push({ code: 'unit_unknown', line, message });
}

/** The stored statistics, in ms. */
function toMs({ values }: Statistic, shift: number): JsonObject {
  const kinds = Object.entries(values).filter(([key]) => kept.has(key));
  const scaled = (value: JsonValue) => (typeof value === 'number' && shift !== 0 ? shiftDecimal(value, shift) : value);
  return Object.fromEntries(kinds.map(([key, value]) => [key, scaled(value)]));
}

/** Tables of configurations give a percentile without a mean. */
function addTail(figures: ReportFigures, family: string, values: JsonObject): void {
  if (Object.hasOwn(values, 'avg') || Object.hasOwn(values, 'p50')) return;
  for (const [key, value] of Object.entries(values)) {
    const name = latencyName(family, key);
    if (name.kind === 'metric' && typeof value === 'number' && value > 0) figures.metrics.set(name.name, value);
  }
}

function addTime(figures: ReportFigures, statistic: Statistic): void {
  const shift = Object.hasOwn(places, statistic.unit ?? '') ? places[statistic.unit ?? ''] : undefined;
  if (shift === undefined) {
    refuseUnit(figures, statistic);
    return;
  }
  const family = latencies.get(statistic.tag as 'request_latency'); // the caller checked the tag, or it is an extra
  const values = toMs(statistic, shift);
  const besideName = beside.get(statistic.tag);
  if (family !== undefined && !addLatency(figures, family, values, { pointer: statistic.name, places: 0, words }))
    addTail(figures, family, values);
  if (besideName === undefined) return;
  const mean = readFigure(figures, values.avg, statistic.name);
  if (mean !== null) figures.extra[besideName] = mean;
}

function addRate(figures: ReportFigures, statistic: Statistic, metric: MetricName): void {
  if (!rateUnit.test(statistic.unit ?? '')) {
    refuseUnit(figures, statistic);
    return;
  }
  const rate = readFigure(figures, statistic.values.avg, statistic.name);
  // Rounded to zero, or no request was answered. A goodput of 0 is a measurement.
  if (rate !== null && (rate > 0 || metric === 'goodput_req_s')) figures.metrics.set(metric, rate);
}

/** Figures of a run and the mean lengths of its requests, in tokens. */
export interface PerfFigures {
  figures: ReportFigures;
  meanInput: number | null;
  meanOutput: number | null;
}

/**
 * Sorts the quantities of one run by kind, according to their units. `line` is the first line of the run (1-based). Errors
 * are added to `figures.faults`.
 */
export function toPerfFigures(statistics: readonly Statistic[], line: number): PerfFigures {
  const figures = noFigures(line);
  const found: PerfFigures = { figures, meanInput: null, meanOutput: null };
  const seen = new Set<string>();
  for (const statistic of statistics) {
    const { tag, name } = statistic;
    figures.line = statistic.line;
    const rate = rates.get(tag);
    const count = counts.get(tag);
    if (seen.has(tag)) {
      const message = `"${name.slice(0, 80)}" is given twice.`;
      figures.faults.push({ code: 'value_repeated', line: statistic.line, message });
    }
    seen.add(tag);
    if (latencies.has(tag as 'ttft') || beside.has(tag)) addTime(figures, statistic);
    else if (rate !== undefined) addRate(figures, statistic, rate);
    else if (count !== undefined) addMetric(figures, count, statistic.values.avg, name);
    else if (tag === 'benchmark_duration') {
      const shift = places[statistic.unit ?? ''];
      const duration = readFigure(figures, statistic.values.avg, name);
      if (shift === undefined) refuseUnit(figures, statistic);
      else if (duration !== null && duration > 0) figures.metrics.set('duration_s', shiftDecimal(duration, shift - 3));
    } else if (tag === 'input_sequence_length') found.meanInput = readFigure(figures, statistic.values.avg, name);
    else if (tag === 'output_sequence_length') found.meanOutput = readFigure(figures, statistic.values.avg, name);
    else figures.ignored.add(name);
  }
  figures.line = line;
  return found;
}

/** Moves a time per token to the gaps, as the tool names it. Old versions do not state its formula. */
export function toStatedGaps({ metrics, extra }: ReportFigures): void {
  for (const [name, value] of [...metrics]) {
    if (!name.startsWith('tpot_ms_')) continue;
    metrics.delete(name);
    const gap = latencyName('itl_ms', name.slice('tpot_ms_'.length));
    if (gap.kind === 'metric') metrics.set(gap.name, value);
  }
  const p75 = extra.tpot_ms_p75;
  delete extra.tpot_ms_p75;
  if (p75 !== undefined) extra.itl_ms_p75 = p75;
}

/** Throws `ArtifactError` with the errors of a run, or if the run has no measurements. */
export function checkFigures({ faults, metrics, line }: ReportFigures): void {
  if (faults.length > 0) throw new ArtifactError(faults);
  const isMeasured = [...metrics.keys()].some((name) => /_(?:mean|p\d+|tok_s|s)$/.test(name) && name !== 'duration_s');
  if (metrics.get('requests_ok') !== 0 && isMeasured) return;
  const failed = metrics.get('requests_failed');
  const failures = failed === undefined || failed === 0 ? '' : ` All ${failed} requests failed.`;
  const message = `The run that begins on line ${line} has no rate and no latency: nothing was measured.${failures}`;
  throw new ArtifactError([{ code: 'nothing_measured', line, message }]);
}
