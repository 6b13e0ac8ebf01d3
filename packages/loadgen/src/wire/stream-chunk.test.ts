import { describe, expect, test } from 'vitest';
import { parseStreamChunk } from './stream-chunk.ts';

const nothing = { textKey: null, isReasoning: false, isPlain: true, finishReason: null, usage: null, error: null };
const usageOf = (promptTokens: number, outputTokens: number, cachedTokens: number | null = null) => ({
  promptTokens,
  outputTokens,
  cachedTokens,
});

describe('chunks of real servers', () => {
  test.each([
    [
      'vLLM, role only',
      '{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}',
      nothing,
    ],
    [
      'vLLM, text',
      '{"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":"Hi"},"logprobs":null,"finish_reason":null}]}',
      { ...nothing, textKey: 'content' },
    ],
    [
      'vLLM, reasoning',
      '{"id":"chatcmpl-1","choices":[{"index":0,"delta":{"reasoning_content":"Hm"},"finish_reason":null}]}',
      { ...nothing, textKey: 'reasoning_content', isReasoning: true },
    ],
    [
      'vLLM, the last text with the finish reason',
      '{"id":"1","choices":[{"index":0,"delta":{"content":"."},"finish_reason":"length","stop_reason":null}]}',
      { ...nothing, textKey: 'content', isPlain: false, finishReason: 'length' },
    ],
    [
      'vLLM, usage',
      '{"id":"1","choices":[],"usage":{"prompt_tokens":9,"total_tokens":12,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":8}}}',
      { ...nothing, isPlain: false, usage: usageOf(9, 3, 8) },
    ],
    [
      'vLLM, usage in every chunk',
      '{"choices":[{"index":0,"text":" a","finish_reason":null}],"usage":{"prompt_tokens":5,"completion_tokens":1}}',
      { ...nothing, textKey: 'text', isPlain: false, usage: usageOf(5, 1) },
    ],
    [
      'vLLM, an error of older versions',
      '{"object":"error","message":"too long","type":"BadRequestError","code":400}',
      { ...nothing, isPlain: false, error: 'too long' },
    ],
    [
      'SGLang, text with empty reasoning',
      '{"id":"1","choices":[{"index":0,"delta":{"role":null,"content":"Hi","reasoning_content":null,"tool_calls":null},"finish_reason":null,"matched_stop":null}],"usage":null}',
      { ...nothing, textKey: 'content' },
    ],
    [
      'SGLang, an aborted request',
      '{"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"abort"}]}',
      { ...nothing, isPlain: false, finishReason: 'abort', error: 'finish reason abort' },
    ],
    [
      'llama.cpp, the end with timings',
      '{"choices":[{"finish_reason":"length","index":0,"delta":{}}],"object":"chat.completion.chunk","timings":{"cache_n":4,"prompt_n":5,"predicted_n":3}}',
      {
        ...nothing,
        isPlain: false,
        finishReason: 'length',
        usage: { promptTokens: null, outputTokens: null, cachedTokens: 4 },
      },
    ],
    [
      'TGI, text with its role',
      '{"object":"chat.completion.chunk","id":"","created":1,"model":"m","system_fingerprint":"3","choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"},"logprobs":null,"finish_reason":null}],"usage":null}',
      { ...nothing, textKey: 'content' },
    ],
    [
      'TGI, an error',
      '{"error":"Request failed during generation","error_type":"generation"}',
      { ...nothing, isPlain: false, error: 'Request failed during generation' },
    ],
    [
      'Ollama, reasoning with empty text',
      '{"id":"1","choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"Hm"},"finish_reason":null}]}',
      { ...nothing, textKey: 'reasoning', isReasoning: true },
    ],
    [
      'a call of a tool',
      '{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]},"finish_reason":null}]}',
      { ...nothing, textKey: 'content' },
    ],
    ['an error without a message', '{"error":{"code":500}}', { ...nothing, isPlain: false, error: 'code 500' }],
    ['an empty object', '{}', { ...nothing, isPlain: false }],
    [
      'invalid counts',
      '{"choices":[],"usage":{"prompt_tokens":-1,"completion_tokens":1.5}}',
      { ...nothing, isPlain: false, usage: { promptTokens: null, outputTokens: null, cachedTokens: null } },
    ],
  ])('%s', (_what, data, chunk) => {
    expect(parseStreamChunk(data)).toEqual(chunk);
  });

  test.each(['', '{', 'null', '[1]', '"text"', '3', '{"a":1}}'])('rejects %j', (data) => {
    expect(parseStreamChunk(data)).toBeNull();
  });

  test('writes the text of an error on one line', () => {
    expect(parseStreamChunk(JSON.stringify({ error: `a\r\n\u0000b` }))?.error).toBe('a b');
  });
});
