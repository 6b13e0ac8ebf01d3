import type { Message } from '../traffic/unit.ts';
import { type Dialect, dialectRow, type Forcing } from './dialects.ts';
import { toResponseFields, toResponseItems } from './response-body.ts';

/** The two endpoints that most servers have: with a chat template around the prompt, or with the prompt unchanged. */
export const endpoints = ['chat', 'completions'] as const;
/** All endpoints that can be measured. */
export const allEndpoints = [...endpoints, 'responses', 'embeddings', 'rerank'] as const;
export type Endpoint = (typeof allEndpoints)[number];

/** Endpoints that answer with one document: there is no first token, and nothing is generated. */
export const answersDocument = (endpoint: Endpoint): boolean => endpoint === 'embeddings' || endpoint === 'rerank';

/** Paths below the base URL of a server. */
export const endpointPaths: Record<Endpoint, string> = {
  chat: '/v1/chat/completions',
  completions: '/v1/completions',
  responses: '/v1/responses',
  embeddings: '/v1/embeddings',
  rerank: '/v1/rerank',
};

/** Fields that some servers refuse. */
export type Omissible = 'temperature' | 'max_tokens';
/** What servers call the most tokens of an answer. */
export type TokensField = 'max_tokens' | 'max_completion_tokens';

export interface AskedRequest {
  endpoint: Endpoint;
  dialect: Dialect;
  /** The model as the server names it. */
  model: string;
  prompt: string;
  /** The messages of a chat, or of a prompt that consists of several; `prompt` is then not looked at. */
  messages?: readonly Message[];
  /** Fields of this request alone, such as its tools. */
  fields?: RequestBody;
  /** Tokens of the answer: the most, and with `forcing` the least too. */
  outputTokens: number;
  forcing: Forcing;
  /** Whether the server's prefix cache is part of the measurement; false by default. */
  usesCache?: boolean;
  /** Fields that are not sent. */
  omits?: readonly Omissible[];
  tokensField?: TokensField;
  /** Further fields of every body; they replace fields of the same name. */
  extra?: RequestBody;
  /** Ask for token counts in every chunk, where the dialect has them; they make every chunk longer. */
  continuousUsage?: boolean;
}

type AskedLimits = Pick<AskedRequest, 'endpoint' | 'omits' | 'tokensField'>;

/** A request as the object it is in JSON. */
export type RequestBody = Record<string, unknown>;

const textOf = ({ content }: Message) =>
  typeof content === 'string' ? content : content.map((part) => ('text' in part ? part.text : '')).join('');

function promptFields({
  endpoint,
  prompt,
  messages,
}: Pick<AskedRequest, 'endpoint' | 'prompt' | 'messages'>): RequestBody {
  const said = messages ?? [{ role: 'user', content: prompt }];
  if (endpoint === 'chat') return { messages: said };
  if (endpoint === 'responses') return { input: said.flatMap(toResponseItems) };
  const text = messages?.map(textOf).join('\n\n') ?? prompt;
  if (endpoint === 'embeddings') return { input: text, encoding_format: 'float' };
  // What only counts a prompt ranks one document.
  if (endpoint === 'rerank') return { query: text, documents: ['1'] };
  return { prompt: text };
}

/** Greedy, and no longer than asked. */
function limitFields({ endpoint, omits = [], tokensField = 'max_tokens' }: AskedLimits, tokens: number): RequestBody {
  const field = endpoint === 'responses' ? 'max_output_tokens' : tokensField;
  return {
    ...(!omits.includes('max_tokens') && { [field]: tokens }),
    ...(!omits.includes('temperature') && { temperature: 0 }),
  };
}

/** The body of a measured request: streamed, with usage at the end, greedy. */
export function requestBody(asked: AskedRequest): RequestBody {
  const { dialect, model, outputTokens, forcing } = asked;
  if (!Number.isSafeInteger(outputTokens) || outputTokens < 1)
    throw new RangeError('outputTokens must be a whole number above 0');
  if (answersDocument(asked.endpoint)) return { model, ...promptFields(asked), ...asked.fields, ...asked.extra };
  const row = dialectRow(dialect);
  const isContinuous = asked.continuousUsage === true && row.tellsContinuousUsage;
  return {
    model,
    ...promptFields(asked),
    stream: true,
    ...(asked.endpoint === 'responses'
      ? { store: false }
      : { stream_options: { include_usage: true, ...(isContinuous ? { continuous_usage_stats: true } : {}) } }),
    ...limitFields(asked, outputTokens),
    ...row.fields(outputTokens, forcing, asked.usesCache ?? false),
    ...(asked.endpoint === 'responses' ? toResponseFields(asked.fields) : asked.fields),
    ...asked.extra,
  };
}

/** The same as the bytes to send, made before the clock of the request starts. */
export function encodeRequest(asked: AskedRequest): Uint8Array {
  return Buffer.from(JSON.stringify(requestBody(asked)));
}

/** A prompt to count; `system`: a system message before it. */
type CountedPrompt = Omit<AskedRequest, 'outputTokens' | 'forcing' | 'messages'> & { system?: string };

/**
 * The body of a request that only asks how long a prompt is, for the calibrator: one token, not streamed. It has to go
 * to the endpoint that is measured, whose template it counts.
 */
export function countingBody({ system, ...counted }: CountedPrompt): RequestBody {
  const { dialect, model, prompt } = counted;
  const messages: Message[] = [
    { role: 'system', content: system ?? '' },
    { role: 'user', content: prompt },
  ];
  const asked = system === undefined ? counted : { ...counted, messages };
  if (answersDocument(asked.endpoint)) return { model, ...promptFields(asked), ...asked.extra };
  return {
    model,
    ...promptFields(asked),
    stream: false,
    ...limitFields(asked, 1),
    ...dialectRow(dialect).fields(1, 'none', false),
    ...asked.extra,
  };
}

/**
 * `usage.prompt_tokens` of an answer, `input_tokens` of a response, `total_tokens` of a ranking, `tokens_evaluated` of
 * llama.cpp's own API; null where it states none.
 */
export function readPromptTokens(answer: unknown): number | null {
  if (typeof answer !== 'object' || answer === null) return null;
  if ('tokens_evaluated' in answer && typeof answer.tokens_evaluated === 'number') return answer.tokens_evaluated;
  if (!('usage' in answer)) return null;
  const { usage } = answer;
  if (typeof usage !== 'object' || usage === null) return null;
  const { prompt_tokens, input_tokens, total_tokens }: Record<string, unknown> = { ...usage };
  // Of an answer with generated tokens, total_tokens would count those too; it has the others.
  return [prompt_tokens, input_tokens, total_tokens].find((tokens) => typeof tokens === 'number') ?? null;
}
