import { parseArgs } from 'node:util';
import { type NamedSources, readNamedSources } from '@inferboard/core/plans/datasets';
import type { AskedPlan } from '@inferboard/core/plans/read-plan';
import {
  type CapacityOptions,
  documentFaults,
  readCapacityOptions,
  type Search,
  searchOf,
} from '../capacity/options.ts';
import { type AgainstOptions, readAgainst } from '../compare-servers/options.ts';
import { whyNotRealtime } from '../measure/realtime.ts';
import type { ReportedSystem } from '../points/native-report.ts';
import type { Watched } from '../probe/observer.ts';
import { allEndpoints, type Endpoint, endpointPaths } from '../prompts/body.ts';
import { readGivenPlan } from './given-plan.ts';
import { describeMisspelt } from './misspelt-facts.ts';
import { optionWords } from './option-words.ts';
import { OptionsError } from './options-error.ts';
import { peerOptions } from './peer-options.ts';
import { repeatedOptions } from './traffic/described.ts';
import { readTraffic, type TrafficOptions, withoutWorkload } from './traffic/options.ts';
import { described, type OptionName } from './words/described-options.ts';
import { isHttp, withScheme } from './words/http-url.ts';

export interface MeasureOptions extends CapacityOptions {
  url: string;
  model: string | null;
  /** Null if the user chose none. */
  endpoint: Endpoint | null;
  plan: AskedPlan;
  /** The second server; null without one. */
  against: AgainstOptions | null;
  /** Null without a search for the capacity. */
  find: Search | null;
  system: Omit<ReportedSystem, 'model'>;
  datasets: NamedSources;
  /** Undefined where nothing ends it. */
  errorsMax: number | undefined;
  apiKeyEnv: string | null;
  out: string;
  workers: number;
  isRealtime: boolean;
  watched: Watched;
  /** File whose digest is reported, or `none`; null for the one that a server on this machine has loaded. */
  weights: string | null;
  /** See `TextIdentity`; null for a random one. */
  salt: string | null;
  recordsCsv: string | null;
  report: string | null;
  /** Prints JSON instead of tables. */
  json: boolean;
  submit: string | null;
  /** Null for the usual one, or the key of `inferboard login`. */
  submitKeyEnv: string | null;
  traffic: TrafficOptions;
}

/** Options without a value. */
const switches: ReadonlySet<string> = new Set(['json', 'realtime']);

type TextOption = Exclude<OptionName, 'header' | 'json' | 'realtime'>;
type Given = Partial<Record<TextOption, string>> & { header?: string[]; json?: boolean; realtime?: boolean };

/** The options, for `parseArgs`. */
const parsed = Object.fromEntries(
  Object.keys(described).map((name) => [
    name,
    { type: switches.has(name) ? ('boolean' as const) : ('string' as const), multiple: repeatedOptions.has(name) },
  ]),
);

/** The options that are given more than once, although they have one value. */
function repetitionFaults(args: readonly string[]): string[] {
  const { tokens } = parseArgs({ args: [...args], options: parsed, tokens: true });
  const names = tokens.flatMap((token) => (token.kind === 'option' && token.value !== undefined ? [token.name] : []));
  const repeated = new Set(names.filter((name, at) => names.indexOf(name) !== at && !repeatedOptions.has(name)));
  return [...repeated].map((name) => {
    const isList = name === 'concurrency' || name === 'burst' || name === 'rate';
    return `--${name} is given more than once. ${isList ? 'Separate its levels with commas.' : 'Give one value.'}`;
  });
}

function parse(args: readonly string[]): Given {
  try {
    const given = parseArgs({ args: [...args], options: parsed }).values as Given;
    const endpoint = allEndpoints.find((known) => endpointPaths[known] === given.endpoint);
    return { ...given, ...(endpoint !== undefined && { endpoint }) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const words = optionWords(message, args, parsed, peerOptions);
    throw new OptionsError(`${words}${words.includes('\n') ? '\n' : ' '}Run with --help for all options.`);
  }
}

/** An overloaded server refuses some in a row, and answers others. */
const errorsUsual = 20;

/** What is observed during the load. Adds what cannot be observed to `faults`. */
function readWatched(given: Given, faults: string[]): Watched {
  const url = given['metrics-url'] ?? null;
  if (url !== null && !isHttp(url)) faults.push('--metrics-url must be an http or https URL');
  if (url === null && given['metrics-hz'] !== undefined) faults.push('--metrics-hz needs --metrics-url');
  const hz = Number(given['metrics-hz'] ?? 2);
  if (!(hz >= 1 && hz <= 10)) faults.push(`--metrics-hz must be 1 to 10, not "${given['metrics-hz']}"`);
  const { probe } = given;
  if (probe !== undefined && probe !== 'all' && !/^\d+(,\d+)*$/.test(probe))
    faults.push(`--probe must be all, or numbers such as 0,1, not "${probe}"`);
  const gpus = probe === undefined ? undefined : probe === 'all' ? null : probe.split(',').map(Number);
  return { metricsUrl: url, metricsHz: hz, gpus };
}

function readSearch(...search: Parameters<typeof searchOf>): Search {
  try {
    return searchOf(...search);
  } catch (error) {
    throw new OptionsError(error instanceof Error ? error.message : String(error));
  }
}

/**
 * Reads the options of the command.
 *
 * @param typed what the user wrote now. With `--resume`, `args` starts with the options of the earlier command, and these replace
 * them
 * @throws OptionsError on what is no option, or no value of one, and on a plan that cannot be run, with every fault
 */
export function readOptions(args: readonly string[], typed: readonly string[] = args): MeasureOptions {
  const given = parse(args);
  const faults = repetitionFaults(typed);
  const number = (name: TextOption): number | null => {
    const text = given[name];
    if (text === undefined) return null;
    const value = Number(text);
    if (!(value > 0)) faults.push(`--${name} must be a number above 0, not "${text}"`);
    return value;
  };
  const whole = (name: TextOption): number | null => {
    const text = given[name];
    const value = Number(text);
    if (text !== undefined && !(Number.isInteger(value) && value >= 1 && value <= 1_000_000))
      faults.push(`--${name} must be a whole number from 1 to 1000000, not "${text}"`);
    return text === undefined ? null : value;
  };
  const errorsMax = given['max-errors'] === undefined ? errorsUsual : Number(given['max-errors']);
  if (!Number.isInteger(errorsMax) || errorsMax < 0)
    faults.push(`--max-errors must be a whole number, 0 or more, not "${given['max-errors']}"`);
  const endpoint = allEndpoints.find((known) => known === given.endpoint) ?? null;
  if (given.endpoint !== undefined && endpoint === null)
    faults.push(`--endpoint must be ${allEndpoints.join(' or ')}, not "${given.endpoint}"`);
  if (given.url === undefined) faults.push('--url is missing: the base URL of the server');
  for (const name of ['url', 'submit'] as const)
    if (given[name] !== undefined && !isHttp(given[name]))
      faults.push(
        `--${name} must be an http or https URL, such as ${withScheme(given[name]) ?? 'http://127.0.0.1:8000'}, not "${given[name]}"`,
      );
  let datasets: NamedSources = new Map();
  try {
    datasets = readNamedSources(given.dataset ?? '');
  } catch (error) {
    faults.push(`--dataset: ${error instanceof Error ? error.message : error}`);
  }
  const system = {
    quantization: given.quantization ?? null,
    gpu: given.gpu ?? null,
    gpuCount: whole('gpu-count'),
    gpuPowerLimitW: number('gpu-power-limit-w'),
    engine: given.engine ?? null,
    engineVersion: given['engine-version'] ?? null,
    tensorParallel: whole('tensor-parallel'),
  };
  const traffic = readTraffic(given, faults);
  const { findLimits, ...capacity } = readCapacityOptions(given, faults);
  faults.push(...documentFaults(endpoint, { find: findLimits, requestLimits: capacity.requestLimits }));
  const against = readAgainst(given, faults);
  const requests = whole('requests');
  const unknownFacts = given['unknown-facts'] ?? null;
  if (unknownFacts !== null && unknownFacts !== 'keep')
    faults.push(`--unknown-facts must be keep, not "${unknownFacts}"`);
  if (unknownFacts === null) faults.push(...describeMisspelt(given));
  if (given['submit-key-env'] !== undefined && given.submit === undefined)
    faults.push('--submit-key-env needs --submit');
  if (given.workers !== undefined && !/^([1-9]|[1-5]\d|6[0-4])$/.test(given.workers))
    faults.push(`--workers must be a whole number from 1 to 64, not "${given.workers}"`);
  if (given.salt !== undefined && !/^[\x21-\x7e]{1,100}$/.test(given.salt))
    faults.push('--salt must be 1 to 100 printable ASCII characters without spaces');
  const notRealtime = given.realtime === true ? whyNotRealtime() : null;
  if (notRealtime !== null) faults.push(`--realtime: ${notRealtime}`);
  const watched = readWatched(given, faults);
  if (faults.length > 0) throw new OptionsError(faults.join('\n'));
  const plan = readGivenPlan(withoutWorkload(given, traffic));
  return {
    url: given.url ?? '',
    model: given.model ?? null,
    endpoint,
    plan,
    against,
    find: findLimits === null ? null : readSearch(findLimits, plan, requests),
    ...capacity,
    system,
    datasets,
    errorsMax: errorsMax === 0 ? undefined : errorsMax,
    apiKeyEnv: given['api-key-env'] ?? null,
    out: given.out ?? `inferboard-${new Date().toISOString().slice(0, 23).replace(/[-:.]/g, '')}.jsonl`,
    workers: given.workers === undefined ? 1 : Number(given.workers),
    isRealtime: given.realtime ?? false,
    watched,
    weights: given.weights ?? null,
    salt: given.salt ?? null,
    recordsCsv: given.records ?? null,
    report: given.report ?? null,
    json: given.json ?? false,
    submit: given.submit ?? null,
    submitKeyEnv: given['submit-key-env'] ?? null,
    traffic,
  };
}

/**
 * The file of `--resume`, and the other words of the command line; null without it.
 *
 * @throws OptionsError on what is no option
 */
export function takeResume(args: readonly string[]): { file: string; rest: string[] } | null {
  const { resume } = parse(args);
  if (resume === undefined) return null;
  const place = args.findIndex((word) => word === '--resume' || word.startsWith('--resume='));
  return { file: resume, rest: args.toSpliced(place, args[place] === '--resume' ? 2 : 1) };
}
