import type { RequestBody } from '../../prompts/body.ts';
import type { TrafficChoice } from '../../traffic/load-traffic.ts';
import { headerFault } from '../../wire/transport.ts';
import type { GivenTraffic } from './described.ts';
import {
  checkCap,
  checkLoads,
  exclude,
  readConversation,
  readDocuments,
  readImages,
  readLengths,
  readMix,
  readModels,
  readPrefix,
  readRamp,
  readReplay,
  workloadOptions,
} from './workload.ts';

/** The traffic that is sent instead of made-up prompts of one length. */
export interface TrafficOptions extends TrafficChoice {
  /** Sent with every request, the credential aside. */
  headers: Readonly<Record<string, string>>;
  extraBody: RequestBody;
  /** File for the bodies of measured requests. */
  saveBodies: string | null;
}

/** Fields that decide what is measured; each has an option. */
const ownFields: Readonly<Record<string, string>> = {
  model: '--model',
  messages: '--prompts',
  prompt: '--prompts',
  input: '--prompts',
  max_tokens: '--output-tokens',
  max_completion_tokens: '--output-tokens',
  max_output_tokens: '--output-tokens',
};
const fixedFields: ReadonlySet<string> = new Set(['stream', 'stream_options']);

function readHeaders(given: GivenTraffic, faults: string[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (const text of given.header ?? []) {
    const colon = text.indexOf(':');
    // A text without a name may be a secret: it is not repeated.
    if (colon <= 0) {
      faults.push("--header must be 'NAME: VALUE'");
      continue;
    }
    const [name, value] = [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
    const fault = headerFault(name, value);
    if (fault !== null) faults.push(`--header: ${fault}`);
    else if (headers.has(name.toLowerCase())) faults.push(`--header: ${name.toLowerCase()} is given twice`);
    else headers.set(name.toLowerCase(), value);
  }
  if (headers.has('authorization') && given['api-key-env'] !== undefined)
    faults.push('--header: authorization is set by --api-key-env. Omit one of them');
  return Object.fromEntries(headers);
}

function readExtraBody(text: string | undefined, faults: string[]): RequestBody {
  if (text === undefined) return {};
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    faults.push('--extra-body must be a JSON object, such as \'{"top_k": 1}\'');
    return {};
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    faults.push('--extra-body must be a JSON object, such as \'{"top_k": 1}\'');
    return {};
  }
  for (const field of Object.keys(body)) {
    const option = ownFields[field];
    if (option !== undefined) faults.push(`--extra-body must not set ${field}: use ${option}`);
    else if (fixedFields.has(field)) faults.push(`--extra-body must not set ${field}: the load generator sets it`);
  }
  return { ...body };
}

/** The options of the plan without the workload, where the traffic is the workload. */
export function withoutWorkload<Given extends GivenTraffic>(
  given: Given,
  { prompts, replay, mix, inputTokens }: TrafficChoice,
): Given {
  if (prompts === null && replay === null && mix.length === 0 && inputTokens === null) return given;
  const { scenario: _, 'input-tokens': _input, 'output-tokens': _output, ...rest } = given;
  return rest as Given;
}

/** Reads the options of the traffic, and adds everything wrong with them to `faults`. */
export function readTraffic(given: GivenTraffic, faults: string[]): TrafficOptions {
  const prompts = given.prompts ?? null;
  checkCap(given, faults);
  checkLoads(given, faults);
  if (prompts !== null) exclude(given, '--prompts', [...workloadOptions, 'replay', 'mix'], faults);
  return {
    headers: readHeaders(given, faults),
    extraBody: readExtraBody(given['extra-body'], faults),
    saveBodies: given['save-bodies'] ?? null,
    prompts,
    replay: readReplay(given, faults),
    conversation: readConversation(given, faults),
    mix: readMix(given, faults),
    images: readImages(given, faults),
    tools: given.tools ?? null,
    ...readDocuments(given, faults),
    prefix: readPrefix(given, faults),
    models: readModels(given, faults),
    ramp: readRamp(given, faults),
    ...readLengths(given, faults),
  };
}
