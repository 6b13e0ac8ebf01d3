import { unreadable } from '../errors.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import { hasAny, isObject, type JsonObject } from '../reading/documents/json-records.ts';
import type { Statistic } from './figures.ts';
import { inside } from './result.ts';

const isStatistic = (value: JsonValue | undefined): value is JsonObject =>
  isObject(value) && Object.hasOwn(value, 'unit') && Object.hasOwn(value, 'avg');

const marks = ['time_to_first_token', 'request_latency', 'request_throughput'];

/** Means over repeated runs with their confidence, which contain no single run. */
const isAggregate = (value: JsonObject) =>
  isObject(value.metrics) && Object.hasOwn(inside(value, 'metadata'), 'aggregation_type');

/** The program that wrote an object. The two programs share their keys; only AIPerf records a `loadgen` and its own version. */
export function reportLikeness(value: JsonObject): 'aiperf' | 'genai-perf' | null {
  if (isAggregate(value)) return 'aiperf';
  if (!isObject(value.input_config)) return isWithoutConfig(value) ? 'aiperf' : null;
  const config = value.input_config;
  const isFirst = isObject(value.records) && Object.values(value.records).some(isStatistic);
  if (!isFirst && !marks.some((name) => isStatistic(value[name])) && !isFailed(value)) return null;
  const command = typeof config.cli_command === 'string' ? config.cli_command : '';
  const isNew =
    isFirst ||
    hasAny(value, ['aiperf_version']) ||
    hasAny(config, ['loadgen', 'phases']) ||
    /^\S*aiperf /.test(command);
  return isNew ? 'aiperf' : 'genai-perf';
}

/** A report from which a user removed the configuration. Only AIPerf computes the first percentile. */
function isWithoutConfig(value: JsonObject): boolean {
  const { request_latency: latency, request_throughput: rate } = value;
  return isStatistic(rate) && isStatistic(latency) && (hasAny(value, ['aiperf_version']) || hasAny(latency, ['p1']));
}

/** A run without any response has errors and no latency. */
const isFailed = (value: JsonObject) => Array.isArray(value.error_summary) && isStatistic(value.error_request_count);

/** Throws `ArtifactError` for other files that the program writes with the report of a run. */
export function refuseForeign(value: JsonObject, line: number): void {
  if (!isAggregate(value)) return;
  const message = `The report on line ${line} summarizes several runs of aiperf, which is not supported yet.`;
  throw unreadable(line, 'tool_unsupported', message, 'Send profile_export_aiperf.json of each run.');
}

const notFigures = new Set([
  'input_config',
  'records',
  'was_cancelled',
  'error_summary',
  'start_time',
  'end_time',
  'aiperf_version',
  'telemetry_data',
  'schema_version',
  'benchmark_id',
  'run_info',
]);

/** Every quantity of a report, from its top level or, in AIPerf's first weeks, from `records`. */
export function readStatistics(value: JsonObject, line: number): { statistics: Statistic[]; ignored: string[] } {
  const statistics: Statistic[] = [];
  const ignored: string[] = [];
  for (const [tag, found] of [...Object.entries(value), ...Object.entries(inside(value, 'records'))]) {
    if (notFigures.has(tag) || found === null) continue;
    if (!isStatistic(found)) {
      ignored.push(tag);
      continue;
    }
    const unit = typeof found.unit === 'string' ? found.unit : null;
    statistics.push({ tag, unit, values: found, line, name: tag });
  }
  return { statistics, ignored };
}
