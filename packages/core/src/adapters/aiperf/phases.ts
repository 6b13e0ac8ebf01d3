import { isObject, type JsonObject } from '../reading/documents/json-records.ts';
import { inside, textsOf } from './result.ts';

/** Names of the models: a list, or the list below `models` since 0.10. */
export function modelNames(config: JsonObject): string[] {
  const older = textsOf(inside(config, 'endpoint').model_names);
  if (older.length > 0) return older;
  const { items } = inside(config, 'models');
  const listed = Array.isArray(items) ? items : Array.isArray(config.models) ? config.models : [];
  return listed.flatMap((item) => textsOf(isObject(item) ? item.name : item));
}

const isMeasured = (phase: JsonObject) =>
  phase.exclude_from_results !== true && phase.kind !== 'warmup' && phase.name !== 'warmup';

const arrivals = new Set(['poisson', 'gamma', 'constant']);
const isSet = (value: unknown) => value !== undefined && value !== null;

/** How one phase sent its requests, in the words of earlier versions; a text if no load mode describes that. */
function toLoadgen(phase: JsonObject): JsonObject | string {
  const { type, concurrency, rate, smoothness, requests } = phase;
  if (['concurrency_ramp', 'rate_ramp', 'prefill_ramp', 'rate_series'].some((name) => isSet(phase[name])))
    return 'The load was changed while it ran';
  if (isSet(phase.timing_mode) || (type !== 'concurrency' && !arrivals.has(String(type))))
    return 'Requests followed recorded times or the pauses of users';
  const common: JsonObject = { concurrency: concurrency ?? null, request_count: requests ?? null };
  if (type === 'concurrency') return common;
  return {
    ...common,
    request_rate: rate ?? null,
    arrival_pattern: type ?? null,
    arrival_smoothness: smoothness ?? null,
  };
}

/**
 * The load since 0.10, which states phases in place of `loadgen`: null for earlier reports, and a text with the reason if no
 * load mode describes the phases.
 */
export function loadgenOfPhases(config: JsonObject): JsonObject | string | null {
  const { phases } = config;
  if (!Array.isArray(phases)) return null;
  const [phase, another] = phases.filter(isObject).filter(isMeasured);
  if (phase === undefined) return 'The configuration has no measured phase';
  return another === undefined ? toLoadgen(phase) : 'The figures are of several phases';
}

/**
 * The input since 0.10, in the words of earlier versions: the lengths of generated prompts. Prompts of a file or of a public
 * data set have no requested length.
 */
export function inputOfDatasets(config: JsonObject): JsonObject | null {
  const { datasets } = config;
  if (!Array.isArray(datasets)) return null;
  const [dataset, another] = datasets.filter(isObject);
  if (dataset === undefined || another !== undefined || dataset.type !== 'synthetic') return { file: 'not read' };
  const length = (name: string): JsonObject => {
    const given = inside(dataset, 'prompts', name);
    const isBounded = isSet(given.min) || isSet(given.max) || isSet(given.median);
    return isBounded ? {} : { mean: given.value ?? given.mean ?? null, stddev: given.stddev ?? null };
  };
  return { prompt: { input_tokens: length('isl'), output_tokens: length('osl') } };
}
