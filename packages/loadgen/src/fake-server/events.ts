import type { FakeOptions } from './options.ts';

/** Which endpoint is asked. */
export type Api = 'chat' | 'completions' | 'responses';

/** What a request asks for. */
export interface Asked {
  isChat: boolean;
  isStream: boolean;
  model: string;
  tokens: number;
  promptTokens: number;
  wantsUsage: boolean;
}

const words = [' the', ' token', ' of', ' a', ' fake', ' answer', '\\n', ' \\"quoted\\"'];
const multibyteWords = [' größe', ' 词元', ' 🙂', ' señal', ' ответ', ' \\u00fc'];

/** What a chat template adds. */
const templateTokens = 5;
const tokensMax = 1_000_000;

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value) && value > 0;

/** Every text in a prompt or in messages, however they are nested, without their roles. */
export function textsOf(prompt: unknown): string {
  if (typeof prompt === 'string') return prompt;
  if (Array.isArray(prompt)) return prompt.map(textsOf).join('\n');
  return isObject(prompt) ? textsOf(prompt.content ?? prompt.text) : '';
}

/** A token for each word and for each mark: not how a model counts, but as regular. */
export const countTokens = (text: string): number => text.match(/[\p{L}\p{N}]+|[^\p{L}\p{N}\s]/gu)?.length ?? 0;

/** Reads a body as the OpenAI API has it; null where it is no JSON object. */
export function parseAsked(text: string, api: Api, options: FakeOptions): Asked | null {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(body)) return null;
  const { max_completion_tokens: most, max_tokens: oldMost, stream_options: streamOptions } = body;
  const asked = [most, oldMost, body.max_output_tokens].find(isCount) ?? options.tokens;
  const texts = textsOf(body.messages ?? body.input ?? body.prompt);
  return {
    // A response has an event at its beginning, as a chat has.
    isChat: api !== 'completions',
    isStream: body.stream === true,
    model: typeof body.model === 'string' ? body.model : options.model,
    tokens: Math.min(tokensMax, options.forcedTokens > 0 ? options.forcedTokens : asked),
    promptTokens: countTokens(texts) + (api === 'completions' ? 0 : templateTokens),
    wantsUsage: api === 'responses' || (isObject(streamOptions) && streamOptions.include_usage === true),
  };
}

const lineEnds = { lf: '\n', crlf: '\r\n', cr: '\r' };

/** The events of one answer. */
export interface AnswerEvents {
  frame(data: string): string;
  comment(): string;
  role(): string;
  /** Tokens `first` to `first + count`. */
  chunk(first: number, count: number): string;
  finish(): string;
  /** With the number of output tokens from its options. */
  usage(tokens: number): string;
  done(): string;
  /** The whole answer as one document, for a request that asks for no stream. */
  whole(): string;
}

/** The text of tokens `first` to `first + count`, escaped as in JSON. */
export function textOfTokens({ multibyte }: FakeOptions, first: number, count: number): string {
  const list = multibyte ? multibyteWords : words;
  let text = '';
  for (let token = first; token < first + count; token++) text += list[token % list.length];
  return text;
}

/** Writes the events of one answer of `/v1/chat/completions` or `/v1/completions`. */
export class EventWriter implements AnswerEvents {
  readonly #asked: Asked;
  readonly #options: FakeOptions;
  readonly #head: string;
  readonly #eol: string;

  constructor(asked: Asked, options: FakeOptions, id: string) {
    this.#asked = asked;
    this.#options = options;
    this.#eol = lineEnds[options.lineEnd];
    const object = asked.isChat ? 'chat.completion.chunk' : 'text_completion';
    this.#head = `{"id":"${id}","object":"${object}","created":1700000000,"model":${JSON.stringify(asked.model)}`;
  }

  frame(data: string): string {
    return `data:${this.#options.noSpace ? '' : ' '}${data}${this.#eol}${this.#eol}`;
  }

  comment(): string {
    return `: ping${this.#eol}${this.#eol}`;
  }

  role(): string {
    return this.#choice(this.#asked.isChat ? '"delta":{"role":"assistant","content":""}' : '"text":""', null, 0);
  }

  chunk(first: number, count: number): string {
    const text = textOfTokens(this.#options, first, count);
    const key = first < this.#options.reasoningTokens ? 'reasoning_content' : 'content';
    return this.#choice(this.#asked.isChat ? `"delta":{"${key}":"${text}"}` : `"text":"${text}"`, null, first + count);
  }

  finish(): string {
    return this.#choice(this.#asked.isChat ? '"delta":{}' : '"text":""', 'length', this.#asked.tokens);
  }

  usage(tokens: number): string {
    return this.frame(`${this.#head},"choices":[],"usage":${this.#usage(tokens)}}`);
  }

  done(): string {
    return this.frame('[DONE]');
  }

  whole(): string {
    const text = words[0] ?? '';
    const choice = this.#asked.isChat ? `"message":{"role":"assistant","content":"${text}"}` : `"text":"${text}"`;
    const usage = this.#usage(this.#asked.tokens);
    return `${this.#head},"choices":[{"index":0,${choice},"finish_reason":"length"}],"usage":${usage}}`;
  }

  #choice(body: string, finish: string | null, tokens: number): string {
    const usage = this.#options.usage === 'every_chunk' ? `,"usage":${this.#usage(tokens)}` : '';
    const reason = finish === null ? 'null' : `"${finish}"`;
    return this.frame(
      `${this.#head},"choices":[{"index":0,${body},"logprobs":null,"finish_reason":${reason}}]${usage}}`,
    );
  }

  #usage(tokens: number): string {
    const { promptTokens } = this.#asked;
    const { cachedTokens } = this.#options;
    return JSON.stringify({
      prompt_tokens: promptTokens,
      completion_tokens: tokens,
      total_tokens: promptTokens + tokens,
      ...(cachedTokens >= 0 ? { prompt_tokens_details: { cached_tokens: cachedTokens } } : {}),
    });
  }
}
