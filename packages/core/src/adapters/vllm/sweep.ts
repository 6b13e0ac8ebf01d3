import { noFacts, type ScenarioFacts, type SystemFacts } from '../adapter.ts';
import type { JsonObject } from '../reading/json-records.ts';
import { argumentsOf, systemArguments, toSystem } from './arguments.ts';

/** What a sweep varied, as far as a record of it tells. */
export interface SweepFacts {
  system: Pick<SystemFacts, 'parallelism' | 'features' | 'quantization'>;
  scenario: Partial<ScenarioFacts>;
  repetition: number | null;
  /** Keys that were read. */
  used: ReadonlySet<string>;
}

const inputs = ['random_input_len', 'input_len'];
const outputs = ['random_output_len', 'output_len'];
/** Names of parameters, as the command line has them. */
const parameter = /^[a-z][\w.-]{0,60}$/;
/** What any record may hold and no sweep varies. */
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
/** Names that runs of one point would differ in, or that tell of the machine. */
const circumstance = /time|date|host|user|path|file|dir|url|(?:^|_)id$|rtfx|best_of|beam_search|ramp_up/;

const plain = (name: string) => name.replaceAll('-', '_');

/** Runs of a sweep are numbered, and carry its parameters as keys of their own. */
export function isSweep(fields: JsonObject): boolean {
  return Number.isSafeInteger(fields.run_number) && Number(fields.run_number) >= 0;
}

/** Reads what a sweep added to a result object: `rest` are the keys that are no figures. */
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
    // Whatever else was varied makes another system: points that differ in it must not meet.
    else if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value)))
      features[name] = value;
    else if (typeof value === 'string' && /^[\w .:+-]{1,60}$/.test(value)) features[name] = value;
  }
  for (const key of rest) if (Object.hasOwn(features, plain(key))) used.add(key);
  const system = toSystem(given, 'stated');
  const [input, output] = [given.number(...inputs), given.number(...outputs)];
  // A range around a length is no length.
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
