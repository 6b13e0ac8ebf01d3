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

describe('without a format in the question', () => {
  test.each([
    ['can i run gpt-oss 120b on a single 4090', 'gguf-iq2_m'],
    ['how much vram for qwen3 32b', 'gguf-iq2_m'],
  ])('the smallest format is one that models are published in: %s', (q, smallest) => {
    expect(computeFit(parseQuestion(q)).rows.at(-1)?.quantization).toBe(smallest);
  });

  test.each([
    ['which quant of llama 3.3 70b fits 2x 3090', 'gguf-q4_k_m'],
    ['which quant of qwen3 32b fits m4 max 36gb', 'gguf-q5_k_m'],
    ['how much vram for qwen3 32b', 'bf16'],
  ])('the widest format is a usual one: %s', (q, widest) => {
    expect(computeFit(parseQuestion(q)).rows.find(({ fits }) => fits !== false)?.quantization).toBe(widest);
  });

  test('FP4 formats are of GPUs with FP4 arithmetic', () => {
    const formatsOf = (q: string) => computeFit(parseQuestion(q)).rows.map(({ quantization }) => quantization);
    expect(formatsOf('what quant of qwen3 32b fits on a 3090')).not.toContain('nvfp4');
    expect(formatsOf('what quant of qwen3 32b fits on a 5090')).toContain('nvfp4');
    expect(formatsOf('8gb vram what models')).not.toContain('nvfp4');
  });

  test('a format that is hardly smaller than the published one is not listed', () => {
    const formats = computeFit(parseQuestion('vram for gpt-oss-120b')).rows.map(({ quantization }) => quantization);
    expect(formats[0]).toBe('mxfp4');
    expect(formats).not.toContain('awq-int4');
  });

  test('MLX formats are of Apple GPUs only', () => {
    const formatsOf = (q: string) => computeFit(parseQuestion(q)).rows.map(({ quantization }) => quantization);
    expect(formatsOf('what quant of qwen3 32b fits on a 4090')).not.toContain('mlx-4bit');
    const ofMac = formatsOf('what quant of qwen3 32b fits on m4 max');
    expect(ofMac).toContain('mlx-4bit');
    expect(ofMac).not.toContain('awq-int4');
  });
});

test('three quarters of the memory of a Mac are usable', () => {
  expect(computeFit(parseQuestion('biggest model i can run on a macbook with 64gb')).usableGb).toBe(48);
});

test('a memory size after a vendor asks what fits', () => {
  const { kind, fit } = parseQuestion('qwen 3 235b 4bit mac studio 256gb');
  expect(kind).toBe('fit');
  expect(fit?.memoryGb).toBe(256);
});

test('models without a name are not listed in a format with more bits than the published one', () => {
  const { rows } = computeFit(parseQuestion('biggest model for 48gb vram without quantization'));
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.map(({ model }) => model)).not.toContain('gpt-oss-20b');
  expect(rowOf('vram for gpt-oss-20b in bf16')?.quantization).toBe('bf16');
});
