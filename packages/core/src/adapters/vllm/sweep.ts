import { noFacts, type ScenarioFacts, type SystemFacts } from '../adapter.ts';
import type { JsonObject } from '../reading/documents/json-records.ts';
import { argumentsOf, systemArguments, toSystem } from './arguments.ts';

/** The parameters that a sweep varied, from one of its records. */
export interface SweepFacts {
  system: Pick<SystemFacts, 'parallelism' | 'features' | 'quantization'>;
  scenario: Partial<ScenarioFacts>;
  repetition: number | null;
  /** Keys that were read. */
  used: ReadonlySet<string>;
}

const inputs = ['random_input_len', 'input_len'];
const outputs = ['random_output_len', 'output_len'];
/** Parameter names, as on the command line. */
const parameter = /^[a-z][\w.-]{0,60}$/;
/** Keys that any record may have and no sweep varies. */
const never = new Set([
  'date',
  'label',
  'backend',
  'endpoint_type',
  'model_id',
  'tokenizer_id',
  'num_prompts',
  'request_rate',
  'burstiness',
  'max_concurrency',
  'run_number',
  'random_range_ratio',
  'version',
  'vllm_version',
  'mode',
]);
/** Names whose values differ between runs of one point, or that identify the machine. */
const circumstance = /time|date|host|user|path|file|dir|url|(?:^|_)id$|rtfx|best_of|beam_search|ramp_up/;

const plain = (name: string) => name.replaceAll('-', '_');

/** Runs of a sweep are numbered and have its parameters as additional keys. */
export function isSweep(fields: JsonObject): boolean {
  return Number.isSafeInteger(fields.run_number) && Number(fields.run_number) >= 0;
}

/** Reads the keys that a sweep added to a result object. `rest` are the keys that are not figures. */
export function readSweep(fields: JsonObject, rest: readonly string[]): SweepFacts {
  const used = new Set<string>();
  if (!isSweep(fields)) return { system: noFacts, scenario: {}, repetition: null, used };
  const given = argumentsOf(fields);
  const features: SystemFacts['features'] = {};
  for (const key of rest) {
    const value = fields[key];
    const name = plain(key);
    if (systemArguments.has(name) || inputs.includes(name) || outputs.includes(name)) used.add(key);
    else if (never.has(name) || circumstance.test(name) || !parameter.test(key)) continue;
    // Any other varied parameter defines a different system, so that points with different values stay separate.
    else if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value)))
      features[name] = value;
    else if (typeof value === 'string' && /^[\w .:+-]{1,60}$/.test(value)) features[name] = value;
  }
  for (const key of rest) if (Object.hasOwn(features, plain(key))) used.add(key);
  const system = toSystem(given, 'stated');
  const [input, output] = [given.number(...inputs), given.number(...outputs)];
  // With a range around it, the length is not fixed.
  const isFixed = given.number('random_range_ratio') === null;
  return {
    system: { ...system, features: { ...features, ...system.features } },
    scenario: {
      ...(input === null || !isFixed ? {} : { inputTokens: { value: input, origin: 'stated' } }),
      ...(output === null || !isFixed ? {} : { outputTokens: { value: output, origin: 'stated' } }),
    },
    repetition: Number(fields.run_number) + 1,
    used,
  };
}
