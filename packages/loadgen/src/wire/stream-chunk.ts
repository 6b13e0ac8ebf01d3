import { parseNativeEvent } from './native-event.ts';
import { parseResponseEvent } from './response-event.ts';

/** Token counts as the server states them; null where it does not. */
export interface Usage {
  promptTokens: number | null;
  outputTokens: number | null;
  /** Of the prompt, taken from the server's prefix cache. */
  cachedTokens: number | null;
}

/** The key whose string is the text of a chunk. */
export type TextKey = 'content' | 'text' | 'reasoning_content' | 'reasoning' | 'delta';

/** The content of one event of a completion stream. */
export interface StreamChunk {
  /** Under which key it brings text or reasoning that is not empty; null where it brings none. */
  textKey: TextKey | null;
  /** True if the text is reasoning. */
  isReasoning: boolean;
  /** True if it contains only its text, of one choice. */
  isPlain: boolean;
  finishReason: string | null;
  usage: Usage | null;
  /** The server's message if it gives up. */
  error: string | null;
  /** True of an event after which nothing follows, in place of `[DONE]`. */
  isLast?: true;
}

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const count = (value: unknown): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 0x7fffffff ? value : null;

/** Longer than a record's, so that a secret is found whole before the text is cut to that. */
const messageCharsMax = 2000;

/** A server's words on one line, without control characters. */
export function shorten(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must go
  const line = text.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim();
  return line.slice(0, messageCharsMax);
}

function errorMessage(error: unknown): string {
  if (isText(error)) return shorten(error);
  if (isObject(error)) {
    const { message, detail, type, code } = error;
    for (const text of [message, detail, type]) if (isText(text)) return shorten(text);
    if (typeof code === 'number') return `code ${code}`;
  }
  return 'the server states an error without a message';
}

/** `{"error": ..}` of most servers, and `{"object": "error", "message": ..}` of older vLLM. Null: no error. */
function readError(chunk: Json): string | null {
  if (chunk.error !== undefined && chunk.error !== null) return errorMessage(chunk.error);
  if (chunk.object === 'error' || chunk.type === 'error') return errorMessage(chunk);
  return null;
}

function readUsage(chunk: Json): Usage | null {
  // `timings` is llama.cpp's; its cache count is there even without usage.
  const timings = isObject(chunk.timings) ? chunk.timings : null;
  const usage = isObject(chunk.usage) ? chunk.usage : null;
  if (usage === null && timings === null) return null;
  const details = usage !== null && isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : null;
  return {
    promptTokens: count(usage?.prompt_tokens),
    outputTokens: count(usage?.completion_tokens),
    cachedTokens: count(details?.cached_tokens) ?? count(timings?.cache_n),
  };
}

type Text = Pick<StreamChunk, 'textKey' | 'isReasoning'>;
const noText: Text = { textKey: null, isReasoning: false };

function readText(choice: Json): Text {
  const delta = isObject(choice.delta) ? choice.delta : null;
  if (delta === null) return isText(choice.text) ? { textKey: 'text', isReasoning: false } : noText;
  if (isText(delta.content)) return { textKey: 'content', isReasoning: false };
  // Calls of tools and refusals are generated text too; they are rare enough never to be a template.
  const calls = delta.tool_calls;
  if ((Array.isArray(calls) && calls.length > 0) || isText(delta.refusal))
    return { textKey: 'content', isReasoning: false };
  if (isText(delta.reasoning_content)) return { textKey: 'reasoning_content', isReasoning: true };
  return isText(delta.reasoning) ? { textKey: 'reasoning', isReasoning: true } : noText;
}

/** Servers say these where they gave up. */
const brokenOff = new Set(['abort', 'error']);

function readFinish(choice: Json): string | null {
  return isText(choice.finish_reason) ? shorten(choice.finish_reason) : null;
}

/**
 * Reads the data of one event of `/v1/chat/completions`, `/v1/completions` or `/v1/responses`, as vLLM, SGLang, llama.cpp, TGI and Ollama
 * send them. Null where it is no JSON object.
 */
export function parseStreamChunk(data: string): StreamChunk | null {
  let chunk: unknown;
  try {
    chunk = JSON.parse(data);
  } catch {
    return null;
  }
  if (!isObject(chunk)) return null;
  const event = parseResponseEvent(chunk) ?? parseNativeEvent(chunk);
  if (event !== null) return event;
  const choices = Array.isArray(chunk.choices) ? chunk.choices.filter(isObject) : [];
  let text = noText;
  let finishReason: string | null = null;
  for (const choice of choices) {
    if (text.textKey === null) text = readText(choice);
    finishReason ??= readFinish(choice);
  }
  const usage = readUsage(chunk);
  const stated = readError(chunk);
  const error =
    stated ?? (finishReason !== null && brokenOff.has(finishReason) ? `finish reason ${finishReason}` : null);
  const isPlain = choices.length === 1 && finishReason === null && usage === null && error === null;
  return { ...text, isPlain, finishReason, usage, error };
}
