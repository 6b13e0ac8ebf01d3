import { basename } from 'node:path';
import { nearestScenarios, readName } from '@inferboard/core/catalogue/scenario-names';
import { readScenarioName, unknownScenario } from '@inferboard/core/catalogue/scenarios';
import type { SharedPrefix } from '@inferboard/core/plans/made-up-prompts';
import { levelMax } from '@inferboard/core/plans/plan-schema';
import { turnsMax } from '@inferboard/core/plans/scenario-schema';
import { rampRequests } from '../../pacing/arrivals.ts';
import type { ImageShape } from '../../traffic/decorate.ts';
import { constant, type Distribution, readDistribution } from '../../traffic/lengths.ts';
import type { MixEntry, TrafficChoice } from '../../traffic/load-traffic.ts';
import type { ConversationOptions } from '../../traffic/synthetic.ts';
import type { GivenTraffic, LoadOption } from './described.ts';

/** Options that state another workload. */
export const workloadOptions = ['plan', 'dataset', 'scenario', 'input-tokens'] as const;
const loadOptions = ['concurrency', 'burst', 'rate'] as const satisfies LoadOption[];

function readPositive(name: 'replay-speed', given: GivenTraffic, faults: string[]): number | null {
  const text = given[name];
  if (text === undefined) return null;
  const value = Number(text);
  if (!(value > 0 && value < Number.POSITIVE_INFINITY))
    faults.push(`--${name} must be a number above 0, not "${text}"`);
  return value;
}

/** The trace that is replayed; null without one. */
export function readReplay(given: GivenTraffic, faults: string[]): TrafficChoice['replay'] {
  const speed = readPositive('replay-speed', given, faults);
  const path = given.replay;
  if (path === undefined) {
    if (speed !== null) faults.push('--replay-speed needs --replay');
    return null;
  }
  exclude(
    given,
    '--replay',
    [...workloadOptions, 'output-tokens', 'turns', 'mix', 'ramp', 'burstiness', ...loadOptions],
    faults,
  );
  const requests = given.requests === undefined ? null : Number(given.requests);
  return { path, speed: speed ?? 1, requests };
}

/** The prefixes that prompts share; null without any. */
export function readPrefix({ prefix: text }: GivenTraffic, faults: string[]): SharedPrefix | null {
  if (text === undefined) return null;
  const [, groups = 0, tokens = 0] = /^(\d{1,6})x(\d{1,7})$/.exec(text) ?? [];
  if (Number(groups) > 0 && Number(tokens) > 0) return { groups: Number(groups), tokens: Number(tokens) };
  faults.push(`--prefix must be GROUPSxTOKENS, such as 8x1024, not "${text}"`);
  return null;
}

const imagesMax = 64;
const sideMax = 4096;

/** The images of each request; null without any. */
export function readImages({ images: text, endpoint }: GivenTraffic, faults: string[]): ImageShape | null {
  if (text === undefined) return null;
  const [count = 0, width = 0, height = 0] = /^(\d+)x(\d+)x(\d+)$/.exec(text)?.slice(1).map(Number) ?? [];
  if (endpoint === 'completions') faults.push('--images needs --endpoint chat or responses');
  const isFit = count > 0 && count <= imagesMax && [width, height].every((side) => side > 0 && side <= sideMax);
  if (!isFit)
    faults.push(
      `--images must be COUNTxWIDTHxHEIGHT, such as 1x512x512, ${imagesMax} images and ${sideMax} pixels at most`,
    );
  return isFit ? { count, width, height } : null;
}

/** The models in rotation; empty without any. */
export function readModels(given: GivenTraffic, faults: string[]): string[] {
  if (given.models === undefined) return [];
  if (given.model !== undefined) faults.push('--models names the models. Omit --model');
  const models = given.models.split(',').map((name) => name.trim());
  if (models.some((name) => name === '') || new Set(models).size < models.length)
    faults.push('--models must be different names, such as a,b,c');
  return models;
}

const fileForm = /\.(?:jsonl?|csv)$/i;

function readMixEntry(text: string, faults: string[]): MixEntry[] {
  const [, name = '', share = ''] = /^(.*?)(?:=([^=]*))?$/.exec(text.trim()) ?? [];
  const weight = share === '' ? 1 : Number(share);
  const fail = (message: string) => {
    faults.push(`--mix: ${message}`);
    return [];
  };
  if (!(weight > 0 && weight <= 1e6)) return fail(`the weight of ${name} must be a number above 0`);
  if (fileForm.test(name)) return [{ name: basename(name), weight, path: name }];
  const [, input, output] = /^(\d{1,7})x(\d{1,7})$/.exec(name) ?? [];
  const scenario = input === undefined ? readName(name) : null;
  const inputTokens = Number(input ?? scenario?.inputTokens ?? 0);
  const outputTokens = Number(output ?? scenario?.outputTokens ?? 0);
  if (inputTokens > 0 && outputTokens > 0) return [{ name, weight, inputTokens, outputTokens }];
  const near = nearestScenarios(name);
  const closest = near.length === 0 ? '' : `. Closest workloads: ${near.join(', ')}`;
  return fail(`"${name}" is not a workload with lengths, INPUTxOUTPUT, or a .json, .jsonl or .csv file${closest}`);
}

/** The parts of a mix; empty without one. */
export function readMix(given: GivenTraffic, faults: string[]): MixEntry[] {
  if (given.mix === undefined) return [];
  exclude(given, '--mix', [...workloadOptions, 'output-tokens', 'turns'], faults);
  return given.mix.split(',').flatMap((text) => readMixEntry(text, faults));
}

/** Checks the maximum of requests in flight at a rate. */
export function checkCap(given: GivenTraffic, faults: string[]): void {
  const text = given['max-concurrency'];
  if (text === undefined) return;
  const cap = Number(text);
  if (!Number.isInteger(cap) || cap < 1 || cap > levelMax)
    faults.push(`--max-concurrency must be a whole number from 1 to ${levelMax}, not "${text}"`);
  if (given.rate === undefined) faults.push('--max-concurrency needs --rate. Without a rate, use --concurrency');
}

/** Reports options of the points that others would replace. */
export function checkLoads(given: GivenTraffic, faults: string[]): void {
  if (given.plan !== undefined)
    exclude(given, '--plan', ['scenario', 'input-tokens', 'output-tokens', ...loadOptions, 'requests'], faults);
  const isBurstOnly = given.burst !== undefined && given.concurrency === undefined && given.rate === undefined;
  const isAnother = given.requests !== undefined && given.requests !== given.burst;
  if (given.rate?.split(',').some((level) => /^inf(?:inity)?$/i.test(level.trim())))
    faults.push('--rate must be finite. To send all requests at once, use --burst N with their number');
  if (isBurstOnly && isAnother) faults.push('--burst states how many requests are sent at once. Omit --requests');
}

/** The ramp of the rate; null without one. */
export function readRamp(given: GivenTraffic, faults: string[]): TrafficChoice['ramp'] {
  const burstiness = Number(given.burstiness ?? 1);
  if (given.burstiness !== undefined) {
    if (!(burstiness >= 0.01 && burstiness <= 1e6)) faults.push('--burstiness must be a number from 0.01 to 1000000');
    if (given.rate === undefined && given.ramp === undefined) faults.push('--burstiness needs --rate or --ramp');
  }
  if (given.ramp === undefined) return null;
  exclude(given, '--ramp', ['plan', 'requests', ...loadOptions], faults);
  const [fromReqS = 0, toReqS = 0, durationS = 0] =
    /^([\d.]+):([\d.]+):([\d.]+)s?$/.exec(given.ramp)?.slice(1).map(Number) ?? [];
  const ramp = { fromReqS, toReqS, durationS, curve: 'linear' as const };
  if (fromReqS >= 0 && toReqS >= 0 && fromReqS + toReqS > 0 && durationS > 0 && rampRequests(ramp) <= rampRequestsMax)
    return { ...ramp, burstiness };
  faults.push(
    `--ramp must be FROM:TO:SECONDS, such as 1:20:60s, with ${rampRequestsMax} requests at most, not "${given.ramp}"`,
  );
  return null;
}

const rampRequestsMax = 1_000_000;

const documentsMax = 10_000;

/** What answers with documents, and how many texts a rerank request ranks. */
export function readDocuments(given: GivenTraffic, faults: string[]): Pick<TrafficChoice, 'endpoint' | 'documents'> {
  const documents = Number(given.documents ?? 10);
  if (!Number.isInteger(documents) || documents < 1 || documents > documentsMax)
    faults.push(`--documents must be a whole number from 1 to ${documentsMax}, not "${given.documents}"`);
  const { endpoint } = given;
  if (given.documents !== undefined && endpoint !== 'rerank') faults.push('--documents needs --endpoint rerank');
  if (endpoint !== 'embeddings' && endpoint !== 'rerank') return { endpoint: null, documents };
  const unfit = [
    'output-tokens',
    'turns',
    'images',
    'tools',
    'mix',
    'replay',
    ...(endpoint === 'rerank' ? ['prefix' as const] : []),
  ] as const;
  exclude(given, `--endpoint ${endpoint}`, unfit, faults);
  return { endpoint, documents };
}

/** How conversations are made; null if each request is independent. */
export function readConversation(given: GivenTraffic, faults: string[]): ConversationOptions | null {
  const think = given['think-s'] === undefined ? null : readDistribution(given['think-s']);
  if (typeof think === 'string') faults.push(`--think-s: ${think}`);
  if (given.turns === undefined) {
    if (think !== null) faults.push('--think-s needs --turns');
    return null;
  }
  const turns = Number(given.turns);
  if (!Number.isInteger(turns) || turns < 2 || turns > turnsMax)
    faults.push(`--turns must be a whole number from 2 to ${turnsMax}, not "${given.turns}"`);
  return { turns, thinkS: typeof think === 'string' ? null : think };
}

/** Reports options that another one replaces. */
export function exclude(
  given: GivenTraffic,
  option: string,
  others: readonly (keyof GivenTraffic)[],
  faults: string[],
): void {
  const found = others.filter((name) => given[name] !== undefined).map((name) => `--${name}`);
  const verb = option.includes(' and ') ? 'define' : 'defines';
  if (found.length > 0) faults.push(`${option} ${verb} what is sent. Omit ${found.join(' and ')}`);
}

const lengthNames = ['input-tokens', 'output-tokens'] as const;
type LengthName = (typeof lengthNames)[number];

/** Options whose prompts are made up, of the lengths stated or of a named workload. */
const madeUpOptions = [
  'turns',
  'prefix',
  'images',
  'tools',
  'models',
  'ramp',
] as const satisfies (keyof GivenTraffic)[];

const lengthsInstead = 'For a workload without a name state --input-tokens and --output-tokens.';

/** The stated length, otherwise that of the named workload. */
function readLength(name: LengthName, given: GivenTraffic, faults: string[]): Distribution | null {
  const text = given[name];
  if (text !== undefined) {
    const found = readDistribution(text);
    if (typeof found !== 'string') return found;
    faults.push(`--${name}: ${found}`);
    return null;
  }
  const scenario = readName(given.scenario ?? 'chatbot');
  const tokens = (name === 'input-tokens' ? scenario?.inputTokens : scenario?.outputTokens) ?? 0;
  if (tokens > 0) return constant(tokens);
  faults.push(`--${name} is missing: ${given.scenario} has no lengths for the prompts`);
  return null;
}

/** Lengths of the traffic; null where the plan has them, or the file of prompts. */
export function readLengths(
  given: GivenTraffic,
  faults: string[],
): Pick<TrafficChoice, 'inputTokens' | 'outputTokens'> {
  const none = { inputTokens: null, outputTokens: null };
  if (given.replay !== undefined || given.mix !== undefined) return none;
  if (given.prompts !== undefined)
    return {
      ...none,
      ...(given['output-tokens'] !== undefined && { outputTokens: readLength('output-tokens', given, faults) }),
    };
  const drawn = lengthNames.filter((name) => given[name]?.includes(':'));
  const isDocument = given.endpoint === 'embeddings' || given.endpoint === 'rerank';
  const made = [...madeUpOptions, ...(isDocument ? (['endpoint'] as const) : [])].filter(
    (name) => given[name] !== undefined,
  );
  const stated = lengthNames.filter((name) => given[name] !== undefined);
  const missing = lengthNames.find((name) => given[name] === undefined && !(isDocument && name === 'output-tokens'));
  if (stated.length === 1 && missing !== undefined && given.plan === undefined) {
    faults.push(`--${missing} is missing: a workload has both lengths`);
    return none;
  }
  if (drawn.length + made.length === 0) return none;
  const what = made.length > 0 ? `--${made[0]}` : `--${drawn[0]}`;
  exclude(given, what, ['plan', 'dataset'], faults);
  if (stated.length > 0) exclude(given, stated.map((name) => `--${name}`).join(' and '), ['scenario'], faults);
  else if (given.scenario !== undefined && readScenarioName(given.scenario) === null) {
    const { message, hint } = unknownScenario(given.scenario, lengthsInstead);
    faults.push(`${message} ${hint}`);
    return none;
  }
  return {
    inputTokens: readLength('input-tokens', given, faults),
    outputTokens: readLength('output-tokens', given, faults),
  };
}
