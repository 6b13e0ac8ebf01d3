import { expect, it } from 'vitest';
import { cacheKey } from './cache-key.ts';

it.each([
  ['http://a.example/v1/leaderboard', '/v1/leaderboard'],
  ['https://b.example:8787/v1/leaderboard?gpu=h100', '/v1/leaderboard?gpu=h100'],
  ['http://a/?b=2&a=1', '/?a=1&b=2'],
  // Values of one name form a list, so their order matters.
  ['http://a/x?gpu=h200&model=m&gpu=h100', '/x?gpu=h200&gpu=h100&model=m'],
  ['http://a/x?b&a&b=1', '/x?a&b&b=1'],
  ['http://a/x?gpu=1&gpu_count=2', '/x?gpu=1&gpu_count=2'],
  ['http://name:word@a/x?q=a%20b', '/x?q=a%20b'],
])('%s has the cache key %s', (url, key) => {
  expect(cacheKey(url)).toBe(key);
});
