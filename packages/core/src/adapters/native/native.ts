import type { Fault } from '../../errors.ts';
import { readSource } from '../../subjects/source.ts';
import { nearest } from '../../text/nearest.ts';
import {
  type Adapter,
  type Claim,
  noFacts,
  type ParsedResult,
  type Reading,
  type ResultKind,
  type SystemFacts,
} from '../adapter.ts';
import { ArtifactError, addFaults, maxFaults, maxHints, maxResults, tooManyResults } from '../errors.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import type { JsonDocument } from '../reading/documents/json-documents.ts';
import { toFaults } from '../reading/documents/zod-faults.ts';
import { measuredLengths } from '../reading/figures/measured-lengths.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { countBefore } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { detectedFacts, generatorFacts, generatorRemarks, multiTurnNote } from './extra.ts';
import { readLimits } from './limits.ts';
import { currentDefinitions, type Report, readDefinitions, readMetrics, reporter } from './metrics.ts';
import { readRanges } from './ranges.ts';
import { readRepeats } from './repeats.ts';
import { createRecordBudget, hasSeveralTurns, type RecordBudget, readRequests } from './requests.ts';
import { type NativeReport, type NativeResult, NativeSchema, nativeFields, ResultSchema } from './schema.ts';
import { checkLevel, toLoad, toScenario, toSystem } from './subject.ts';

const schemaName = 'inferboard/v1';

const perRun = 'Give each repetition as a result with its own requests.';

/** Hints for unknown fields of one artifact. Comparing names is slow, so only the first few get one. */
function suggester(): (path: readonly PropertyKey[], key: string) => string | undefined {
  let hints = 0;
  return (path, key) => {
    const names = nativeFields[path.filter((part) => typeof part === 'string').join('.')];
    if (names === undefined || ++hints > maxHints) return undefined;
    const meant = nearest(key, names);
    if (meant !== null) return `Did you mean "${meant}"?`;
    const [place] = Object.entries(nativeFields).find(([, fields]) => [...fields].includes(key)) ?? [];
    if (place === undefined) return `Known names: ${[...names].join(', ')}.`;
    return place === '' ? 'Write it at the top level.' : `Write it in ${place}.`;
  };
}

function toResult(
  report: NativeReport,
  system: SystemFacts,
  result: NativeResult,
  index: number,
  document: JsonDocument,
  add: Report,
  budget: RecordBudget,
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
  const requests = readRequests(result.requests, [...at, 'requests'], add, budget);
  if (requests !== null && kind !== 'serving')
    add([...at, 'requests'], 'value_invalid', `A ${kind} result has no requests.`);
  const isMultiTurn = hasSeveralTurns(result.requests);
  // The samples of several repetitions would replace figures that the requests of one repetition contradict.
  if (requests !== null && result.repeats != null)
    add(
      [...at, 'repeats'],
      'repeats_beside_requests',
      'requests and repeats cannot be combined: requests describe one repetition, repeats several.',
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
    definitions: currentDefinitions(readDefinitions(result, metrics, at, add), report.tool?.name, result),
    repeats: readRepeats(result, metrics, kind, at, add),
    requests,
    limits: readLimits(result.slo, [...at, 'slo'], add),
    ...(Object.keys(ranges).length === 0 ? {} : { ranges }),
    extra: {
      ...(result.notes == null ? {} : { notes: result.notes }),
      ...generatorFacts(result),
      ...detectedFacts(result),
      ...(result.observed == null ? {} : { observed_samples: result.observed.samples.length }),
      ...(result.simulated === true ? { simulated: true } : {}),
      ...(isMultiTurn ? { multi_turn: true } : {}),
    },
    notes: [...(isMultiTurn ? [multiTurnNote] : []), ...generatorRemarks(result)],
    ...(result.observed == null
      ? {}
      : { observed: { startedUnixMs: result.observed.started_unix_ms, samples: result.observed.samples } }),
    measuredAt: result.measured_at == null ? null : new Date(result.measured_at).toISOString(),
    ...readSource(result.source, report.source),
    lines: { from: document.from, to: document.to },
  };
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
  budget: RecordBudget;
}

/** Documents of one artifact share its limits. */
const roomOf = cachedPerArtifact(createRecordBudget);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads the parts without a schema to report their errors together with the others. */
function readBesides(item: unknown, at: readonly PropertyKey[], add: Report, budget: RecordBudget): void {
  if (!isRecord(item)) return;
  const { metrics, requests } = item;
  const kind = ResultSchema.shape.kind.safeParse(item.kind).data ?? 'serving';
  if (isRecord(metrics)) {
    const stated = readMetrics({ metrics, requests }, kind, at, add);
    if (isRecord(item.ranges)) readRanges({ ranges: item.ranges }, stated, kind, at, add);
  }
  if ('requests' in item) readRequests(item.requests, [...at, 'requests'], add, budget);
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
      readBesides(item, at, add, to.budget);
    } else if (report === null) readBesides(item, at, add, to.budget);
    else to.results.push(toResult(report, system, parsed.data, index, document, add, to.budget));
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
  const collected: Collected = { reports: [], results: [], faults: [], suggest: suggester(), budget: roomOf(artifact) };
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
