import type { Fault } from '../../errors.ts';
import { addFaults } from '../errors.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import { hasAll, isObject, type JsonObject, type JsonRecord, objectOf } from '../reading/documents/json-records.ts';
import { addLatency, addMetric, noFigures, type ReportFigures, readFigure } from '../reading/figures/report-figures.ts';
import { textOf, toInstant, toModel } from './facts.ts';
import type { Generation, GuideRun } from './run.ts';
import { formatStrategy, noWorkload, toLoad, toStrategy, toWorkload } from './workload.ts';

/** Whether an item of `benchmarks` is one of version 0.2 or later. */
export function isBenchmark(value: JsonValue | undefined): boolean {
  if (!isObject(value) || !isObject(value.metrics)) return false;
  const { requests_per_second: rate, request_latency: latency } = value.metrics;
  return isObject(rate) && isObject(latency) && hasAll(rate, ['successful']) && hasAll(latency, ['successful']);
}

/** Figures of the completed requests; null if there are none, which the tool writes as zeros. */
function completed(figures: ReportFigures, metrics: JsonObject, name: string, at: string): JsonObject | null {
  const { successful } = objectOf(metrics[name]);
  if (!isObject(successful) || successful.count === 0) return null;
  if (Object.hasOwn(successful, 'mean')) return successful;
  const pointer = `${at}/metrics/${name}/successful`;
  figures.faults.push({ code: 'value_invalid', line: figures.line, pointer, message: `${pointer}: expected a mean` });
  return null;
}

const words = {
  std_dev: 'std',
  'percentiles/p75': 'p75',
  'percentiles/p90': 'p90',
  'percentiles/p95': 'p95',
  'percentiles/p99': 'p99',
  'percentiles/p999': 'p99.9',
};

/** The used statistics in one object. Percentiles are nested in the file. */
function flatten(distribution: JsonObject): JsonObject {
  const flat: JsonObject = {};
  for (const name of ['mean', 'median', 'std_dev', 'min', 'max']) flat[name] = distribution[name] ?? null;
  const percentiles = objectOf(distribution.percentiles);
  for (const name of ['p75', 'p90', 'p95', 'p99', 'p999']) flat[`percentiles/${name}`] = percentiles[name] ?? null;
  return flat;
}

const latencies = [
  ['time_to_first_token_ms', 'ttft_ms', 0],
  ['inter_token_latency_ms', 'tpot_ms', 0],
  // The only one in seconds.
  ['request_latency', 'e2e_ms', 3],
] as const;

/** For rates, only the mean is a throughput. Medians and maxima describe instants. */
const rates = [
  ['requests_per_second', 'req_s'],
  ['prompt_tokens_per_second', 'input_tok_s'],
  ['output_tokens_per_second', 'output_tok_s'],
  ['tokens_per_second', 'total_tok_s'],
] as const;

const beside = [
  ['request_concurrency', 'mean_concurrency'],
  ['time_per_output_token_ms', 'time_per_output_token_ms_mean'],
  ['time_to_first_output_token_ms', 'time_to_first_output_token_ms_mean'],
  ['output_tokens_per_iteration', 'output_tokens_per_iteration'],
] as const;

const counted = [
  ['prompt_token_count', 'input_tokens'],
  ['output_token_count', 'output_tokens'],
] as const;

const used = new Set<string>([
  'request_totals',
  ...[...latencies, ...rates, ...beside, ...counted].map(([name]) => name),
]);

function readMetrics(figures: ReportFigures, metrics: JsonObject, at: string): Record<string, number | null> {
  const means: Record<string, number | null> = {};
  for (const [name, family, places] of latencies) {
    const found = completed(figures, metrics, name, at);
    const pointer = `${at}/metrics/${name}/successful`;
    if (found !== null) addLatency(figures, family, flatten(found), { pointer, places, words });
  }
  const meanOf = (name: string) => {
    const found = completed(figures, metrics, name, at);
    return found === null ? null : readFigure(figures, found.mean, `${at}/metrics/${name}/successful/mean`);
  };
  for (const [name, metric] of rates) {
    const mean = meanOf(name);
    if (mean !== null && mean > 0) figures.metrics.set(metric, mean);
  }
  for (const [name, extra] of beside) {
    const mean = meanOf(name);
    if (mean !== null && mean > 0) figures.extra[extra] = mean;
  }
  for (const [name, metric] of counted) {
    means[name] = meanOf(name);
    const total = completed(figures, metrics, name, at)?.total_sum;
    if (means[name] !== null) addMetric(figures, metric, total, `${at}/metrics/${name}/successful/total_sum`);
  }
  for (const name of Object.keys(metrics)) if (!used.has(name)) figures.ignored.add(`metrics.${name}`);
  return means;
}

/** A name from an object, or from the text that 0.4 writes instead: `model='org/name'`. */
function modelOf(backend: JsonValue | undefined): string | null {
  if (isObject(backend)) return textOf(backend.model);
  const text = textOf(backend)?.slice(0, 2000) ?? '';
  return /model["']?\s?[:=]\s?["']([^"']{1,300})["']/.exec(text)?.[1] ?? null;
}

function firstNumber(...values: (JsonValue | undefined)[]): number | null {
  for (const value of values) if (typeof value === 'number' && Number.isFinite(value)) return value;
  return null;
}

/** Length of the measured window in seconds: stated, or computed from its start and end. */
function durationOf(item: JsonObject): number | null {
  const scheduler = objectOf(item.scheduler_metrics);
  const stated = firstNumber(item.duration);
  if (stated !== null) return stated > 0 ? Number(stated.toFixed(6)) : null;
  const from = firstNumber(scheduler.measure_start_time, item.start_time);
  const to = firstNumber(scheduler.measure_end_time, item.end_time);
  // Times have microsecond resolution.
  return from !== null && to !== null && to > from ? Number((to - from).toFixed(6)) : null;
}

const isListed = ['args', 'config', 'metrics', 'worker', 'request_loader', 'request_totals', 'duration', 'start_time'];

/** Reads one item of `benchmarks`. `report` holds the facts that all items share. */
function readBenchmark(
  item: JsonObject,
  report: JsonObject,
  at: string,
  place: { from: number; to: number },
): GuideRun {
  const figures = noFigures(place.from);
  const metrics = objectOf(item.metrics);
  const config = objectOf(item.config);
  const generation: Generation = Object.hasOwn(item, 'config') ? 'since 0.4' : 'until 0.3';
  for (const name of Object.keys(item)) if (!isListed.includes(name)) figures.ignored.add(name);
  const totals = objectOf(item.request_totals ?? metrics.request_totals);
  const totalsAt = `${at}${Object.hasOwn(item, 'request_totals') ? '' : '/metrics'}/request_totals`;
  const ok = addMetric(figures, 'requests_ok', totals.successful, `${totalsAt}/successful`);
  addMetric(figures, 'requests_failed', totals.errored, `${totalsAt}/errored`);
  const incomplete = readFigure(figures, totals.incomplete, `${totalsAt}/incomplete`);
  if (incomplete !== null) figures.extra.requests_incomplete = incomplete;
  const sent = readFigure(figures, totals.total, `${totalsAt}/total`);
  const means = readMetrics(figures, metrics, at);
  const seconds = durationOf(item);
  if (seconds !== null) figures.metrics.set('duration_s', seconds);
  const spec = objectOf(objectOf(report.config).spec);
  const args = objectOf(report.args);
  const strategy = toStrategy(config.strategy ?? objectOf(item.args).strategy);
  const data = objectOf(item.request_loader).data ?? args.data ?? spec.data ?? objectOf(config.requests).data;
  const model =
    textOf(objectOf(item.worker).backend_model) ??
    modelOf(config.backend) ??
    textOf(args.model) ??
    modelOf(spec.backend);
  return {
    ...place,
    generation,
    figures,
    strategy: strategy === null ? null : formatStrategy(strategy),
    load: strategy === null ? null : toLoad(strategy, sent === null ? null : { all: sent, cutOff: incomplete ?? 0 }),
    model: toModel(model),
    workload: data === undefined || data === null ? noWorkload : toWorkload(data),
    meanInput: means.prompt_token_count ?? null,
    meanOutput: means.output_token_count ?? null,
    isAnswered: ok !== 0 && (ok !== null || figures.metrics.has('req_s')),
    countsCutOff: false,
    measuredAt: toInstant(item.start_time ?? objectOf(item.scheduler_metrics).start_time),
  };
}

/** Reads a report of 0.2 or later and adds its errors. */
export function readGuideReport({ value, from, to, pointer }: JsonRecord, faults: Fault[]) {
  const items = Array.isArray(value.benchmarks) ? value.benchmarks : [];
  const runs: GuideRun[] = [];
  for (const [index, item] of items.entries()) {
    const at = `${pointer}/benchmarks/${index}`;
    if (!isObject(item) || !isBenchmark(item)) {
      const message = `${at}: expected a benchmark with its metrics of successful requests`;
      if (!addFaults(faults, [{ code: 'value_invalid', line: from, pointer: at, message }])) break;
      continue;
    }
    const run = readBenchmark(item, value, at, { from, to });
    if (!addFaults(faults, run.figures.faults)) break;
    runs.push(run);
  }
  return { runs, version: textOf(objectOf(value.metadata).guidellm_version) };
}
