import type { Message } from '../unit.ts';
import { readPrompt } from './read-prompt.ts';

/** A request of a trace or of a log. */
export interface Arrival {
  /** In ms, on the clock of the file. */
  atMs: number;
  /** Of a log with texts; null of a trace with lengths alone. */
  messages: readonly Message[] | null;
  inputTokens: number | null;
  /** 0 of a request that failed or was answered with nothing. */
  outputTokens: number;
  /** Equal ids at the beginning are equal text: Mooncake's blocks of 512 tokens. */
  blocks: readonly (number | string)[];
}

/** Names without case, blanks and underscores. Of Mooncake, Azure's and BurstGPT's traces, and of logs. */
const inputNames = ['inputlength', 'inputtokens', 'contexttokens', 'prompttokens', 'requesttokens', 'promptlen'];
const outputNames = [
  'outputlength',
  'outputtokens',
  'generatedtokens',
  'completiontokens',
  'responsetokens',
  'maxtokens',
];

type Fields = ReadonlyMap<string, unknown>;

function readTokens(fields: Fields, names: readonly string[], least: number): number | null {
  const given = names.map((name) => fields.get(name)).find((value) => value !== undefined && value !== '');
  if (given === undefined || given === null) return null;
  const count = Number(given);
  return Number.isSafeInteger(count) && count >= least ? count : null;
}

const dateForm = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d+)?\s*(Z|[+-]\d\d:?\d\d)?$/;

/** A date in ISO 8601 or as Azure's traces have it; without a zone in UTC. Null of anything else. */
function readDate(text: string): number | null {
  const [, day, time, fraction = '0', zone = 'Z'] = dateForm.exec(text.trim()) ?? [];
  const ms = Date.parse(`${day}T${time}${zone}`);
  return Number.isNaN(ms) ? null : ms + 1000 * Number(fraction);
}

/** ms of `timestamp`, or of `timestamp_s` in seconds. BurstGPT's timestamps are seconds. */
function readTime(fields: Fields): number | null {
  const seconds = fields.get('timestamps');
  const given = seconds ?? fields.get('timestamp');
  if (given === undefined || given === null || given === '') return null;
  const number = Number(given);
  if (Number.isNaN(number)) return typeof given === 'string' ? readDate(given) : null;
  const isSeconds = seconds !== undefined || fields.has('requesttokens');
  const ms = isSeconds ? 1000 * number : number;
  return Number.isFinite(ms) ? ms : null;
}

const isBlock = (value: unknown): value is number | string => typeof value === 'number' || typeof value === 'string';

/** Reads a record; returns a text that states what it lacks if it is invalid. */
export function readArrival(record: Readonly<Record<string, unknown>>): Arrival | string {
  const fields = new Map(
    Object.entries(record).map(([name, value]) => [name.toLowerCase().replace(/[^a-z]/g, ''), value]),
  );
  const atMs = readTime(fields);
  if (atMs === null) return 'has no timestamp: ms since the start, or a date; seconds as timestamp_s';
  const prompt = readPrompt(record);
  const inputTokens = readTokens(fields, inputNames, 1);
  if (typeof prompt === 'string' && inputTokens === null) return 'has neither a prompt nor an input_length above 0';
  const outputTokens = readTokens(fields, outputNames, 0);
  if (outputTokens === null) return 'has no output_length';
  const blocks = fields.get('hashids');
  return {
    atMs,
    messages: typeof prompt === 'string' ? null : prompt.turns.flatMap(({ messages }) => messages),
    inputTokens,
    outputTokens,
    blocks: Array.isArray(blocks) && blocks.every(isBlock) ? blocks : [],
  };
}
