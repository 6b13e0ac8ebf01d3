import type { StreamChunk, Usage } from './stream-chunk.ts';

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const count = (value: unknown): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 0x7fffffff ? value : null;

/** The counts of an event that has them. `timings.prompt_n` are the tokens of the prompt that were not cached. */
function readUsage({ tokens_evaluated, tokens_predicted, timings }: Json): Usage | null {
  const promptTokens = count(tokens_evaluated);
  const outputTokens = count(tokens_predicted);
  if (promptTokens === null && outputTokens === null) return null;
  const computed = isObject(timings) ? count(timings.prompt_n) : null;
  const cached = promptTokens === null || computed === null ? null : count(promptTokens - computed);
  return { promptTokens, outputTokens, cachedTokens: cached };
}

/** Of the last event: its flags until November 2024, `stop_type` since. */
function readFinish({ stopped_limit, stop_type }: Json): string {
  return stopped_limit === true || stop_type === 'limit' ? 'length' : 'stop';
}

/**
 * Reads an event of llama.cpp's own API, with which servers before December 2024 also answer `/v1/completions`:
 * https://github.com/ggml-org/llama.cpp/blob/b4000/examples/server/README.md. Null where it is not one.
 */
export function parseNativeEvent(event: Json): StreamChunk | null {
  const { content, stop } = event;
  if (typeof content !== 'string' || typeof stop !== 'boolean' || event.choices !== undefined) return null;
  const usage = readUsage(event);
  return {
    textKey: content === '' ? null : 'content',
    isReasoning: false,
    isPlain: !stop && usage === null,
    finishReason: stop ? readFinish(event) : null,
    usage,
    error: null,
    // No [DONE] follows.
    ...(stop && { isLast: true as const }),
  };
}
