import type { MetricName } from '../../metrics/index.ts';
import type { ReaderNote, Tolerance } from '../adapter.ts';
import { isObject, type JsonObject } from '../reading/documents/json-records.ts';
import { askedLength } from '../reading/figures/measured-lengths.ts';
import { shiftDecimal } from '../reading/figures/numbers.ts';
import { loadUnknown, toServingLoad } from '../vllm/serving.ts';
import { inputOfDatasets, loadgenOfPhases, modelNames } from './phases.ts';
import { inside, namedModel, noContext, type PerfContext, severalModels, textsOf, toLimits } from './result.ts';

type Figures = ReadonlyMap<MetricName, number>;

function positive(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : null;
}

/** Shape of the arrivals by the name of their pattern: Poisson is 1. Even spacing has no number. */
function burstinessOf(pattern: unknown, smoothness: unknown): number | null {
  if (pattern === 'gamma') return positive(smoothness);
  return pattern === 'constant' ? null : 1;
}

/** How requests were sent. Recorded times and ramps do not map to a load; a mode with fixed users does. */
export function toAiperfLoad(config: JsonObject, metrics: Figures): Pick<PerfContext, 'load' | 'notes' | 'extra'> {
  const phases = loadgenOfPhases(config);
  if (typeof phases === 'string')
    return { load: null, notes: [loadUnknown({}, `${phases}: no supported load mode describes that.`)], extra: {} };
  const load = phases ?? inside(config, 'loadgen');
  const ramps = Object.keys(load).filter((name) => name.endsWith('_ramp_duration') && positive(load[name]) !== null);
  if (inside(config, 'input').fixed_schedule === true || ramps.length > 0) {
    const reason = ramps.length > 0 ? 'The load was raised while it ran' : 'Requests followed recorded times';
    return { load: null, notes: [loadUnknown({}, `${reason}: no supported load mode describes that.`)], extra: {} };
  }
  const pattern = load.arrival_pattern ?? load.request_rate_mode;
  const rate = positive(load.request_rate);
  const cap = positive(load.concurrency) ?? undefined;
  // Sessions have several turns, so the number of sessions is not the number of requests.
  const sent = positive(load.request_count) ?? 0;
  const burstiness = burstinessOf(pattern, load.arrival_smoothness);
  const isEven = rate !== null && pattern === 'constant';
  const found = toServingLoad({ rate, cap, burstiness, sent }, metrics);
  return { ...found, extra: isEven ? { arrivals: 'evenly spaced' } : {} };
}

/** GPU facts from telemetry. Some of the GPUs may have been idle, so their count is not used. */
export function toGpu(names: readonly string[]): PerfContext['system']['gpu'] {
  const [name] = names;
  const isOne = name !== undefined && names.every((other) => other === name);
  return isOne ? { value: name, origin: 'context' } : null;
}

function telemetryOf(report: JsonObject): { gpuNames: string[]; extra: Record<string, number> } {
  const gpuNames: string[] = [];
  const powers: number[] = [];
  for (const endpoint of Object.values(inside(report, 'telemetry_data', 'endpoints'))) {
    if (!isObject(endpoint)) continue;
    for (const gpu of Object.values(inside(endpoint, 'gpus'))) {
      if (!isObject(gpu)) continue;
      gpuNames.push(...textsOf(gpu.gpu_name));
      const power = inside(gpu, 'metrics', 'gpu_power_usage');
      const mean = power.unit === 'W' ? positive(power.avg) : null;
      if (mean !== null) powers.push(mean);
    }
  }
  const sum = powers.reduce((total, power) => total + power, 0);
  return {
    gpuNames,
    extra: powers.length === 0 ? {} : { telemetry_power_w: sum, telemetry_gpus: powers.length },
  };
}

const earliestNs = 1e18;
const latestNs = 4e18;

/** When the first request was sent. The report's start time does not state its time zone. */
function instantOf(report: JsonObject): string | null {
  const stated = inside(report, 'min_request_timestamp');
  const ns = typeof stated.avg === 'string' ? Number(stated.avg) : stated.avg;
  if (stated.unit !== 'ns' || typeof ns !== 'number' || !(ns > earliestNs && ns < latestNs)) return null;
  return new Date(Math.floor(shiftDecimal(ns, -6))).toISOString();
}

const local = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?$/;

/** Seconds from start to end of the run. Both must be in the same time zone; null otherwise. */
function secondsOf({ start_time: start, end_time: end }: JsonObject): number | null {
  if (typeof start !== 'string' || typeof end !== 'string' || !local.test(start) || !local.test(end)) return null;
  // Date keeps milliseconds; the remaining digits are added here.
  const micros = (text: string) =>
    Date.parse(`${text.slice(0, 19)}Z`) * 1000 + Number(`${text.slice(20)}000000`.slice(0, 6));
  const seconds = shiftDecimal(micros(end) - micros(start), -6);
  return seconds > 0 ? seconds : null;
}

/** Largest relative difference between a rate and the rate computed from its window. */
const sameWindow = 1e-4;

/**
 * Newer versions divide by the time from start to end of the run. They report the time from the first request to the last
 * response as the duration. If the rate matches the longer window, that window replaces the reported duration.
 */
export function useRateWindow(
  report: JsonObject,
  metrics: Map<MetricName, number>,
  extra: Record<string, number>,
): void {
  const [ok, rate, reported] = (['requests_ok', 'req_s', 'duration_s'] as const).map((name) => metrics.get(name));
  const seconds = secondsOf(report);
  if (ok === undefined || rate === undefined || reported === undefined || seconds === null) return;
  if (Math.abs((seconds * rate) / ok - 1) > sameWindow || Math.abs((reported * rate) / ok - 1) <= sameWindow) return;
  metrics.set('duration_s', seconds);
  extra.benchmark_duration_s = reported;
}

function errorsOf(report: JsonObject): number | null {
  const summary = report.error_summary;
  if (!Array.isArray(summary)) return null;
  return summary.reduce<number>(
    (sum, each) => sum + (isObject(each) && typeof each.count === 'number' ? each.count : 0),
    0,
  );
}

/** Failures if no metric counts them. An empty list of errors means zero failures. */
export function addFailures(report: JsonObject, metrics: Map<MetricName, number>): void {
  const errors = errorsOf(report);
  if (!metrics.has('requests_failed') && errors !== null) metrics.set('requests_failed', errors);
}

/**
 * A conversation may spawn others that run in parallel, so more requests are in flight than the load states. Undefined if no
 * conversation did.
 */
export function branchTolerance(report: JsonObject): Tolerance | undefined {
  const spawned = positive(inside(report, 'branch_stats').children_spawned);
  if (spawned === null) return undefined;
  return {
    share: 1,
    reason: `Conversations spawned ${spawned} others, whose requests are not counted in the concurrency.`,
  };
}

const cancelled: ReaderNote = {
  code: 'run_cancelled',
  severity: 'warning',
  message: 'The run was cancelled: its figures cover only the finished part.',
  evidence: { was_cancelled: true },
};

/** Requested lengths. They are also defaults if the prompts came from another source. */
function askedOf(input: JsonObject): PerfContext['asked'] {
  const isMadeUp = input.public_dataset == null && input.file == null;
  const length = (name: string) => {
    const { mean, stddev } = inside(input, 'prompt', name);
    return isMadeUp ? askedLength(positive(mean), positive(stddev) !== null) : null;
  };
  return { inputTokens: length('input_tokens'), outputTokens: length('output_tokens') };
}

/** Facts of an AIPerf report outside its figures. Addresses, paths and the command line are not read. */
export function toAiperfContext(report: JsonObject, metrics: Figures): PerfContext {
  const config = inside(report, 'input_config');
  const models = modelNames(config);
  const input = inputOfDatasets(config) ?? inside(config, 'input');
  const dataset = textsOf(input.public_dataset)[0] ?? null;
  const { load, notes, extra } = toAiperfLoad(config, metrics);
  const telemetry = telemetryOf(report);
  const scenario = textsOf(config.scenario)[0];
  return {
    ...noContext(),
    system: { ...noContext().system, ...namedModel(models, 'stated'), gpu: toGpu(telemetry.gpuNames) },
    load,
    dataset: dataset === null ? null : { value: dataset, origin: 'stated' },
    asked: askedOf(input),
    limits: toLimits(config.goodput, input.goodput, inside(config, 'loadgen').goodput, inside(config, 'slos')),
    extra: { ...extra, ...telemetry.extra, ...(scenario === undefined ? {} : { tool_scenario: scenario }) },
    notes: [...notes, ...severalModels(models), ...(report.was_cancelled === true ? [cancelled] : [])],
    measuredAt: instantOf(report),
  };
}
