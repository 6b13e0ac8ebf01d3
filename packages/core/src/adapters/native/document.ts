import { findNamedScenario, readGenerated } from '../../catalogue/scenario-names.ts';
import { notApplicable } from '../../system.ts';
import type { JsonValue } from '../reading/json.ts';
import { isObject, type JsonObject } from '../reading/json-records.ts';

/** Reads a field of what may be no object. */
const at = (value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined => {
  let found = value;
  for (const name of path) found = isObject(found) ? found[name] : undefined;
  return found;
};

/** The fields that have a value; undefined where none has. */
function filled(fields: Record<string, JsonValue | undefined>): JsonObject | undefined {
  const entries = Object.entries(fields).filter((entry): entry is [string, JsonValue] => entry[1] != null);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** A name as it was written; of what a kernel has not there is none. */
const nameOf = (system: JsonValue | undefined, part: string) => {
  const name = at(system, part, 'name');
  return name === notApplicable ? undefined : name;
};

/** The fields of an object that have a value; undefined where there are none. */
export const fieldsOf = (value: JsonValue | undefined) => (isObject(value) ? filled(value) : undefined);

/** Definitions of the metrics that were stated; those of derived ones are ours to give again. */
function statedDefinitions(definitions: JsonValue | undefined, metrics: JsonObject): JsonObject | undefined {
  if (!isObject(definitions)) return undefined;
  const names = Object.keys(metrics);
  const isStated = (base: string) => names.some((name) => name === base || name.startsWith(`${base}_`));
  return filled(Object.fromEntries(Object.entries(definitions).filter(([base]) => isStated(base))));
}

/** The name of a shape that its numbers do not give again. Of a named one whose lengths were only measured they do. */
function statedName(scenario: JsonValue | undefined): JsonValue | undefined {
  const id = at(scenario, 'id');
  if (typeof id !== 'string') return undefined;
  const row = findNamedScenario(id);
  if (row === null) return readGenerated(id) === null && at(scenario, 'kernel') == null ? undefined : id;
  return row.inputTokens === null || at(scenario, 'input_tokens') != null ? id : undefined;
}

/** A load, with its regime where that does not follow from its mode. */
function statedLoad(load: JsonValue | undefined, regime: JsonValue | undefined): JsonObject | undefined {
  const mode = at(load, 'mode');
  const isOffline = regime === 'offline' && mode !== 'batch';
  const fields = mode === 'unspecified' ? { mode } : fieldsOf(load);
  return fields === undefined || !isOffline ? fields : { ...fields, regime };
}

/**
 * A result as the API answers it, as a document of the native format with this one result: what was measured and of
 * which system, under the words of the submitter. What we derived, found and decided is left out: it is made anew.
 */
export function toNativeDocument(result: JsonObject): JsonObject {
  const { system, scenario, load } = result;
  const metrics = fieldsOf(result.metrics) ?? {};
  // One that was assumed is not stated now: it is assumed again, and the reader told.
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
