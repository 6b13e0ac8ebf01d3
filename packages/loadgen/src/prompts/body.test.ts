import { describe, expect, test } from 'vitest';
import { type AskedRequest, countingBody, encodeRequest, readPromptTokens, requestBody } from './body.ts';
import { type Dialect, dialects } from './dialects.ts';

const asked: AskedRequest = {
  endpoint: 'chat',
  dialect: 'openai',
  model: 'a/b',
  prompt: '7 able “ü”',
  outputTokens: 256,
  forcing: 'ignore_eos',
};

const plain = {
  model: 'a/b',
  stream: true,
  stream_options: { include_usage: true },
  max_tokens: 256,
  temperature: 0,
};
const messages = [{ role: 'user', content: '7 able “ü”' }];

describe('a chat request', () => {
  // An additional field causes a 400 on strict servers. A missing one ends the response early.
  test.each<[Dialect, object]>([
    ['vllm', { ignore_eos: true }],
    ['sglang', { ignore_eos: true }],
    ['llama.cpp', { ignore_eos: true, cache_prompt: false }],
    ['tgi', {}],
    ['ollama', {}],
    ['openai', {}],
  ])('to %s has exactly its fields', (dialect, fields) => {
    expect(requestBody({ ...asked, dialect })).toEqual({ ...plain, messages, ...fields });
  });
});

test('leaves the prefix cache of llama.cpp on if it is part of the measurement', () => {
  const body = requestBody({ ...asked, dialect: 'llama.cpp', usesCache: true });
  expect(body).toEqual({ ...plain, messages, ignore_eos: true });
});

test('a completion request contains the unchanged prompt', () => {
  expect(requestBody({ ...asked, endpoint: 'completions' })).toEqual({ ...plain, prompt: asked.prompt });
});

test('adds min_tokens for servers that support it', () => {
  const of = (dialect: Dialect) => requestBody({ ...asked, dialect, forcing: 'ignore_eos_and_min_tokens' });
  expect(of('vllm')).toMatchObject({ ignore_eos: true, min_tokens: 256 });
  expect(of('sglang')).toMatchObject({ ignore_eos: true, min_tokens: 256 });
  for (const dialect of ['llama.cpp', 'tgi', 'ollama', 'openai'] as const)
    expect(of(dialect)).not.toHaveProperty('min_tokens');
});

test('sends neither field without forcing', () => {
  for (const dialect of dialects) {
    const body = requestBody({ ...asked, dialect, forcing: 'none' });
    expect(body).not.toHaveProperty('ignore_eos');
    expect(body).not.toHaveProperty('min_tokens');
  }
});

test('requests continuous usage only from servers that support it', () => {
  const optionsOf = (dialect: Dialect) => requestBody({ ...asked, dialect, continuousUsage: true }).stream_options;
  expect(optionsOf('vllm')).toEqual({ include_usage: true, continuous_usage_stats: true });
  expect(optionsOf('ollama')).toEqual({ include_usage: true });
});

test('encodes the body as UTF-8', () => {
  expect(JSON.parse(new TextDecoder().decode(encodeRequest(asked)))).toEqual(requestBody(asked));
});

test.each([0, -1, 1.5, Number.NaN])('rejects %s output tokens', (outputTokens) => {
  expect(() => requestBody({ ...asked, outputTokens })).toThrow(RangeError);
});

test('requests one token without a stream for counting', () => {
  expect(countingBody({ ...asked, dialect: 'llama.cpp' })).toEqual({
    ...{ model: 'a/b', messages, stream: false, max_tokens: 1, temperature: 0, cache_prompt: false },
  });
});

test('reads prompt tokens from usage, or null', () => {
  expect(readPromptTokens({ usage: { prompt_tokens: 12, completion_tokens: 1 } })).toBe(12);
  expect(readPromptTokens({ content: ' a', stop: true, tokens_evaluated: 9, tokens_predicted: 1 })).toBe(9);
  for (const answer of [null, 'x', {}, { usage: null }, { usage: {} }, { usage: { prompt_tokens: '12' } }])
    expect(readPromptTokens(answer)).toBeNull();
});
