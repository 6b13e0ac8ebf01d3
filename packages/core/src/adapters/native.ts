import { closest } from 'fastest-levenshtein';
import type { Fault } from '../errors.ts';
import type { KnownLoad } from '../load.ts';
import {
  type Adapter,
  type Claim,
  type Fact,
  noFacts,
  noScenario,
  type ParsedResult,
  type ResultKind,
  type ScenarioFacts,
  type SystemFacts,
} from './adapter.ts';
import { ArtifactError } from './errors.ts';
import { readDefinitions, readMetrics, readRepeats, reporter } from './native-metrics.ts';
import {
  type NativeReport,
  type NativeResult,
  type NativeScenario,
  NativeSchema,
  nativeFields,
} from './native-schema.ts';
import type { ArtifactText } from './reading/artifact-text.ts';
import { countBefore } from './reading/by-line.ts';
import type { JsonValue } from './reading/json.ts';
import type { JsonDocument } from './reading/json-documents.ts';
import { toFaults, toPointer } from './reading/zod-faults.ts';

const schemaName = 'inferboard/v1';

function stated<T>(value: T | null | undefined): Fact<T> | null {
  return value === null || value === undefined ? null : { value, origin: 'stated' };
}

function suggest(path: readonly PropertyKey[], key: string): string | undefined {
  const names = nativeFields[path.filter((part) => typeof part === 'string').join('.')];
  return names === undefined ? undefined : `Did you mean "${closest(key.slice(0, 100), [...names])}"?`;
}

/** A version of the schema that does not exist yet, a result with records: worth their own words. */
function checkAhead(value: { [key: string]: JsonValue }, line: number): Fault[] {
  if (value.schema !== schemaName) {
    const message = `The schema is ${JSON.stringify(String(value.schema).slice(0, 40))}; "${schemaName}" is the one that is read.`;
    return [{ code: 'schema_unknown', line, pointer: '/schema', message }];
  }
  if (!Array.isArray(value.results)) return [];
  return value.results.flatMap((result, index): Fault[] => {
    if (typeof result !== 'object' || result === null || !Object.hasOwn(result, 'requests')) return [];
    const message = 'per-request records are not read yet: send the summary';
    return [{ code: 'requests_unsupported', line, pointer: toPointer(['results', index, 'requests']), message }];
  });
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
    features: system.features ?? {},
  };
}

/** A result's own scenario overrides the document's field by field. */
function toScenario(general: NativeScenario | null | undefined, own: NativeScenario | null | undefined): ScenarioFacts {
  const given = Object.entries(own ?? {}).filter(([, value]) => value != null);
  const scenario: NativeScenario = { ...general, ...Object.fromEntries(given) };
  const { kernel } = scenario;
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
  };
}

function toLoad(load: NativeResult['load']): KnownLoad | null {
  if (load == null) return null;
  const { mode, level, burstiness, max_concurrency: maxConcurrency } = load;
  return {
    mode,
    level,
    ...(burstiness == null ? {} : { burstiness }),
    ...(maxConcurrency == null ? {} : { maxConcurrency }),
  };
}

function toResult(
  report: NativeReport,
  result: NativeResult,
  index: number,
  document: JsonDocument,
  faults: Fault[],
): ParsedResult {
  const at = ['results', index];
  const add = reporter(faults, document.from);
  const kind: ResultKind = result.kind ?? 'serving';
  const metrics = readMetrics(result, kind, at, add);
  const scenario = toScenario(report.scenario, result.scenario);
  if (kind === 'serving' && result.load == null)
    add([...at, 'load'], 'field_missing', 'A serving result needs a load: {"mode": ..., "level": ...}.');
  if (result.load != null && result.load.mode !== 'rate' && !Number.isSafeInteger(result.load.level)) {
    add([...at, 'load', 'level'], 'value_invalid', `The level of the mode "${result.load.mode}" is a whole number.`);
  }
  if (kind === 'kernel' && scenario.kernel === null)
    add(
      [...at, 'scenario', 'kernel'],
      'field_missing',
      'A kernel result needs scenario.kernel: {"operation": ..., "case": ...}.',
    );
  const notes = result.notes ?? report.notes;
  return {
    kind,
    system: toSystem(report),
    scenario,
    load: toLoad(result.load),
    repetition: result.repetition ?? null,
    metrics,
    definitions: readDefinitions(result, metrics, at, add),
    repeats: readRepeats(result, kind, at, add),
    extra: {
      ...(notes == null ? {} : { notes }),
      ...(report.source_url == null ? {} : { source_url: report.source_url }),
    },
    notes: [],
    measuredAt: result.measured_at == null ? null : new Date(result.measured_at).toISOString(),
    lines: { from: document.from, to: document.to },
  };
}

function isNative(value: JsonValue): value is { [key: string]: JsonValue } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return typeof value.schema === 'string' && value.schema.startsWith('inferboard/');
}

/** The documents that begin on a line; more than one where a line holds several. */
function findDocuments(artifact: ArtifactText, line: number): JsonDocument[] {
  const { documents } = artifact.json;
  const found: JsonDocument[] = [];
  for (let index = countBefore(documents, line); documents[index]?.from === line; index++) {
    const document = documents[index];
    if (document !== undefined && isNative(document.value)) found.push(document);
  }
  return found;
}

function readDocument(document: JsonDocument): { report: NativeReport; results: ParsedResult[] } {
  const { value, from } = document;
  const ahead = isNative(value) ? checkAhead(value, from) : [];
  const parsed = NativeSchema.safeParse(value);
  if (ahead.some((fault) => fault.code === 'schema_unknown')) throw new ArtifactError(ahead);
  if (!parsed.success) {
    const faults = toFaults(parsed.error, from, suggest).filter(
      (fault) => !ahead.some((other) => other.pointer === fault.pointer),
    );
    throw new ArtifactError([...ahead, ...faults]);
  }
  const faults: Fault[] = [];
  const results = parsed.data.results.map((result, index) => toResult(parsed.data, result, index, document, faults));
  if (faults.length > 0) throw new ArtifactError(faults);
  return { report: parsed.data, results };
}

/**
 * Inferboard's own JSON format, for figures that no tool's file holds: one system, one scenario, any number of results
 * whose metrics carry the registry's names. Strict: unknown fields and metrics are refused with the nearest known name.
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
  read: (artifact, claim) => {
    const documents = findDocuments(artifact, claim.from).map(readDocument);
    const tool = documents[0]?.report.tool;
    return {
      tool: { name: tool?.name ?? 'native', version: tool?.version ?? null },
      results: documents.flatMap(({ results }) => results),
      ignored: [],
    };
  },
};
