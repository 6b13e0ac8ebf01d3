import type { StreamChunk, Usage } from './stream-chunk.ts';

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const count = (value: unknown): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 0x7fffffff ? value : null;

/** Events of `/v1/responses` that bring generated text; the names of reasoning events differ. */
const deltaForm =
  /^response\.(?:output_text|refusal|function_call_arguments|reasoning|reasoning_text|reasoning_summary_text)\.delta$/;

/** Events after which nothing follows. */
const lastForm = /^response\.(?:completed|incomplete|failed|cancelled)$/;

function readUsage(usage: unknown): Usage | null {
  if (!isObject(usage)) return null;
  const details = isObject(usage.input_tokens_details) ? usage.input_tokens_details : null;
  return {
    promptTokens: count(usage.input_tokens),
    outputTokens: count(usage.output_tokens),
    cachedTokens: count(details?.cached_tokens),
  };
}

/** Why a response failed, in the server's words. */
function errorOf({ error }: Json): string {
  return isObject(error) && typeof error.message === 'string' && error.message !== ''
    ? error.message
    : 'the server states an error without a message';
}

/** Reads an event of `/v1/responses`; null where it is not one. */
export function parseResponseEvent(event: Json): StreamChunk | null {
  const { type } = event;
  if (typeof type !== 'string' || !type.startsWith('response.')) return null;
  const hasText = deltaForm.test(type) && typeof event.delta === 'string' && event.delta !== '';
  const isLast = lastForm.test(type);
  const response = isLast && isObject(event.response) ? event.response : {};
  const details = isObject(response.incomplete_details) ? response.incomplete_details : null;
  return {
    textKey: hasText ? 'delta' : null,
    isReasoning: hasText && type.includes('reasoning'),
    isPlain: hasText,
    finishReason: isLast ? String(details?.reason ?? type.slice('response.'.length)).slice(0, 100) : null,
    usage: readUsage(response.usage),
    error: type === 'response.failed' ? errorOf(response) : null,
    ...(isLast && { isLast: true as const }),
  };
}
