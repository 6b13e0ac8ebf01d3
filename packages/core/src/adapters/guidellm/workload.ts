import type { KnownLoad } from '../../load.ts';
import type { JsonValue } from '../reading/json.ts';
import { isObject } from '../reading/json-records.ts';
import { parseNumber } from '../reading/numbers.ts';

/** What was asked of the data: lengths of synthetic prompts, or a data set. */
export interface Workload {
  input: number | null;
  output: number | null;
  /** Lengths were drawn around the figure. */
  inputVaries: boolean;
  outputVaries: boolean;
  dataset: string | null;
}

export const noWorkload: Workload = {
  input: null,
  output: null,
  inputVaries: false,
  outputVaries: false,
  dataset: null,
};

/** Longest description of data looked at; prompts themselves may stand in its place. */
const longest = 20_000;

/** A figure of `name=256`, `"name": 256` and `'name': 256`. */
function findNumber(text: string, name: string): number | null {
  const found = new RegExp(`(?<![a-z_])${name}["']?\\s{0,3}[:=]\\s{0,3}(\\d{1,9})(?![\\d.])`).exec(text);
  return found === null ? null : Number(found[1]);
}

function isVaried(text: string, name: string): boolean {
  const [least, most] = [findNumber(text, `${name}_min`), findNumber(text, `${name}_max`)];
  const spread = findNumber(text, `${name}_stdev`) ?? findNumber(text, `${name}_variance`) ?? 0;
  return spread > 0 || (least !== null && most !== null && least < most);
}

/**
 * The workload that a description of data tells, in any notation: `prompt_tokens=256,output_tokens=128`, JSON, a Python
 * dictionary, or the name of a data set. Of a path its last part is kept; anything longer may be a prompt.
 */
export function toWorkload(data: JsonValue | undefined): Workload {
  const one = Array.isArray(data) && data.length === 1 ? data[0] : data;
  const text = (typeof one === 'string' ? one : JSON.stringify(one ?? '')).slice(0, longest).replaceAll('\\"', '"');
  const input = findNumber(text, 'prompt_tokens');
  // Until 0.1 the answer was "generated".
  const answer = findNumber(text, 'generated_tokens') === null ? 'output_tokens' : 'generated_tokens';
  const output = findNumber(text, answer);
  if (input !== null || output !== null)
    return {
      input: input || null,
      output: output || null,
      inputVaries: isVaried(text, 'prompt_tokens'),
      outputVaries: isVaried(text, answer),
      dataset: null,
    };
  const source = isObject(one) && typeof one.source === 'string' ? one.source : text;
  const isRepository = /^[\w.-]{1,80}\/[\w.-]{1,100}$/.test(source);
  const name = isRepository ? source : (source.split(/[/\\]/).at(-1) ?? '');
  return { ...noWorkload, dataset: /^\w[\w.-]{0,100}(?:\/[\w.-]{1,100})?$/.test(name) ? name : null };
}

/** How requests were sent, in the words of a strategy. */
export interface Strategy {
  kind: string;
  rate: number | null;
  streams: number | null;
  maxConcurrency: number | null;
}

/** Requests of a run: all that were sent, and those among them that its end cut off. */
export interface Sent {
  all: number;
  cutOff: number;
}

/**
 * The load of a strategy; null where it is not told in full. `throughput` sends all it has at once. A time limit that cuts
 * requests off shows how many were in flight: then there were always more of them, and it was no single burst.
 */
export function toLoad({ kind, rate, streams, maxConcurrency }: Strategy, sent: Sent | null): KnownLoad | null {
  const positive = (value: number | null) => (value !== null && value > 0 ? value : null);
  const users = positive(streams) ?? positive(maxConcurrency);
  if (kind === 'synchronous') return { mode: 'concurrency', level: 1 };
  if (kind === 'concurrent') return users === null ? null : { mode: 'concurrency', level: users };
  if (kind === 'throughput') {
    const cap = positive(maxConcurrency);
    if (cap !== null && (sent === null || cap < sent.all)) return { mode: 'concurrency', level: cap };
    if (sent === null || sent.all === 0) return null;
    return sent.cutOff > 0 ? { mode: 'concurrency', level: sent.cutOff } : { mode: 'burst', level: sent.all };
  }
  const asked = positive(rate);
  if (asked === null || !['constant', 'poisson', 'async', 'asynchronous'].includes(kind)) return null;
  // The cap of a rate is a large default (10240) and no part of the load.
  return kind === 'poisson' ? { mode: 'rate', level: asked, burstiness: 1 } : { mode: 'rate', level: asked };
}

function numberOf(value: JsonValue | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** A strategy as JSON reports write it; null where it is none. */
export function toStrategy(value: JsonValue | undefined): Strategy | null {
  if (!isObject(value) || typeof value.type_ !== 'string') return null;
  return {
    kind: value.type_.slice(0, 60),
    rate: numberOf(value.rate),
    streams: numberOf(value.streams),
    maxConcurrency: numberOf(value.max_concurrency),
  };
}

/** A strategy as tables name it: `synchronous`, `constant@1.15`, `concurrent@8`. */
export function parseStrategy(name: string, maxConcurrency: number | null = null): Strategy {
  const [kind = '', level = ''] = name.trim().slice(0, 60).split('@');
  const number = parseNumber(level);
  return { kind, rate: number, streams: kind === 'concurrent' ? number : null, maxConcurrency };
}

/** `constant@1.15`. */
export function formatStrategy({ kind, rate, streams }: Strategy): string {
  const level = kind === 'concurrent' ? streams : kind === 'constant' || kind === 'poisson' ? rate : null;
  return level === null ? kind : `${kind}@${level}`;
}
