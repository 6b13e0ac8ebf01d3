import { findNamedScenario, readGenerated } from '../../catalogue/scenario-names.ts';
import { notApplicable } from '../../subjects/system.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import { isObject, type JsonObject } from '../reading/documents/json-records.ts';

/** Reads a field of a value that may not be an object. */
const at = (value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined => {
  let found = value;
  for (const name of path) found = isObject(found) ? found[name] : undefined;
  return found;
};

/** The fields that have a value; undefined if none has. */
function filled(fields: Record<string, JsonValue | undefined>): JsonObject | undefined {
  const entries = Object.entries(fields).filter((entry): entry is [string, JsonValue] => entry[1] != null);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** The name as written; undefined for facts that a kernel lacks. */
const nameOf = (system: JsonValue | undefined, part: string) => {
  const name = at(system, part, 'name');
  return name === notApplicable ? undefined : name;
};

/** The fields of an object that have a value; undefined if there are none. */
export const fieldsOf = (value: JsonValue | undefined) => (isObject(value) ? filled(value) : undefined);

/** Definitions of stated metrics. Definitions of derived metrics are recomputed. */
function statedDefinitions(definitions: JsonValue | undefined, metrics: JsonObject): JsonObject | undefined {
  if (!isObject(definitions)) return undefined;
  const names = Object.keys(metrics);
  const isStated = (base: string) => names.some((name) => name === base || name.startsWith(`${base}_`));
  return filled(Object.fromEntries(Object.entries(definitions).filter(([base]) => isStated(base))));
}

/** The name of a shape that its numbers do not imply. For a named shape with only measured lengths, they do. */
function statedName(scenario: JsonValue | undefined): JsonValue | undefined {
  const id = at(scenario, 'id');
  if (typeof id !== 'string') return undefined;
  const row = findNamedScenario(id);
  if (row === null) return readGenerated(id) === null && at(scenario, 'kernel') == null ? undefined : id;
  return row.inputTokens === null || at(scenario, 'input_tokens') != null ? id : undefined;
}

/** A load, with its regime if the mode does not imply it. */
function statedLoad(load: JsonValue | undefined, regime: JsonValue | undefined): JsonObject | undefined {
  const mode = at(load, 'mode');
  const isOffline = regime === 'offline' && mode !== 'batch';
  const fields = mode === 'unspecified' ? { mode } : fieldsOf(load);
  return fields === undefined || !isOffline ? fields : { ...fields, regime };
}

/**
 * Converts an API result to a document of the native format: the measurements and the system, with the submitter's names.
 * Derived values, findings and decisions are omitted, because a reimport computes them again.
 */
export function toNativeDocument(result: JsonObject): JsonObject {
  const { system, scenario, load } = result;
  const metrics = fieldsOf(result.metrics) ?? {};
  // An assumed value is not stated here; a reimport assumes it again and notifies the reader.
  const isAssumed =
    Array.isArray(result.findings) && result.findings.some((finding) => at(finding, 'code') === 'gpu_count_assumed');
  const document = {
    tool: filled({ name: at(result, 'tool', 'name'), version: at(result, 'tool', 'version') }),
    system: filled({
      model: nameOf(system, 'model'),
      quantization: nameOf(system, 'quantization'),
      gpu: nameOf(system, 'gpu'),
      gpu_count: isAssumed ? undefined : at(system, 'gpu_count'),
      gpu_power_limit_w: at(system, 'gpu_power_limit_w'),
      engine: filled({ name: at(system, 'engine', 'name'), version: at(system, 'engine', 'version') }),
      parallelism: fieldsOf(at(system, 'parallelism')),
      features: fieldsOf(at(system, 'features')),
    }),
    scenario: filled({
      name: statedName(scenario),
      input_tokens: at(scenario, 'input_tokens'),
      output_tokens: at(scenario, 'output_tokens'),
      dataset: at(scenario, 'dataset'),
      depth: at(scenario, 'depth'),
      kernel: at(scenario, 'kernel'),
      quality: fieldsOf(at(scenario, 'quality')),
    }),
  };
  const own = filled({
    kind: result.kind,
    load: statedLoad(load, at(result.workload, 'regime')),
    measured_lengths: fieldsOf(result.measured_lengths),
    repetition: result.repetition,
    definitions: statedDefinitions(result.definitions, metrics),
    repeats: filled({
      n: at(result.repeats, 'n'),
      sd: fieldsOf(at(result.repeats, 'sd')),
      samples: at(result.repeats, 'samples'),
    }),
    ranges: result.ranges,
    slo: fieldsOf(result.limits),
    measured_at: result.measured_at,
    source: fieldsOf(result.source),
  });
  return { schema: 'inferboard/v1', ...filled(document), results: [{ ...own, metrics }] };
}
