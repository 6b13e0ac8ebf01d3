import { describe, expect, test } from 'vitest';
import { type GradedWords, gradeOf, missingOf, serving } from '../../testing/graded.ts';
import { doubtsOf, type ResultWords, type SystemWords } from '../../testing/result.ts';
import { p2UserSpeed } from './p2-user-speed.ts';
import { p3SystemSpeed } from './p3-system-speed.ts';

// Llama 3.1 8B in bf16 reads 7.505e9 x 2 bytes per token; an H100 SXM reads 3350e9 bytes per second.
const weightBytes = 15.01e9;
const bound = 3350e9 / weightBytes;
const user = (speed: number, words: GradedWords = {}) =>
  gradeOf(p2UserSpeed, { metrics: { user_tok_s: speed }, ...words });

describe('P2, speed of one user', () => {
  test.each([
    [0.9199, 'pass'],
    [0.9201, 'near_roofline info'],
    [0.9999, 'near_roofline info'],
    [1.0001, 'at_roofline warning'],
    [1.1499, 'at_roofline warning'],
    [1.1501, 'above_roofline violation'],
  ])('%d of the bound: %s', (ratio, expected) => {
    expect(user(ratio * bound)).toBe(expected);
  });

  test('states the required bandwidth for 400 tok/s', () => {
    const [doubt] = doubtsOf(p2UserSpeed, serving({ metrics: { user_tok_s: 400 } }));
    expect(doubt?.message).toBe(
      '400 tok/s per user would need 6.004 TB/s; one NVIDIA H100 SXM5 80GB has 3.35 TB/s: 179.2 % of the hardware limit.',
    );
    expect(doubt?.evidence).toMatchObject({ claimed: 400, bytes_per_step: weightBytes, tokens_per_step: 1, gpus: 1 });
    expect(doubt?.evidence.bound).toBeCloseTo(223.1845, 3);
    expect(doubt?.evidence.ratio).toBeCloseTo(1.7922, 4);
  });

  test('uses the plural for several GPUs', () => {
    const [doubt] = doubtsOf(p2UserSpeed, serving({ system: { gpuCount: 2 }, metrics: { user_tok_s: 600 } }));
    expect(doubt?.message).toContain('would need 9.006 TB/s; 2 x NVIDIA H100 SXM5 80GB have 6.7 TB/s');
  });

  // 3.8 ms may be 3.85 rounded: 259.7 tok/s or 1.164 of the bound. 4 ms may be 4.5 rounded: 222.2 tok/s, 0.996 of it.
  test.each<[string, ResultWords['metrics'], string]>([
    ['TPOT', { tpot_ms_mean: 3.8 }, 'above_roofline violation'],
    ['a rounded TPOT', { tpot_ms_mean: 4 }, 'near_roofline info'],
    ['decode speed', { decode_tok_s: 2 * bound }, 'above_roofline violation'],
    ['nothing', { output_tok_s: 50 }, 'not_applicable'],
    ['a TPOT of 0, rounded', { tpot_ms_mean: 0 }, 'not_applicable'],
  ])('for a claim by %s', (_, metrics, expected) => {
    expect(gradeOf(p2UserSpeed, { metrics: metrics ?? {} })).toBe(expected);
  });

  test('does not use gaps between chunks as times per token', () => {
    const metrics = { itl_ms_mean: 2.01 };
    expect(gradeOf(p2UserSpeed, { metrics, definitions: { itl_ms: 'per_token' } })).toBe('above_roofline violation');
    expect(gradeOf(p2UserSpeed, { metrics, definitions: { itl_ms: 'per_chunk' } })).toBe('not_applicable');
  });

  // A GPU with figures from one source, with an absurd claim.
  test('only warns about a GPU with a single source', () => {
    expect(user(200, { system: { gpu: 'rtx-4090-d' } })).toBe('above_roofline warning');
  });

  // The H100 NVL is the fastest of three, with 3900e9 bytes per second.
  test.each([
    [1.1499, 'at_roofline warning'],
    [1.1501, 'above_roofline violation'],
  ])('uses the fastest variant of a family: %d', (ratio, expected) => {
    expect(user((ratio * 3900e9) / weightBytes, { system: { gpu: 'H100' } })).toBe(expected);
  });

  test.each<[string, SystemWords, number]>([
    ['no layout', {}, 8],
    ['tensor 8', { parallelism: { tensor: 8, pipeline: null, data: null, expert: null } }, 8],
    ['tensor 2', { parallelism: { tensor: 2, pipeline: null, data: null, expert: null } }, 2],
    ['tensor 2, pipeline 4', { parallelism: { tensor: 2, pipeline: 4, data: null, expert: null } }, 2],
    ['tensor 2, expert 4', { parallelism: { tensor: 2, pipeline: null, data: null, expert: 4 } }, 8],
    ['tensor 64', { parallelism: { tensor: 64, pipeline: null, data: null, expert: null } }, 8],
    ['pipeline 4', { parallelism: { tensor: null, pipeline: 4, data: null, expert: null } }, 2],
    ['data 8', { parallelism: { tensor: null, pipeline: null, data: 8, expert: null } }, 1],
    ['pipeline 4, data 8', { parallelism: { tensor: null, pipeline: 4, data: 8, expert: null } }, 1],
    ['3 of 8 for decoding', { features: { decode_gpus: 3 } }, 3],
    ['more for decoding than there are', { features: { decode_gpus: 12 } }, 8],
    [
      'experts across replicas',
      { parallelism: { tensor: 1, pipeline: null, data: 8, expert: null }, features: { expert_parallel: true } },
      8,
    ],
  ])('of 8 GPUs with %s, one user has %j', (_, system, width) => {
    expect(user(0.91 * width * bound, { system: { ...system, gpuCount: 8 } })).toBe('pass');
    expect(user(1.16 * width * bound, { system: { ...system, gpuCount: 8 } })).toBe('above_roofline violation');
  });

  describe('features that raise the bound', () => {
    test.each<[string, SystemWords['features'], ResultWords['extra'], string]>([
      ['3 drafted tokens', { speculative_decoding: true, draft_tokens: 3 }, {}, 'pass'],
      ['3 drafted tokens, as text', { draft_tokens: '3' }, {}, 'pass'],
      ['drafting without a number', { speculative_decoding: 'eagle3' }, {}, 'unchecked'],
      ['drafting under another name', { eagle3: true }, {}, 'unchecked'],
      ['an accepted length of 2.7', {}, { acc_length: 2.7 }, 'unchecked'],
      ['an accepted length of 1', {}, { acc_length: 1 }, 'above_roofline violation'],
      ['counters of vLLM', {}, { drafts: 100, draft_tokens: 300, accepted_tokens: 150 }, 'pass'],
      ['an accepted length of vLLM alone', {}, { acceptance_length: 2.1 }, 'unchecked'],
      ['speculation switched off', { speculative_decoding: 'none', draft_tokens: 0 }, {}, 'above_roofline violation'],
      ['offload', { offload: true }, {}, 'unchecked'],
      ['no offload', { offload: false }, {}, 'above_roofline violation'],
      ['experts on the processor', { override_tensor: 'exps=CPU' }, {}, 'unchecked'],
      ['2:4 sparsity', { sparsity: '2:4' }, {}, 'near_roofline info'],
    ])('%s', (_, features = {}, extra = {}, expected) => {
      expect(user(1.9 * bound, { system: { features }, extra })).toBe(expected);
    });

    test('names the missing metric', () => {
      expect(
        missingOf(p2UserSpeed, { metrics: { user_tok_s: 9 }, system: { features: { speculative: true } } }),
      ).toEqual(['the number of draft_tokens']);
    });
  });

  // 131 072 bytes per token at 16 bits: 8192 tokens are 1.0737e9 bytes.
  test.each<[string, string | undefined, number]>([
    ['16 bits', undefined, 16],
    ['auto', 'auto', 16],
    ['fp8', 'fp8', 8],
    ['e5m2', 'fp8_e5m2', 8],
    ['q8_0', 'q8_0', 8],
    ['q4_0', 'q4_0', 4],
    ['an unknown type', 'turbo', 0],
  ])('with a cache of %s', (_, dtype, bits) => {
    const bytes = weightBytes + (8192 * 131072 * bits) / 16;
    const words: GradedWords = {
      scenario: { inputTokens: 8192 },
      system: { features: dtype === undefined ? {} : { kv_cache_dtype: dtype } },
    };
    expect(user((1.149 * 3350e9) / bytes, words)).toBe('at_roofline warning');
    expect(user((1.151 * 3350e9) / bytes, words)).toBe('above_roofline violation');
  });

  test('uses counted prompt tokens instead of requested ones', () => {
    const speed = (1.149 * 3350e9) / (weightBytes + 100 * 131072);
    const words = (counted: number) => ({
      scenario: { inputTokens: 32768 },
      metrics: { user_tok_s: speed, input_tokens: 10 * counted, requests_ok: 10 },
    });
    expect(gradeOf(p2UserSpeed, words(100))).toBe('at_roofline warning');
    expect(gradeOf(p2UserSpeed, words(32768))).toBe('above_roofline violation');
  });

  // The catalogue has only an upper limit for these, which must not cause a violation.
  test.each([
    ['gemma-3-27b', 54.016e9, 0],
    ['deepseek-v3.2', 73.25e9, 0],
    ['gpt-oss-120b', 10.262e9, 36864],
    ['qwen3.5-35b-a3b', 5.89e9, 5120],
  ])('%s reads a part of its context', (model, weights, cacheBytes) => {
    const words = { scenario: { inputTokens: 100_000 }, system: { model, gpuCount: 8 } };
    const speed = (8 * 3350e9) / (weights + 100_000 * cacheBytes);
    expect(user(1.149 * speed, words)).toBe('at_roofline warning');
    expect(user(1.151 * speed, words)).toBe('above_roofline violation');
  });

  test.each<[string, SystemWords, string[]]>([
    ['a model without figures', { model: 'mistral-small-3.1-24b' }, ["the model's active parameters"]],
    [
      'an unknown model and GPU',
      { model: 'x', gpu: 'y' },
      ['a GPU of the catalogue and how many', 'a model of the catalogue'],
    ],
    ['no number of GPUs', { gpuCount: null }, ['a GPU of the catalogue and how many']],
    ['an unknown format', { quantization: 'exl2' }, ['the bits of this quantization']],
    [
      'weights that fit in caches',
      { model: 'qwen2.5-0.5b', quantization: 'w4a16' },
      ['the bandwidth of the GPU caches, which may hold so few weights,'],
    ],
  ])('is unchecked with %s, and names it', (_, system, expected) => {
    expect(missingOf(p2UserSpeed, { metrics: { user_tok_s: 400 }, system })).toEqual(expected);
  });

  // 0.494e9 parameters: less than 0.5 GB at 8 bits, more at 16 bits.
  test.each([
    ['fp8', 'unchecked'],
    ['bf16', 'above_roofline violation'],
  ])('for a model of half a billion in %s: %s', (quantization, expected) => {
    expect(user(1e5, { system: { model: 'qwen2.5-0.5b', quantization } })).toBe(expected);
  });

  test.each(['kernel', 'training'] as const)('does not apply to a %s result', (kind) => {
    expect(user(1e6, { kind })).toBe('not_applicable');
  });
});

describe('P3, speed of all users', () => {
  // 64 users with 2048 tokens each: 15.01e9 + 64 x 2048 x 131 072 bytes, 9.609 ms per step.
  const bytes = weightBytes + 64 * 2048 * 131072;
  const systemBound = (64 * 3350e9) / bytes;
  const many: GradedWords = { scenario: { inputTokens: 2048 }, load: { mode: 'concurrency', level: 64 } };
  const decoded = (speed: number, words: GradedWords = many) =>
    gradeOf(p3SystemSpeed, { metrics: { decode_tok_s: speed }, ...words });

  test.each([
    [0.9199, 'pass'],
    [0.9201, 'near_roofline info'],
    [0.9999, 'near_roofline info'],
    [1.0001, 'at_roofline warning'],
    [1.1499, 'at_roofline warning'],
    [1.1501, 'above_roofline violation'],
  ])('%d of the bound: %s', (ratio, expected) => {
    expect(decoded(ratio * systemBound)).toBe(expected);
  });

  // One context for all: 15.01e9 + 2048 x 131 072 bytes, 4.561 ms per step.
  test.each<[Record<string, boolean>, string]>([
    [{ shared_prompt: true }, 'pass'],
    [{ prefix_caching: true }, 'pass'],
    [{ prefix_caching: false }, 'above_roofline violation'],
  ])('for 8000 tok/s with %j: %s', (features, expected) => {
    expect(decoded(8000, { ...many, system: { features } })).toBe(expected);
    expect(decoded(1.2 * ((64 * 3350e9) / (weightBytes + 2048 * 131072)), { ...many, system: { features } })).toBe(
      'above_roofline violation',
    );
  });

  test('states the minimum step time', () => {
    const [doubt] = doubtsOf(p3SystemSpeed, serving({ ...many, metrics: { decode_tok_s: 8000 } }));
    expect(doubt?.message).toBe(
      '8000 tok/s for 64 sequences would need a step of 8 ms; one NVIDIA H100 SXM5 80GB needs at least 9.609 ms: 120.1 % of the hardware limit.',
    );
    expect(doubt?.evidence).toMatchObject({ batch: 64, bytes_per_step: bytes, context_tokens: 2048, claimed: 8000 });
    expect(doubt?.evidence.compute_bound).toBeCloseTo(989e12 / 15.01e9, 3);
  });

  test('uses the plural for several GPUs and the singular for one sequence', () => {
    const words: GradedWords = { system: { gpuCount: 2 }, metrics: { output_tok_s: 600 } };
    const [doubt] = doubtsOf(p3SystemSpeed, serving(words));
    expect(doubt?.message).toContain(
      '600 tok/s for 1 sequence would need a step of 1.667 ms; 2 x NVIDIA H100 SXM5 80GB need at least',
    );
  });

  // At 4096 users without a context, 2 x 7.505e9 x 4096 operations take longer than reading the weights.
  test('uses the compute bound for a large batch', () => {
    const computeBound = 989e12 / 15.01e9;
    const words: GradedWords = { load: { mode: 'batch', level: 4096 } };
    expect(decoded(1.149 * computeBound, words)).toBe('at_roofline warning');
    expect(decoded(1.151 * computeBound, words)).toBe('above_roofline violation');
  });

  test('uses the memory bound for a GPU without compute figures', () => {
    expect(decoded(1e9, { ...many, system: { gpu: 'apple-m1' } })).toBe('above_roofline violation');
  });

  test.each<[string, GradedWords, string]>([
    ['a rate', { load: { mode: 'rate', level: 64 } }, 'unchecked'],
    ['a rate under a cap', { load: { mode: 'rate', level: 9, maxConcurrency: 64 } }, 'above_roofline violation'],
    ['a load not stated', { load: { mode: 'unspecified', level: null } }, 'unchecked'],
    ['a burst', { load: { mode: 'burst', level: 64 } }, 'above_roofline violation'],
  ])('for output tokens under %s', (_, words, expected) => {
    expect(gradeOf(p3SystemSpeed, { metrics: { output_tok_s: 1e5 }, ...words })).toBe(expected);
  });

  // For a queue of users, users x speed per user exceeds the actual decode rate.
  test('does not apply to the decode speed of a burst', () => {
    expect(decoded(1e6, { load: { mode: 'burst', level: 64 } })).toBe('not_applicable');
  });

  test('includes replicas but no prefill GPUs', () => {
    const parallelism = { tensor: 1, pipeline: null, data: 8, expert: null };
    const load = { mode: 'concurrency', level: 8 } as const;
    expect(decoded(0.9 * 8 * 8 * bound, { load, system: { gpuCount: 8, parallelism } })).toBe('pass');
    expect(decoded(1.2 * 2 * 8 * bound, { load, system: { gpuCount: 8, features: { decode_gpus: 2 } } })).toBe(
      'above_roofline violation',
    );
  });

  test.each(['kernel', 'training'] as const)('does not apply to a %s result', (kind) => {
    expect(decoded(1e9, { ...many, kind })).toBe('not_applicable');
  });
});
