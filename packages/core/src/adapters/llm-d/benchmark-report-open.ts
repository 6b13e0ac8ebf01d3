import { ArtifactError } from '../errors.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import { isObject, type JsonObject, type JsonRecord, objectOf } from '../reading/documents/json-records.ts';
import { noFigures, type ReportFigures, readFigure } from '../reading/figures/report-figures.ts';
import type { FigureSections } from './benchmark-report-figures.ts';
import { type ReportedLoad, readNativeLoad, readStandardLoad } from './benchmark-report-load.ts';
import { enginesOfHost, enginesOfStack, type NamedFacts, type ReportedEngine } from './benchmark-report-system.ts';
import { toDurationS, toInstant } from './benchmark-report-time.ts';

/** Parts of a report that contain measurements since 0.2. */
const measured = ['request_performance', 'session_performance', 'observability'];

function isSince02(value: JsonObject): boolean {
  return (
    isObject(value.results) &&
    isObject(value.run) &&
    measured.some((name) => Object.hasOwn(objectOf(value.results), name))
  );
}

function isUntil01(value: JsonObject): boolean {
  const { metrics, scenario } = value;
  return isObject(scenario) && isObject(metrics) && isObject(metrics.requests) && isObject(metrics.throughput);
}

/** Quotes around the version may be missing in reports edited by hand. */
const versionOf = ({ version }: JsonObject) => (typeof version === 'number' ? String(version) : version);

/** Whether an object is a report of any version. */
export function isReport(value: JsonObject): boolean {
  return Object.hasOwn(value, 'version') && (isSince02(value) || isUntil01(value));
}

/** A report with its parts in the same place for all versions. */
export interface Report {
  figures: ReportFigures;
  sections: FigureSections;
  load: ReportedLoad;
  engines: ReportedEngine[];
  named: NamedFacts;
  /** Media types in the requests, in addition to text. */
  media: string[];
  measuredAt: string | null;
}

/** Converters that state the time of the measurement itself. The others state the time of the whole program. */
const timed = new Set(['guidellm', 'inferencemax']);
const timedUntil01 = new Set(['guidellm', 'inferencemax', 'vllm-benchmark', 'aiperf']);

function addDuration(figures: ReportFigures, seconds: number | null, isOfMeasurement: boolean): void {
  if (seconds === null || seconds === 0) return;
  if (isOfMeasurement) figures.metrics.set('duration_s', seconds);
  else figures.extra.program_duration_s = seconds;
}

function ignoreAll(
  figures: ReportFigures,
  prefix: string,
  value: JsonValue | undefined,
  used: readonly string[],
): void {
  for (const name of Object.keys(objectOf(value))) if (!used.includes(name)) figures.ignored.add(`${prefix}${name}`);
}

function openSince02(value: JsonObject, figures: ReportFigures, version: string): Report {
  const { stack, load: stated } = objectOf(value.scenario);
  const load = readStandardLoad(objectOf(stated));
  const time = objectOf(objectOf(value.run).time);
  const aggregate = objectOf(objectOf(objectOf(value.results).request_performance).aggregate);
  ignoreAll(figures, '', value, ['version', 'run', 'scenario', 'results']);
  ignoreAll(figures, 'run.', value.run, ['time']);
  ignoreAll(figures, 'results.', value.results, ['request_performance']);
  ignoreAll(figures, 'request_performance.', objectOf(value.results).request_performance, ['aggregate']);
  addDuration(figures, toDurationS(time.duration), load.harness !== null && timed.has(load.harness));
  return {
    figures,
    sections: {
      requests: objectOf(aggregate.requests),
      latency: objectOf(aggregate.latency),
      throughput: objectOf(aggregate.throughput),
      pointer: '/results/request_performance/aggregate',
      harness: load.harness,
      version,
    },
    load,
    engines: enginesOfStack(stack),
    named: { model: null, quantization: null, adapters: 0 },
    media: Object.keys(objectOf(objectOf(aggregate.requests).multimodal)).slice(0, 10),
    measuredAt: toInstant(time.start) ?? toInstant(time.end),
  };
}

/** The lists of a report 0.1 describe the same engines in parallel. */
function checkLengths(figures: ReportFigures, host: JsonObject, platform: JsonObject): void {
  const lists = { 'host/type': host.type, 'host/accelerator': host.accelerator, 'platform/engine': platform.engine };
  const lengths = Object.entries(lists).flatMap(([name, list]) =>
    Array.isArray(list) && list.length > 0 ? [{ name, length: list.length }] : [],
  );
  const [first, ...others] = lengths;
  for (const { name, length } of others) {
    if (first === undefined || length === first.length) continue;
    const pointer = `/scenario/${name}`;
    const message = `${pointer}: ${length} items, but /scenario/${first.name} has ${first.length}.`;
    figures.faults.push({ code: 'lists_unequal', line: figures.line, pointer, message });
  }
}

/** Requests of a report 0.1. vLLM's converters counted the answered ones; the arguments state the requested number. */
function countedUntil01(requests: JsonObject, load: JsonObject): JsonObject {
  const { total, failures } = requests;
  const { num_prompts: asked } = objectOf(load.args);
  const isKnown = typeof asked === 'number' && typeof total === 'number' && asked >= total && failures === undefined;
  return isKnown ? { ...requests, total: asked, failures: asked - total } : requests;
}

function openUntil01(value: JsonObject, figures: ReportFigures): Report {
  const scenario = objectOf(value.scenario);
  const metrics = objectOf(value.metrics);
  const host = objectOf(scenario.host);
  const platform = objectOf(scenario.platform);
  const model = objectOf(scenario.model);
  const load = readNativeLoad(objectOf(scenario.load));
  const name = typeof model.name === 'string' ? model.name : null;
  ignoreAll(figures, '', value, ['version', 'scenario', 'metrics']);
  ignoreAll(figures, 'scenario.', value.scenario, ['host', 'platform', 'model', 'load']);
  ignoreAll(figures, 'metrics.', metrics, ['time', 'requests', 'latency', 'throughput']);
  ignoreAll(figures, 'model.', model, ['name', 'quantization', 'adapters']);
  checkLengths(figures, host, platform);
  const seconds = readFigure(figures, objectOf(metrics.time).duration, '/metrics/time/duration');
  addDuration(figures, seconds, load.harness !== null && timedUntil01.has(load.harness));
  return {
    figures,
    sections: {
      requests: countedUntil01(objectOf(metrics.requests), objectOf(scenario.load)),
      latency: objectOf(metrics.latency),
      throughput: objectOf(metrics.throughput),
      pointer: '/metrics',
      harness: load.harness,
      version: '0.1',
    },
    load,
    engines: enginesOfHost(host, platform, name),
    named: {
      model: name,
      quantization: typeof model.quantization === 'string' ? model.quantization : null,
      adapters: Array.isArray(model.adapters) ? model.adapters.length : 0,
    },
    media: [],
    measuredAt: toInstant(objectOf(metrics.time).start),
  };
}

/** Opens a report. Throws `ArtifactError` for an unsupported version. */
export function openReport({ value, from }: JsonRecord): Report {
  const figures = noFigures(from);
  const version = versionOf(value);
  if (isSince02(value) && (version === '0.2' || version === '0.2.1')) return openSince02(value, figures, version);
  if (isUntil01(value) && version === '0.1') return openUntil01(value, figures);
  const found = JSON.stringify(version ?? null).slice(0, 40);
  const message = `/version: versions 0.1, 0.2 and 0.2.1 are supported, found ${found}.`;
  throw new ArtifactError([{ code: 'schema_unknown', line: from, pointer: '/version', message }]);
}
