import { parseArgs } from 'node:util';
import { resolveEngine, resolveGpu, resolveQuantization } from '@inferboard/core/catalogue/index';
import { type LoadMode, loadModes } from '@inferboard/core/load';
import { type NamedSources, readNamedSources } from '@inferboard/core/plans/datasets';
import { namedPlans } from '@inferboard/core/plans/named-plans';
import { type AskedPlan, readPlan } from '@inferboard/core/plans/read-plan';
import type { ReportedSystem } from '../points/native-report.ts';
import { type Endpoint, endpoints } from '../prompts/body.ts';

/** What each option is, for `--help`. */
const described = {
  url: 'base URL of the server, with or without /v1',
  model: 'model as the server calls it; the first that it lists by default',
  scenario: 'workload of the catalogue, such as chatbot (the default)',
  'input-tokens': 'prompt tokens of a workload of your own',
  'output-tokens': 'answer tokens of a workload of your own',
  concurrency: 'requests in flight, such as 1,2,4',
  burst: 'requests at once, such as 8,64',
  rate: 'requests per second, such as 10,50; Poisson arrivals',
  plan: `a named plan instead: ${namedPlans.map(({ id }) => id).join(', ')}`,
  dataset: 'where data sets lie, such as sharegpt=FILE,numina-math=ADDRESS',
  requests: 'requests of each point; a burst has as many as it sends at once',
  warmup: 'requests before each point that are not measured',
  repetitions: 'how often each point is measured',
  seed: 'of prompts and arrivals; drawn and told by default',
  'duration-s': 'seconds of sending at most, over all points',
  'max-errors': 'failures in a row that end the measurement; 20 by default, 0 never ends it',
  endpoint: `${endpoints.join(' or ')}; what the server has by default, chat before completions`,
  engine: 'serving software: decides which of its own fields are sent, and is reported',
  'engine-version': 'its version, reported',
  gpu: 'GPU by name, reported',
  'gpu-count': 'how many, reported',
  'gpu-power-limit-w': 'power limit of each in watts, reported',
  quantization: 'weight format, reported',
  'tensor-parallel': 'tensor-parallel width, reported',
  'unknown-facts': 'keep: measures although the catalogue does not know a GPU, engine or quantization by that name',
  'api-key-env': "name of the environment variable with the server's credential",
  out: 'file for the records, one point a line',
  submit: 'address of an Inferboard to send the records to',
  'submit-key-env': 'name of the environment variable with its key; INFERBOARD_KEY by default',
} as const;

export type OptionName = keyof typeof described;

export interface MeasureOptions {
  url: string;
  model: string | null;
  /** Null where nobody chose one. */
  endpoint: Endpoint | null;
  plan: AskedPlan;
  system: Omit<ReportedSystem, 'model'>;
  datasets: NamedSources;
  /** Undefined where nothing ends it. */
  errorsMax: number | undefined;
  apiKeyEnv: string | null;
  out: string | null;
  submit: string | null;
  submitKeyEnv: string;
}

/** One line for each option. */
export function describeOptions(): string {
  const width = Math.max(...Object.keys(described).map((name) => name.length));
  return Object.entries(described)
    .map(([name, what]) => `  --${name.padEnd(width)}  ${what}`)
    .join('\n');
}

/** Options that cannot be used, with every fault. */
export class OptionsError extends Error {}

type Given = Partial<Record<OptionName, string>>;

function parse(args: readonly string[]): Given {
  const options = Object.fromEntries(Object.keys(described).map((name) => [name, { type: 'string' as const }]));
  try {
    return parseArgs({ args: [...args], options }).values as Given;
  } catch (error) {
    throw new OptionsError(error instanceof Error ? error.message : String(error));
  }
}

/** An overloaded server refuses some in a row, and answers others. */
const errorsUsual = 20;

const levelModes: readonly LoadMode[] = loadModes.filter((mode) => mode !== 'batch');

/** The plan as JSON would state it: numbers that are none stay text, for the reader of plans to refuse. */
function toWrittenPlan(given: Given): unknown {
  const number = (name: OptionName) => {
    const text = given[name];
    return text === undefined ? undefined : Number.isNaN(Number(text)) || text.trim() === '' ? text : Number(text);
  };
  const [input, output] = [number('input-tokens'), number('output-tokens')];
  const isOwn = input !== undefined || output !== undefined;
  const scenario = isOwn
    ? { name: given.scenario, input_tokens: input, output_tokens: output }
    : (given.scenario ?? 'chatbot');
  const loads = levelModes.flatMap((mode) => {
    const levels = given[mode as 'concurrency' | 'burst' | 'rate'];
    return levels === undefined ? [] : levels.split(',').map((text) => ({ mode, level: Number(text) || text }));
  });
  const chosen = loads.length > 0 ? loads : [{ mode: 'concurrency', level: 1 }];
  const requests = number('requests');
  const duration = number('duration-s');
  return {
    plan:
      given.plan ??
      chosen.map((load) => ({ scenario, load, ...(requests !== undefined && load.mode !== 'burst' && { requests }) })),
    repetitions: number('repetitions'),
    warmup: number('warmup'),
    seed: number('seed'),
    limits: duration === undefined ? undefined : { duration_s: duration },
  };
}

/** Facts that are nearly, and not quite, in the catalogue: a result with them would wait for review. */
function findMisspelt(given: Given): string[] {
  const known = {
    gpu: (name: string) => resolveGpu(name),
    engine: (name: string) => resolveEngine(name),
    quantization: (name: string) => resolveQuantization(name),
  };
  return Object.entries(known).flatMap(([option, resolve]) => {
    const name = given[option as keyof typeof known];
    if (name === undefined) return [];
    const found: { id: string | null; family?: string | null; suggestions?: readonly string[] } = resolve(name);
    const { id, family = null, suggestions = [] } = found;
    if (id !== null || family !== null || suggestions.length === 0) return [];
    return [
      `--${option}: the catalogue does not know "${name}". Nearest: ${suggestions.join(', ')}. To keep the name, add --unknown-facts keep.`,
    ];
  });
}

/**
 * Reads the options of the command.
 *
 * @throws OptionsError on what is no option, or no value of one
 * @throws DomainError on a plan that cannot be run, with every fault
 */
export function readOptions(args: readonly string[]): MeasureOptions {
  const given = parse(args);
  const faults: string[] = [];
  const number = (name: OptionName): number | null => {
    const text = given[name];
    if (text === undefined) return null;
    const value = Number(text);
    if (!(value > 0)) faults.push(`--${name} must be a number above 0, and is "${text}"`);
    return value;
  };
  const errorsMax = given['max-errors'] === undefined ? errorsUsual : Number(given['max-errors']);
  if (!Number.isInteger(errorsMax) || errorsMax < 0)
    faults.push(`--max-errors must be a whole number, 0 or more, and is "${given['max-errors']}"`);
  const endpoint = endpoints.find((known) => known === given.endpoint) ?? null;
  if (given.endpoint !== undefined && endpoint === null) faults.push(`--endpoint must be ${endpoints.join(' or ')}`);
  if (given.url === undefined) faults.push('--url is missing: the base URL of the server');
  else if (!/^https?:$/.test(URL.parse(given.url)?.protocol ?? ''))
    faults.push('--url must be an http or https address');
  if (given.submit !== undefined && URL.parse(given.submit) === null) faults.push('--submit must be an address');
  let datasets: NamedSources = new Map();
  try {
    datasets = readNamedSources(given.dataset ?? '');
  } catch (error) {
    faults.push(`--dataset: ${error instanceof Error ? error.message : error}`);
  }
  const system = {
    quantization: given.quantization ?? null,
    gpu: given.gpu ?? null,
    gpuCount: number('gpu-count'),
    gpuPowerLimitW: number('gpu-power-limit-w'),
    engine: given.engine ?? null,
    engineVersion: given['engine-version'] ?? null,
    tensorParallel: number('tensor-parallel'),
  };
  if (given['unknown-facts'] !== 'keep') faults.push(...findMisspelt(given));
  if (faults.length > 0) throw new OptionsError(faults.join('\n'));
  return {
    url: given.url ?? '',
    model: given.model ?? null,
    endpoint,
    plan: readPlan(toWrittenPlan(given)),
    system,
    datasets,
    errorsMax: errorsMax === 0 ? undefined : errorsMax,
    apiKeyEnv: given['api-key-env'] ?? null,
    out: given.out ?? null,
    submit: given.submit ?? null,
    submitKeyEnv: given['submit-key-env'] ?? 'INFERBOARD_KEY',
  };
}
