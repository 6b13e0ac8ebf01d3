import { describe, expect, test } from 'vitest';
import { computeFit, parseQuestion } from '../index.ts';

const rowOf = (q: string) => computeFit(parseQuestion(q)).rows[0];

describe('the cache', () => {
  test.each([
    ['how much vram for llama 3.1 70b', 1],
    ['how much vram for llama 3.1 70b with 20 users', 20],
    ['vram for llama 3.1 70b with 10 concurrent requests', 10],
    ['vram for llama 3.1 70b with at least 8 users', 8],
    ['vram for llama 3.1 70b at 20 req/s', 1],
  ])('holds all requests at once: %s', (q, requests) => {
    const [row, one] = [rowOf(q), rowOf('how much vram for llama 3.1 70b')];
    expect(row?.requests).toBe(requests);
    expect(row?.cacheGb).toBeCloseTo(requests * (one?.cacheGb ?? 0));
    expect((row?.totalGb ?? 0) - (one?.totalGb ?? 0)).toBeCloseTo((requests - 1) * (one?.cacheGb ?? 0));
  });

  test('is of the requested context, and the calculation states both', () => {
    const row = rowOf('kv cache size for 32 users at 8k context llama 3.1 8b');
    expect(row?.arithmetic).toContain('32 requests × 8000 tokens × 131072 B = 33.6 GB cache');
  });

  test('is at most of the context of the model', () => {
    expect(rowOf('vram for llama 3 70b with 16k context')?.arithmetic).toContain("8192 tokens (the model's maximum)");
  });
});

test('models with a shorter context are omitted if others of the group have it', () => {
  const { rows } = computeFit(parseQuestion('vram for llama 70b at 32k context'));
  expect(rows.map(({ model }) => model)).toContain('llama-3.1-70b');
  expect(rows.map(({ model }) => model)).not.toContain('llama-2-70b');
});

test('models without a name are not listed in a format with more bits than the published one', () => {
  const { rows } = computeFit(parseQuestion('biggest model for 48gb vram without quantization'));
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.map(({ model }) => model)).not.toContain('gpt-oss-20b');
  expect(rowOf('vram for gpt-oss-20b in bf16')?.quantization).toBe('bf16');
});
