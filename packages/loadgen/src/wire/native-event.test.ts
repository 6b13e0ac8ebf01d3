import { expect, test } from 'vitest';
import { parseStreamChunk } from './stream-chunk.ts';

const nothing = { textKey: null, isReasoning: false, isPlain: false, finishReason: null, usage: null, error: null };

test.each<[string, object, object]>([
  [
    'text of a server of 2024',
    { content: ' foo', stop: false, id_slot: 0, multimodal: false, index: 0 },
    { ...nothing, textKey: 'content', isPlain: true },
  ],
  [
    'text with counts',
    { index: 0, content: ' foo', tokens: [7], stop: false, id_slot: -1, tokens_predicted: 3, tokens_evaluated: 9 },
    { ...nothing, textKey: 'content', usage: { promptTokens: 9, outputTokens: 3, cachedTokens: null } },
  ],
  ['a part of a character', { content: '', stop: false }, { ...nothing, isPlain: true }],
  [
    'the end at the requested length',
    {
      ...{ content: '', stop: true, stopped_eos: false, stopped_limit: true, stopped_word: false, truncated: false },
      ...{ tokens_predicted: 16, tokens_evaluated: 9, tokens_cached: 24, timings: { prompt_n: 4, predicted_n: 16 } },
    },
    {
      ...nothing,
      finishReason: 'length',
      usage: { promptTokens: 9, outputTokens: 16, cachedTokens: 5 },
      isLast: true,
    },
  ],
  [
    'the end of the sequence',
    { content: '', stop: true, stop_type: 'eos' },
    { ...nothing, finishReason: 'stop', isLast: true },
  ],
])('%s', (_what, event, chunk) => {
  expect(parseStreamChunk(JSON.stringify(event))).toEqual(chunk);
});
