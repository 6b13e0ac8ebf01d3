import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Records } from '../../records.ts';
import { type GradedWords, gradeOf, missingOf, serving } from '../../testing/graded.ts';
import { makeRequest } from '../../testing/requests.ts';
import { doubtsOf, type ResultWords, type SystemWords } from '../../testing/result.ts';
import { p4ComputeBudget } from './p4-compute-budget.ts';
import { p5PrefillFloor } from './p5-prefill-floor.ts';

// Llama 3.1 8B: 6.979e9 parameters per prompt token, 7.505e9 per output token. H100 SXM: 989e12 FLOP/s in 16 bits, 1979e12
// in 8.
const promptFlops = 2 * 6.979e9;
const outputFlops = 2 * 7.505e9;

/** One request with part of its prompt from a cache. */
const recorded = (inputTokens: number, cachedTokens: number): Records => ({
  requests: [makeRequest({ inputTokens, cachedTokens })],
  stated: {},
  statedDefinitions: {},
  figures: [],
  certificates: {},
});

describe('P4, compute budget of a run', () => {
  const input = (tokS: number, words: GradedWords = {}) =>
    gradeOf(p4ComputeBudget, { metrics: { input_tok_s: tokS }, ...words });
  const bound = 989e12 / promptFlops;

  test.each([
    [0.9199, 'pass'],
    [0.9201, 'near_roofline info'],
    [0.9699, 'near_roofline info'],
    // No measured matrix multiplication exceeds this share of the peak.
    [0.9701, 'at_roofline warning'],
    [1.1499, 'at_roofline warning'],
    [1.1501, 'above_roofline violation'],
  ])('%d of the bound: %s', (ratio, expected) => {
    expect(input(ratio * bound)).toBe(expected);
  });

  test('states the required compute', () => {
    const words: GradedWords = {
      system: { quantization: 'fp8' },
      load: { mode: 'rate', level: 100 },
      metrics: { input_tok_s: 200_000, output_tok_s: 15_000 },
    };
    const [doubt] = doubtsOf(p4ComputeBudget, serving(words));
    expect(doubt?.message).toBe(
      '200000 input and 15000 output tok/s would need 3017 TFLOP/s; one NVIDIA H100 SXM5 80GB has 1979 TFLOP/s: 152.4 % of the hardware limit.',
    );
    expect(doubt?.evidence).toMatchObject({ input_tok_s: 200_000, output_tok_s: 15_000, uncached_share: 1 });
    expect(doubt?.evidence.claimed).toBeCloseTo(200_000 * promptFlops + 15_000 * outputFlops, -6);
    expect(doubt?.evidence.ratio).toBeCloseTo(1.5244, 4);
  });

  test.each<[string, ResultWords['metrics'], string]>([
    ['output alone', { output_tok_s: (1.2 * 989e12) / outputFlops }, 'above_roofline violation'],
    ['counts and a duration', { input_tokens: 12 * bound, duration_s: 10 }, 'above_roofline violation'],
    ['a total', { total_tok_s: 1.2 * bound }, 'above_roofline violation'],
    ['counts of an instant', { input_tokens: 100, duration_s: 0 }, 'not_applicable'],
    ['counts without a duration', { input_tokens: 1e9 }, 'not_applicable'],
    ['latency', { ttft_ms_mean: 1 }, 'not_applicable'],
  ])('for a claim by %s', (_, metrics, expected) => {
    expect(gradeOf(p4ComputeBudget, { metrics: metrics ?? {} })).toBe(expected);
  });

  describe('a prefix cache', () => {
    test.each<[string, GradedWords, string]>([
      ['declared without counts', { system: { features: { prefix_caching: true } } }, 'unchecked'],
      ['declared to be off', { system: { features: { prefix_caching: 'off' } } }, 'above_roofline violation'],
      [
        'declared with half of the tokens counted as cached',
        { system: { features: { prefix_caching: true } }, records: recorded(100, 50) },
        'pass',
      ],
      ['undeclared with half of the tokens counted as cached', { records: recorded(100, 50) }, 'pass'],
      [
        'declared with no cached tokens',
        { system: { features: { prefix_caching: true } }, records: recorded(100, 0) },
        'above_roofline violation',
      ],
      ['with more cached tokens than there are', { records: recorded(100, 200) }, 'pass'],
    ])('%s', (_, words, expected) => {
      expect(input(1.5 * bound, words)).toBe(expected);
    });

    test('reports output that alone exceeds the bound', () => {
      const metrics = { input_tok_s: 1, output_tok_s: (1.2 * 989e12) / outputFlops };
      expect(gradeOf(p4ComputeBudget, { metrics, system: { features: { prefix_caching: true } } })).toBe(
        'above_roofline violation',
      );
    });
  });

  // The highest rate at which a format might run. Activations wider than the weights are slower but possible.
  test.each<[string, string, number]>([
    ['bf16', 'h100-sxm', 989e12],
    ['w4a16', 'h100-sxm', 989e12],
    ['fp8', 'h100-sxm', 1979e12],
    ['Q4_K_M', 'h100-sxm', 1979e12],
    ['mxfp4', 'b200-sxm', 9000e12],
    ['nvfp4', 'b200-sxm', 9000e12],
    ['unspecified', 'h100-sxm', 1979e12],
    ['fp8', 'a100-sxm4-80gb', 624e12],
    ['bf16', 'H100', 989e12],
  ])('for %s on %s, allows %d', (quantization, gpu, flops) => {
    expect(input((1.149 * flops) / promptFlops, { system: { quantization, gpu } })).toBe('at_roofline warning');
    expect(input((1.151 * flops) / promptFlops, { system: { quantization, gpu } })).toBe('above_roofline violation');
  });

  test('allows any rate for a file with the name of another type', () => {
    // 4.25 bits per weight in a file that claims 8.5.
    const extra = { file_bytes: 4.25 * 1e9, params: 8e9 };
    const system = { gpu: 'b200-sxm', quantization: 'Q8_0' };
    expect(input((0.9 * 9000e12) / promptFlops, { system, extra })).toBe('pass');
    expect(input((0.9 * 9000e12) / promptFlops, { system })).toBe('above_roofline violation');
  });

  test('doubles the bound for 2:4 sparsity', () => {
    expect(input(1.9 * bound, { system: { features: { sparsity: '2:4' } } })).toBe('near_roofline info');
  });

  test('includes prefill GPUs', () => {
    expect(input(7 * bound, { system: { gpuCount: 8, features: { decode_gpus: 2 } } })).toBe('pass');
  });

  test('only warns about a GPU with a single source', () => {
    const bound = 330.3e12 / (2 * 6.979e9);
    expect(input(1.2 * bound, { system: { gpu: 'rtx-4090-d' } })).toBe('above_roofline warning');
  });

  test.each<[string, SystemWords, string[]]>([
    ['a GPU without compute figures', { gpu: 'mi350x' }, ['the arithmetic rate of this GPU']],
    ['a model without figures', { model: 'mistral-small-3.1-24b' }, ["the model's active parameters"]],
    ['an unknown model', { model: 'x' }, ['a model of the catalogue']],
  ])('is unchecked with %s, and names it', (_, system, expected) => {
    expect(missingOf(p4ComputeBudget, { metrics: { input_tok_s: 9 }, system })).toEqual(expected);
    expect(missingOf(p5PrefillFloor, { metrics: { prefill_tok_s: 9 }, system })).toEqual(expected);
  });

  test.each(['kernel', 'training'] as const)('does not apply to a %s result', (kind) => {
    expect(input(1e9, { kind })).toBe('not_applicable');
  });

  test('never gets stricter with more GPUs, or less strict with more tokens', () => {
    const grades = ['pass', 'near_roofline info', 'at_roofline warning', 'above_roofline violation'];
    const rate = fc.double({ min: 0, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(rate, rate, rate, fc.integer({ min: 1, max: 8 }), (input_tok_s, output_tok_s, more, gpuCount) => {
        const grade = (tokens: number, count: number) =>
          grades.indexOf(
            gradeOf(p4ComputeBudget, { metrics: { input_tok_s: tokens, output_tok_s }, system: { gpuCount: count } }),
          );
        const first = grade(input_tok_s, gpuCount);
        expect(first).toBeGreaterThanOrEqual(0);
        expect(grade(input_tok_s + more, gpuCount)).toBeGreaterThanOrEqual(first);
        expect(grade(input_tok_s, gpuCount + 1)).toBeLessThanOrEqual(first);
      }),
    );
  });
});

describe('P5, prefill floor', () => {
  const bound = 989e12 / promptFlops;
  const prefill = (tokS: number, words: GradedWords = {}) =>
    gradeOf(p5PrefillFloor, { metrics: { prefill_tok_s: tokS }, ...words });
  /** A prompt of 8192 counted tokens with the given TTFT in ms. The minimum is 115.61 ms. */
  const ttft = (ms: number, words: GradedWords = {}) =>
    gradeOf(p5PrefillFloor, {
      ...words,
      metrics: { ttft_ms_mean: ms, input_tokens: 81_920, requests_ok: 10, ...words.metrics },
    });

  test.each([
    [0.9199, 'pass'],
    [0.9201, 'near_roofline info'],
    [0.9999, 'near_roofline info'],
    [1.0001, 'at_roofline warning'],
    [1.1499, 'at_roofline warning'],
    [1.1501, 'above_roofline violation'],
  ])('%d of the bound: %s', (ratio, expected) => {
    expect(prefill(ratio * bound)).toBe(expected);
    expect(ttft((8192 / bound / ratio) * 1000)).toBe(expected);
  });

  test('states the required compute for a prompt within 50 ms', () => {
    const [doubt] = doubtsOf(
      p5PrefillFloor,
      serving({ metrics: { ttft_ms_mean: 50.0001, input_tokens: 81_920, requests_ok: 10 } }),
    );
    expect(doubt?.message).toBe(
      '8192 prompt tokens within 50 ms would need 2287 TFLOP/s; one NVIDIA H100 SXM5 80GB has 989 TFLOP/s: 231.2 % of the hardware limit.',
    );
    expect(doubt?.evidence.bound_tok_s).toBeCloseTo(70_855.4, 1);
  });

  test('only warns if prompt lengths are requested, not measured', () => {
    const words: GradedWords = { metrics: { ttft_ms_mean: 1 }, scenario: { inputTokens: 8192 } };
    expect(gradeOf(p5PrefillFloor, words)).toBe('above_roofline warning');
  });

  test('excludes counted prompts of failed requests', () => {
    expect(ttft(57, { metrics: { requests_failed: 0 } })).toBe('above_roofline violation');
    expect(ttft(57, { metrics: { requests_failed: 15 } })).toBe('pass');
  });

  test('multiplies the prompt by the batch if TTFT is that of the batch', () => {
    const words: GradedWords = {
      metrics: { ttft_ms_mean: 100 },
      scenario: { inputTokens: 1024 },
      load: { mode: 'batch', level: 16 },
    };
    expect(gradeOf(p5PrefillFloor, words)).toBe('pass');
    expect(gradeOf(p5PrefillFloor, { ...words, definitions: { ttft_ms: 'last_of_batch' } })).toBe(
      'above_roofline violation',
    );
    expect(gradeOf(p5PrefillFloor, { ...words, definitions: { ttft_ms: 'prefill_only' } })).toBe(
      'above_roofline violation',
    );
  });

  const layout = (over: Partial<NonNullable<SystemWords['parallelism']>>) => ({
    parallelism: { tensor: null, pipeline: null, data: null, expert: null, ...over },
  });

  // Eight GPUs, one prompt. A pipeline processes chunks of it in parallel; replicas do not.
  test.each<[string, SystemWords, number]>([
    ['no layout', {}, 8],
    ['tensor 2', layout({ tensor: 2 }), 2],
    ['tensor 2, pipeline 4', layout({ tensor: 2, pipeline: 4 }), 8],
    ['pipeline 8', layout({ pipeline: 8 }), 8],
    ['data 8', layout({ data: 8 }), 1],
    ['separate decode GPUs', { features: { decode_gpus: 6 } }, 8],
  ])('with %s, uses %s GPUs', (_, system, width) => {
    expect(prefill(0.9 * width * bound, { system: { gpuCount: 8, ...system } })).toBe('pass');
    expect(prefill(1.2 * width * bound, { system: { gpuCount: 8, ...system } })).toBe('above_roofline violation');
  });

  test('allows replicas to process several prompts in parallel', () => {
    const words: GradedWords = { load: { mode: 'batch', level: 8 }, system: { gpuCount: 8, ...layout({ data: 8 }) } };
    expect(prefill(0.9 * 8 * bound, words)).toBe('pass');
  });

  test.each<[string, GradedWords, string]>([
    ['declared without counts', { system: { features: { prefix_caching: true } } }, 'unchecked'],
    ['declared with counts', { system: { features: { prefix_caching: true } }, records: recorded(100, 50) }, 'pass'],
    ['undeclared with counts', { records: recorded(100, 50) }, 'pass'],
    [
      'declared with no cached tokens',
      { system: { features: { prefix_caching: true } }, records: recorded(9, 0) },
      'above_roofline violation',
    ],
  ])('a prefix cache %s', (_, words, expected) => {
    expect(prefill(1.5 * bound, words)).toBe(expected);
    expect(ttft((8192 / bound / 1.5) * 1000, words)).toBe(expected);
  });

  test.each<[string, GradedWords, string]>([
    ['an unknown prompt length', { metrics: { ttft_ms_mean: 1 } }, 'not_applicable'],
    ['a prompt length of 0', { metrics: { ttft_ms_mean: 1 }, scenario: { inputTokens: 0 } }, 'not_applicable'],
    ['no first token', { metrics: { output_tok_s: 1 } }, 'not_applicable'],
    ['no completed request', { metrics: { ttft_ms_mean: 1, input_tokens: 9, requests_ok: 0 } }, 'not_applicable'],
    ['a kernel', { kind: 'kernel', metrics: { prefill_tok_s: 1e9 } }, 'not_applicable'],
    ['training', { kind: 'training', metrics: { prefill_tok_s: 1e9 } }, 'not_applicable'],
    ['a single source', { system: { gpu: 'rtx-4090-d' }, metrics: { prefill_tok_s: 1e5 } }, 'above_roofline warning'],
    [
      'a claim above that of any GPU',
      { system: { gpu: 'rtx-4090-d' }, metrics: { prefill_tok_s: 1e9 } },
      'above_roofline violation',
    ],
  ])('with %s: %s', (_, words, expected) => {
    expect(gradeOf(p5PrefillFloor, words)).toBe(expected);
  });
});
