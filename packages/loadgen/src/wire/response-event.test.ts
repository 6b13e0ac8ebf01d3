import { expect, test } from 'vitest';
import { parseStreamChunk } from './stream-chunk.ts';

const nothing = { textKey: null, isReasoning: false, isPlain: false, finishReason: null, usage: null, error: null };

test.each<[string, object, object]>([
  [
    'text',
    { type: 'response.output_text.delta', delta: 'a', sequence_number: 4 },
    { ...nothing, textKey: 'delta', isPlain: true },
  ],
  [
    'reasoning',
    { type: 'response.reasoning_text.delta', delta: 'a' },
    { ...nothing, textKey: 'delta', isPlain: true, isReasoning: true },
  ],
  [
    'arguments of a call',
    { type: 'response.function_call_arguments.delta', delta: '{' },
    { ...nothing, textKey: 'delta', isPlain: true },
  ],
  ['an empty delta', { type: 'response.output_text.delta', delta: '' }, nothing],
  ['the start', { type: 'response.created', response: { error: null, usage: null } }, nothing],
  [
    'the end',
    {
      type: 'response.completed',
      response: { usage: { input_tokens: 9, output_tokens: 3, input_tokens_details: { cached_tokens: 8 } } },
    },
    {
      ...nothing,
      finishReason: 'completed',
      usage: { promptTokens: 9, outputTokens: 3, cachedTokens: 8 },
      isLast: true,
    },
  ],
  [
    'an end by length',
    { type: 'response.incomplete', response: { incomplete_details: { reason: 'max_output_tokens' } } },
    { ...nothing, finishReason: 'max_output_tokens', isLast: true },
  ],
  [
    'a failure',
    { type: 'response.failed', response: { error: { message: 'out of memory' } } },
    { ...nothing, finishReason: 'failed', error: 'out of memory', isLast: true },
  ],
])('%s', (_what, event, chunk) => {
  expect(parseStreamChunk(JSON.stringify(event))).toEqual(chunk);
});
