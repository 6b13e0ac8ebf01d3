import type { KnownLoad } from '../../subjects/load.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import { isObject } from '../reading/documents/json-records.ts';
import { parseNumber } from '../reading/figures/numbers.ts';

/** The requested data: lengths of synthetic prompts, or a data set. */
export interface Workload {
  input: number | null;
  output: number | null;
  /** Lengths vary around the figure. */
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

/** Maximum length of a data description that is read. Prompts may be in its place. */
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
 * The workload in a data description, in any notation: `prompt_tokens=256,output_tokens=128`, JSON, a Python dictionary, or
 * a data set name. For a path, the last part is kept. Longer text may be a prompt.
 */
export function toWorkload(data: JsonValue | undefined): Workload {
  const one = Array.isArray(data) && data.length === 1 ? data[0] : data;
  const text = (typeof one === 'string' ? one : JSON.stringify(one ?? '')).slice(0, longest).replaceAll('\\"', '"');
  const input = findNumber(text, 'prompt_tokens');
  // Until 0.1 the key of the output length was `generated_tokens`.
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

/** How requests were sent, by strategy. */
export interface Strategy {
  kind: string;
  rate: number | null;
  streams: number | null;
  maxConcurrency: number | null;
}

/** Requests of a run: all that were sent, and those that the end of the run cut off. */
export interface Sent {
  all: number;
  cutOff: number;
}

/**
 * The load of a strategy; null if it is incomplete. `throughput` sends all its requests at once. If a time limit cuts
 * requests off, their number is the concurrency: the tool always had more to send, so it was not a single burst.
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
  // The rate cap is a large default (10240) and not part of the load.
  return kind === 'poisson' ? { mode: 'rate', level: asked, burstiness: 1 } : { mode: 'rate', level: asked };
}

function numberOf(value: JsonValue | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** A strategy in a JSON report; null if the value is not a strategy. */
export function toStrategy(value: JsonValue | undefined): Strategy | null {
  if (!isObject(value) || typeof value.type_ !== 'string') return null;
  return {
    kind: value.type_.slice(0, 60),
    rate: numberOf(value.rate),
    streams: numberOf(value.streams),
    maxConcurrency: numberOf(value.max_concurrency),
  };
}

/** A strategy as named in tables: `synchronous`, `constant@1.15`, `concurrent@8`. */
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
