import { closest } from 'fastest-levenshtein';
import type { Fault } from '../../errors.ts';
import { type Load, offlineLoad } from '../../subjects/load.ts';
import { readSource } from '../../subjects/source.ts';
import {
  type Adapter,
  type Claim,
  type Fact,
  noFacts,
  noScenario,
  type ParsedResult,
  type Reading,
  type ResultKind,
  type ScenarioFacts,
  type SystemFacts,
} from '../adapter.ts';
import { ArtifactError, addFaults, maxFaults, maxHints, maxResults, tooManyResults } from '../errors.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import type { JsonDocument } from '../reading/documents/json-documents.ts';
import { toFaults } from '../reading/documents/zod-faults.ts';
import { measuredLengths } from '../reading/figures/measured-lengths.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { countBefore } from '../reading/text/by-line.ts';
import { remembered } from '../reading/text/remembered.ts';
import { readLimits } from './limits.ts';
import { type Report, readDefinitions, readMetrics, reporter } from './metrics.ts';
import { readRanges } from './ranges.ts';
import { readRepeats } from './repeats.ts';
import { createRoom, type Room, readRequests } from './requests.ts';
import {
  type NativeReport,
  type NativeResult,
  type NativeScenario,
  NativeSchema,
  nativeFields,
  ResultSchema,
} from './schema.ts';

const schemaName = 'inferboard/v1';

const perRun = 'Give each repetition as a result with its own requests.';

function stated<T>(value: T | null | undefined): Fact<T> | null {
  return value === null || value === undefined ? null : { value, origin: 'stated' };
}

/** Hints for unknown fields of one artifact. Comparing names is slow, so only the first few get one. */
function suggester(): (path: readonly PropertyKey[], key: string) => string | undefined {
  let hints = 0;
  return (path, key) => {
    const names = nativeFields[path.filter((part) => typeof part === 'string').join('.')];
    if (names === undefined || ++hints > maxHints) return undefined;
    return `Did you mean "${closest(key.slice(0, 100), [...names])}"?`;
  };
}

function toSystem(report: NativeReport): SystemFacts {
  const system = report.system ?? {};
  const { tensor, pipeline, data, expert } = system.parallelism ?? {};
  const parallelism = Object.entries({ tensor, pipeline, data, expert }).filter(([, width]) => width != null);
  return {
    ...noFacts,
    model: stated(system.model),
    quantization: stated(system.quantization),
    gpu: stated(system.gpu),
    gpuCount: stated(system.gpu_count),
    gpuPowerLimitW: stated(system.gpu_power_limit_w),
    engine: stated(system.engine?.name),
    engineVersion: stated(system.engine?.version),
    parallelism: Object.fromEntries(parallelism),
    features: { ...system.features, ...((system.nodes ?? 1) > 1 ? { nodes: system.nodes ?? 1 } : {}) },
  };
}

/** A result's scenario overrides the document's, field by field. */
function toScenario(general: NativeScenario | null | undefined, own: NativeScenario | null | undefined): ScenarioFacts {
  const given = Object.entries(own ?? {}).filter(([, value]) => value != null);
  const scenario: NativeScenario = { ...general, ...Object.fromEntries(given) };
  const { kernel, quality } = scenario;
  return {
    ...noScenario,
    name: stated(scenario.name),
    inputTokens: stated(scenario.input_tokens),
    outputTokens: stated(scenario.output_tokens),
    dataset: stated(scenario.dataset),
    depth: scenario.depth ?? null,
    kernel:
      kernel == null
        ? null
        : {
            operation: kernel.operation,
            case: kernel.case,
            shape: kernel.shape ?? null,
            sparsity: kernel.sparsity ?? null,
          },
    ...(quality == null
      ? {}
      : {
          quality: {
            task: quality.task,
            metric: quality.metric,
            variant: quality.variant ?? null,
            fewShot: quality.few_shot ?? null,
            context: quality.context ?? null,
          },
        }),
  };
}

function toLoad(load: NativeResult['load']): Load | null {
  if (load == null) return null;
  if (load.mode === 'unspecified' || load.level == null) return load.regime === 'offline' ? offlineLoad : null;
  const { mode, level, burstiness, max_concurrency: maxConcurrency } = load;
  return {
    mode,
    level,
    ...(burstiness == null ? {} : { burstiness }),
    ...(maxConcurrency == null ? {} : { maxConcurrency }),
    ...(load.regime == null ? {} : { regime: load.regime }),
  };
}

function checkLevel(load: NativeResult['load'], at: readonly PropertyKey[], add: Report): void {
  if (load == null) return;
  const { mode, level } = load;
  if (mode === 'unspecified') {
    if (level != null) add(at, 'value_invalid', 'A load that is unspecified has no level.');
  } else if (level == null) add(at, 'field_missing', `The mode "${mode}" needs a level.`);
  else if (mode !== 'rate' && !Number.isSafeInteger(level))
    add(at, 'value_invalid', `The level of the mode "${mode}" is a whole number.`);
}

function toResult(
  report: NativeReport,
  system: SystemFacts,
  result: NativeResult,
  index: number,
  document: JsonDocument,
  add: Report,
  room: Room,
): ParsedResult {
  const at = ['results', index];
  const kind: ResultKind = result.kind ?? 'serving';
  const metrics = readMetrics(result, kind, at, add);
  const ranges = readRanges(result, metrics, kind, at, add);
  const scenario = toScenario(report.scenario, result.scenario);
  if (kind === 'serving' && result.load == null)
    add([...at, 'load'], 'field_missing', 'A serving result needs a load: {"mode": ..., "level": ...}.');
  checkLevel(result.load, [...at, 'load', 'level'], add);
  if (kind === 'kernel' && scenario.kernel === null)
    add(
      [...at, 'scenario', 'kernel'],
      'field_missing',
      'A kernel result needs scenario.kernel: {"operation": ..., "case": ...}.',
    );
  if (kind === 'quality' && scenario.quality === undefined)
    add(
      [...at, 'scenario', 'quality'],
      'field_missing',
      'An evaluation needs scenario.quality: {"task": ..., "metric": ...}.',
    );
  const requests = readRequests(result.requests, [...at, 'requests'], add, room);
  if (requests !== null && kind !== 'serving')
    add([...at, 'requests'], 'value_invalid', `A ${kind} result has no requests.`);
  // The samples of several repetitions would replace figures that the requests of one repetition contradict.
  if (requests !== null && result.repeats != null)
    add(
      [...at, 'repeats'],
      'repeats_beside_requests',
      'Requests belong to one repetition, repeats to several.',
      perRun,
    );
  return {
    kind,
    system,
    scenario: {
      ...scenario,
      ...measuredLengths(result.measured_lengths?.input_tokens ?? null, result.measured_lengths?.output_tokens ?? null),
    },
    load: toLoad(result.load),
    repetition: result.repetition ?? null,
    metrics,
    definitions: readDefinitions(result, metrics, at, add),
    repeats: readRepeats(result, metrics, kind, at, add),
    requests,
    limits: readLimits(result.slo, [...at, 'slo'], add),
    ...(Object.keys(ranges).length === 0 ? {} : { ranges }),
    extra: {
      ...(result.notes == null ? {} : { notes: result.notes }),
      ...generatorFacts(result),
      ...detectedFacts(result),
      ...(result.simulated === true ? { simulated: true } : {}),
    },
    notes: [],
    measuredAt: result.measured_at == null ? null : new Date(result.measured_at).toISOString(),
    ...readSource(result.source, report.source),
    lines: { from: document.from, to: document.to },
  };
}

/** Facts about the load generator, for the corresponding check. */
function generatorFacts({ generator }: NativeResult): Record<string, string | number> {
  if (generator == null) return {};
  const { late_ms_p99: late, dropped, limited, session, cut_short: cut, prompts, traffic } = generator;
  return {
    ...(late == null ? {} : { generator_late_ms_p99: late }),
    ...(dropped == null ? {} : { generator_dropped: dropped }),
    ...(limited == null ? {} : { generator_limited: limited.join('; ') }),
    ...(prompts == null
      ? {}
      : {
          prompts_seed: prompts.seed,
          prompts_salt: prompts.salt,
          prompts_bodies_sha256: prompts.bodies_sha256,
        }),
    ...(traffic == null ? {} : { traffic_seed: traffic.seed, traffic_bodies_sha256: traffic.bodies_sha256 }),
    ...(session == null ? {} : { session: session.id, session_server: session.server }),
    ...(cut == null ? {} : { cut_short: cut.reason, requests_planned: cut.planned_requests }),
  };
}

/** What the load generator read from the server and its machine, by names that begin with `detected_`. */
function detectedFacts({ detected }: NativeResult): Record<string, string | number> {
  const facts = Object.entries(detected ?? {}).filter((entry): entry is [string, string | number] => entry[1] != null);
  return Object.fromEntries(facts.map(([fact, value]) => [`detected_${fact}`, value]));
}

function isNative(value: JsonValue): value is { [key: string]: JsonValue } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return typeof value.schema === 'string' && value.schema.startsWith('inferboard/');
}

/** The documents that begin on a line. A line may contain several. */
function findDocuments(artifact: ArtifactText, line: number): JsonDocument[] {
  const { documents } = artifact.json;
  const found: JsonDocument[] = [];
  for (let index = countBefore(documents, line); documents[index]?.from === line; index++) {
    const document = documents[index];
    if (document !== undefined && isNative(document.value)) found.push(document);
  }
  return found;
}

/** The documents read so far, and all their errors. */
interface Collected {
  reports: NativeReport[];
  results: ParsedResult[];
  faults: Fault[];
  suggest: ReturnType<typeof suggester>;
  room: Room;
}

/** Documents of one artifact share its limits. */
const roomOf = remembered(createRoom);

/** Reads the parts without a schema to report their errors together with the others. */
function readBesides(item: unknown, at: readonly PropertyKey[], add: Report, room: Room): void {
  if (typeof item !== 'object' || item === null) return;
  if ('requests' in item) readRequests(item.requests, [...at, 'requests'], add, room);
  if ('slo' in item) readLimits(item.slo, [...at, 'slo'], add);
}

function readResults(value: readonly unknown[], report: NativeReport | null, document: JsonDocument, to: Collected) {
  const { from } = document;
  const add = reporter(to.faults, from);
  const system = report === null ? noFacts : toSystem(report);
  for (const [index, item] of value.entries()) {
    if (to.faults.length >= maxFaults) return;
    const at = ['results', index];
    const parsed = ResultSchema.safeParse(item);
    if (!parsed.success) {
      addFaults(to.faults, toFaults(parsed.error, from, at, to.suggest));
      readBesides(item, at, add, to.room);
    } else if (report !== null) to.results.push(toResult(report, system, parsed.data, index, document, add, to.room));
  }
}

function readDocument(document: JsonDocument, to: Collected): void {
  const { value, from } = document;
  if (!isNative(value)) return;
  if (value.schema !== schemaName) {
    const found = JSON.stringify(String(value.schema).slice(0, 40));
    const message = `The schema is ${found}; "${schemaName}" is supported.`;
    addFaults(to.faults, [{ code: 'schema_unknown', line: from, pointer: '/schema', message }]);
    return;
  }
  const items = Array.isArray(value.results) ? value.results : [];
  if (items.length + to.results.length > maxResults) throw tooManyResults(from, '/results');
  const parsed = NativeSchema.safeParse(value);
  if (!parsed.success) addFaults(to.faults, toFaults(parsed.error, from, [], to.suggest));
  else to.reports.push(parsed.data);
  readResults(items, parsed.data ?? null, document, to);
}

/** Reads documents of the native format, from JSON or a table. Throws `ArtifactError` with all errors. */
export function readNativeDocuments(artifact: ArtifactText, documents: readonly JsonDocument[]): Reading {
  const collected: Collected = { reports: [], results: [], faults: [], suggest: suggester(), room: roomOf(artifact) };
  for (const document of documents) {
    if (collected.faults.length >= maxFaults) break;
    readDocument(document, collected);
  }
  const { reports, results, faults } = collected;
  if (faults.length > 0) throw new ArtifactError(faults);
  const [tool] = reports.map((report) => report.tool);
  return {
    tool: { name: tool?.name ?? 'native', version: tool?.version ?? null },
    results,
    ignored: [],
    notes: reports.find((report) => report.notes != null)?.notes ?? null,
    sourceUrl: reports.find((report) => report.source_url != null)?.source_url ?? null,
  };
}

/**
 * Inferboard's own JSON format, for figures that are in no tool's file: one system, one scenario, any number of results
 * whose metrics have the registry's names. The format is strict: unknown fields and metrics are rejected with the closest
 * known name.
 */
export const native: Adapter = {
  id: 'native',
  title: 'Inferboard native',
  kind: 'serving',
  recognises: `a JSON object with "schema": "${schemaName}"`,
  command: `echo '{"schema": "${schemaName}", "system": {...}, "scenario": {...}, "results": [...]}'`,
  detect: (artifact) => {
    const claims = new Map<number, Claim>();
    for (const { value, from, to } of artifact.json.documents)
      if (isNative(value)) claims.set(from, { adapter: 'native', from, to });
    return [...claims.values()];
  },
  read: (artifact, claim) => readNativeDocuments(artifact, findDocuments(artifact, claim.from)),
};
