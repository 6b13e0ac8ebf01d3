import { parseArgs } from 'node:util';

/** What a server may do wrong. */
export const faultKinds = [
  /** Status 500 or 429 with a JSON error. */
  'status_500',
  'status_429',
  /** 200 and [DONE], no text. */
  'empty',
  /** No [DONE] after the finish reason. */
  'no_done',
  /** Neither finish reason nor [DONE]. */
  'truncated',
  /** The connection ends mid-stream, in order or by a reset. */
  'cut',
  'reset',
  /** A pause before a chunk. */
  'stall',
  /** One event that is not JSON. */
  'bad_event',
  /** `data: {"error": ..}` in place of a chunk, then the end. */
  'error_event',
  /** A content coding that was not requested. */
  'gzip',
  /** A JSON document in place of a stream. */
  'not_streamed',
  /** Usage of one token, of ten times as many as came, or of none. */
  'wrong_usage',
  'usage_times_ten',
  'usage_zero',
] as const;
export type FaultKind = (typeof faultKinds)[number];

export interface Fault {
  kind: FaultKind;
  /** Every so many requests one is odd. */
  every: number;
  /** Before which chunk, counted from 0, it happens. */
  at: number;
}

/** Fields that a server may refuse. `any_max_tokens`: every maximum of output tokens. */
export type RefusedField = 'temperature' | 'max_tokens' | 'any_max_tokens';

export interface FakeOptions {
  /** 0 takes any free one. */
  port: number;
  model: string;
  /** From the end of the request, or from its turn, to the first token. */
  ttftMs: number;
  /** More of it for each thousand tokens of the prompt. */
  prefillMs: number;
  /** Between chunks, with one request under way. */
  itlMs: number;
  /** Each other request under way makes the gap longer by this share of it. */
  slowdown: number;
  /** Requests served at once; the others wait in order, so that TTFT grows with the queue. 0: no limit. */
  slots: number;
  /** Output tokens if the request states none. */
  tokens: number;
  /** Output tokens regardless of the request; 0: as requested. */
  forcedTokens: number;
  tokensPerChunk: number;
  /** First tokens that are sent as reasoning. */
  reasoningTokens: number;
  /** When the chunk that names the role comes: never, just before the first token, or with the headers. */
  role: 'none' | 'first' | 'head';
  usage: 'asked' | 'always' | 'never' | 'every_chunk';
  /** Reported in usage; -1 omits the field. */
  cachedTokens: number;
  lineEnd: 'lf' | 'crlf' | 'cr';
  /** `data:{` in place of `data: {`. */
  noSpace: boolean;
  /** A comment before every so many chunks; 0: none. */
  commentEvery: number;
  /** Text of several bytes a character. */
  multibyte: boolean;
  /** Events are sent in pieces of so many bytes, with a gap between them; 0: whole. */
  splitBytes: number;
  splitGapMs: number;
  /** The bearer key requests must carry; empty: none. */
  apiKey: string;
  /** Tokens of prompt and response that the server can hold: it rejects longer requests by 400. 0: no limit. */
  contextTokens: number;
  /** A path that answers with `proofToken`, as proof that the server is its owner's. */
  proofPath: string;
  proofToken: string;
  /** What it refuses as servers do that lack it: an endpoint by 404, a field by 400. */
  refuses: 'nothing' | 'chat' | RefusedField;
  fault: Fault | null;
  /** Of the fault `stall`. */
  stallMs: number;
}

export const usualOptions: FakeOptions = {
  port: 0,
  model: 'fake-model',
  ttftMs: 50,
  prefillMs: 0,
  itlMs: 5,
  slowdown: 0,
  slots: 0,
  tokens: 64,
  forcedTokens: 0,
  tokensPerChunk: 1,
  reasoningTokens: 0,
  role: 'first',
  usage: 'asked',
  cachedTokens: -1,
  lineEnd: 'lf',
  noSpace: false,
  commentEvery: 0,
  multibyte: false,
  splitBytes: 0,
  splitGapMs: 0,
  apiKey: '',
  contextTokens: 0,
  proofPath: '/.well-known/inferboard-proof',
  proofToken: '',
  refuses: 'nothing',
  fault: null,
  stallMs: 1000,
};

/** What the command starts: about as one H100 serves a model of 8 B, so that its figures could be true. */
export const plausibleOptions: FakeOptions = {
  ...usualOptions,
  port: 8081,
  model: 'meta-llama/Llama-3.1-8B-Instruct',
  ttftMs: 40,
  prefillMs: 20,
  itlMs: 12,
  slowdown: 0.03,
  slots: 16,
};

const choices: Partial<Record<keyof FakeOptions, readonly string[]>> = {
  role: ['none', 'first', 'head'],
  usage: ['asked', 'always', 'never', 'every_chunk'],
  lineEnd: ['lf', 'crlf', 'cr'],
  refuses: ['nothing', 'chat', 'temperature', 'max_tokens', 'any_max_tokens'],
};

const toFlag = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function parseNumber(flag: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new TypeError(`--${flag} must be a number`);
  return value;
}

/** `kind`, `kind:every` or `kind:every:at`. */
function parseFault(text: string): Fault {
  const [name, every = '1', at = '16'] = text.split(':');
  const kind = faultKinds.find((known) => known === name);
  if (kind === undefined) throw new TypeError(`--fault must be one of ${faultKinds.join(', ')}`);
  return { kind, every: Math.max(1, parseNumber('fault', every)), at: parseNumber('fault', at) };
}

function parseValue(name: keyof FakeOptions, flag: string, text: string): unknown {
  if (name === 'fault') return parseFault(text);
  const usual = usualOptions[name];
  if (typeof usual === 'number') return parseNumber(flag, text);
  const allowed = choices[name];
  if (allowed !== undefined && !allowed.includes(text))
    throw new TypeError(`--${flag} must be one of ${allowed.join(', ')}`);
  return text;
}

/** Every option as a flag with what it is set to otherwise, one a line. */
export function describeOptions(): string {
  return Object.entries(plausibleOptions)
    .map(([name, usual]) => `  --${toFlag(name)}${typeof usual === 'boolean' ? '' : ` (${usual ?? 'none'})`}`)
    .join('\n');
}

/** Reads `--ttft-ms 100 --no-space` and the like; the rest is `usual`. Throws TypeError on what it does not know. */
export function parseOptions(args: readonly string[], usual: FakeOptions = usualOptions): FakeOptions {
  const names = Object.keys(usualOptions) as (keyof FakeOptions)[];
  const { values } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      names.map((name) => [
        toFlag(name),
        { type: typeof usualOptions[name] === 'boolean' ? ('boolean' as const) : ('string' as const) },
      ]),
    ),
  });
  const read: [string, unknown][] = [];
  for (const name of names) {
    const flag = toFlag(name);
    const value = values[flag];
    if (value !== undefined) read.push([name, typeof value === 'string' ? parseValue(name, flag, value) : value]);
  }
  return { ...usual, ...Object.fromEntries(read) };
}
