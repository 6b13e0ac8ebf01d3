import { type Dialect, dialectRow, type Forcing } from './dialects.ts';

/** Which of the two endpoints is asked: with a chat template around the prompt, or the prompt as it is. */
export const endpoints = ['chat', 'completions'] as const;
export type Endpoint = (typeof endpoints)[number];

/** Paths below the base URL of a server. */
export const endpointPaths: Record<Endpoint, string> = {
  chat: '/v1/chat/completions',
  completions: '/v1/completions',
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
  /** Tokens of the answer: the most, and with `forcing` the least too. */
  outputTokens: number;
  forcing: Forcing;
  /** Fields that are not sent. */
  omits?: readonly Omissible[];
  tokensField?: TokensField;
  /** Ask for token counts in every chunk, where the dialect has them; they make every chunk longer. */
  continuousUsage?: boolean;
}

type AskedLimits = Pick<AskedRequest, 'omits' | 'tokensField'>;

/** A request as the object it is in JSON. */
export type RequestBody = Record<string, unknown>;

function promptFields(endpoint: Endpoint, prompt: string): RequestBody {
  return endpoint === 'chat' ? { messages: [{ role: 'user', content: prompt }] } : { prompt };
}

/** Greedy, and no longer than asked. */
function limitFields({ omits = [], tokensField = 'max_tokens' }: AskedLimits, tokens: number): RequestBody {
  return {
    ...(!omits.includes('max_tokens') && { [tokensField]: tokens }),
    ...(!omits.includes('temperature') && { temperature: 0 }),
  };
}

/** The body of a measured request: streamed, with usage at the end, greedy. */
export function requestBody(asked: AskedRequest): RequestBody {
  const { endpoint, dialect, model, prompt, outputTokens, forcing } = asked;
  if (!Number.isSafeInteger(outputTokens) || outputTokens < 1)
    throw new RangeError('outputTokens must be a whole number above 0');
  const row = dialectRow(dialect);
  const isContinuous = asked.continuousUsage === true && row.tellsContinuousUsage;
  return {
    model,
    ...promptFields(endpoint, prompt),
    stream: true,
    stream_options: { include_usage: true, ...(isContinuous ? { continuous_usage_stats: true } : {}) },
    ...limitFields(asked, outputTokens),
    ...row.fields(outputTokens, forcing),
  };
}

/** The same as the bytes to send, made before the clock of the request starts. */
export function encodeRequest(asked: AskedRequest): Uint8Array {
  return Buffer.from(JSON.stringify(requestBody(asked)));
}

/**
 * The body of a request that only asks how long a prompt is, for the calibrator: one token, not streamed. It has to go
 * to the endpoint that is measured, whose template it counts.
 */
export function countingBody(asked: Omit<AskedRequest, 'outputTokens' | 'forcing'>): RequestBody {
  const { endpoint, dialect, model, prompt } = asked;
  return {
    model,
    ...promptFields(endpoint, prompt),
    stream: false,
    ...limitFields(asked, 1),
    ...dialectRow(dialect).fields(1, 'none'),
  };
}

/** `usage.prompt_tokens` of an answer; null where it tells none. */
export function readPromptTokens(answer: unknown): number | null {
  if (typeof answer !== 'object' || answer === null || !('usage' in answer)) return null;
  const { usage } = answer;
  if (typeof usage !== 'object' || usage === null || !('prompt_tokens' in usage)) return null;
  return typeof usage.prompt_tokens === 'number' ? usage.prompt_tokens : null;
}
