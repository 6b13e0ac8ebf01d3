import { describe, expect, test } from 'vitest';
import { gpus, models } from '../../catalogue/index.ts';
import { type GradedWords, gradeOf, missingOf, serving } from '../../testing/graded.ts';
import { doubtsOf, type SystemWords } from '../../testing/result.ts';
import { p2UserSpeed } from './p2-user-speed.ts';
import { p3SystemSpeed } from './p3-system-speed.ts';
import { p4ComputeBudget } from './p4-compute-budget.ts';
import { p5PrefillFloor } from './p5-prefill-floor.ts';
import { p8PowerLimit } from './p8-power-limit.ts';
import { p9DraftTokens } from './p9-draft-tokens.ts';

// Llama 3.1 8B: 7.505e9 parameters per decoded token, 6.979e9 per prompt token.
const decodeParams = 7.505e9;
const fastest = {
  bandwidth: Math.max(...gpus.map((gpu) => gpu.memoryBandwidthGbsMaxPublished)) * 1e9,
  bf16: Math.max(...gpus.map(({ tflopsDense }) => Math.max(tflopsDense.bf16 ?? 0, tflopsDense.fp16 ?? 0))) * 1e12,
  any: Math.max(...gpus.map(({ tflopsDense }) => tflopsDense.fp4 ?? 0)) * 1e12,
};
const smallest = Math.min(...models.map((model) => model.matmulParamsPerTokenB ?? Infinity)) * 1e9;

describe('an unknown GPU', () => {
  const unknown: SystemWords = { gpu: 'unspecified', gpuCount: null };
  const user = (tokS: number, system: SystemWords) => gradeOf(p2UserSpeed, { metrics: { user_tok_s: tokS }, system });

  test.each(['unspecified', 'Frobnicator 9000'])('%s is compared with the fastest of the catalogue', (gpu) => {
    const bound = fastest.bandwidth / (2 * decodeParams);
    expect(user(1.16 * bound, { gpu, gpuCount: 1 })).toBe('above_roofline violation');
    expect(user(1.14 * bound, { gpu, gpuCount: 1 })).toBe('unchecked');
    expect(user(1.16 * bound, { gpu, gpuCount: 2 })).toBe('unchecked');
  });

  test('is one GPU if no count is stated', () => {
    const bound = fastest.bandwidth / (2 * decodeParams);
    expect(user(1.16 * bound, unknown)).toBe('above_roofline violation');
    expect(missingOf(p2UserSpeed, { metrics: { user_tok_s: 10 }, system: unknown })).toEqual([
      'a GPU of the catalogue and how many',
    ]);
  });

  test.each<[string, typeof p3SystemSpeed, GradedWords]>([
    ['a batch', p3SystemSpeed, { load: { mode: 'batch', level: 64 }, metrics: { decode_tok_s: 1e12 } }],
    ['a run', p4ComputeBudget, { metrics: { output_tok_s: 1e12 } }],
    [
      'a run of unknown load',
      p4ComputeBudget,
      { load: { mode: 'unspecified', level: null }, metrics: { output_tok_s: 1e12 } },
    ],
    ['a prompt', p5PrefillFloor, { metrics: { prefill_tok_s: 1e12 } }],
    ['a total', p4ComputeBudget, { metrics: { total_tok_s: 1e12 } }],
  ])('cannot decode 1e12 tok/s: %s', (_, check, words) => {
    expect(gradeOf(check, { ...words, system: unknown })).toBe('above_roofline violation');
  });

  test('is replaced by the fastest GPU, which the message names', () => {
    const [doubt] = doubtsOf(p4ComputeBudget, serving({ metrics: { output_tok_s: 1e12 }, system: unknown }));
    expect(doubt?.message).toContain('one GPU as fast as any of the catalogue has');
  });
});

describe('an unspecified model', () => {
  const nothing: SystemWords = {
    model: 'unspecified',
    quantization: 'unspecified',
    gpu: 'unspecified',
    gpuCount: null,
  };
  const output = (tokS: number, system: SystemWords) =>
    gradeOf(p4ComputeBudget, { metrics: { output_tok_s: tokS }, system });

  test('is at least as large as the smallest of the catalogue', () => {
    const bound = fastest.any / (2 * smallest);
    expect(output(1.16 * bound, nothing)).toBe('above_roofline violation');
    expect(output(1e12, nothing)).toBe('above_roofline violation');
  });

  // 15e15 / (2 x 0.494e9) is 15.2e6 tok/s. The claim is within the limits of all hardware but remains unchecked.
  test('never passes with 7,777,777 tok/s and everything unspecified', () => {
    expect(output(7_777_777, nothing)).toBe('unchecked');
    expect(output(7_777_777, { ...nothing, gpu: 'h100-sxm', gpuCount: 1 })).toBe('above_roofline violation');
  });

  test('has no memory bound, because it may be smaller than all of the catalogue', () => {
    const words = { metrics: { user_tok_s: 100_000 }, system: { model: 'unspecified' } };
    expect(gradeOf(p2UserSpeed, words)).toBe('unchecked');
    expect(missingOf(p2UserSpeed, words)).toEqual(['a model of the catalogue']);
  });

  test('with an unknown name is unchecked', () => {
    expect(output(1e12, { model: 'Frobnicate 1T' })).toBe('unchecked');
  });

  test('of a family is its smallest model', () => {
    // The smallest Llama 3.1 is 8B: 15.01e9 bytes in bf16.
    const user = (tokS: number) =>
      gradeOf(p2UserSpeed, { metrics: { user_tok_s: tokS }, system: { model: 'llama3.1' } });
    expect(user(1.16 * (3350e9 / 15.01e9))).toBe('above_roofline violation');
    expect(user(1.14 * (3350e9 / 15.01e9))).toBe('unchecked');
  });
});

describe('declared features of a system', () => {
  const user = (tokS: number, system: SystemWords, extra = {}) =>
    gradeOf(p2UserSpeed, { metrics: { user_tok_s: tokS }, system, extra });
  const bound = 3350e9 / 15.01e9;

  test.each<[string, SystemWords]>([
    ['a million drafted tokens', { features: { draft_tokens: 1_000_000 } }],
    ['speculation of unknown length', { features: { speculative_decoding: true } }],
  ])('%s: allows at most 17 tokens per step', (_, system) => {
    expect(user(2e8, system)).toBe('above_roofline violation');
    expect(user(1.16 * 17 * bound, system)).toBe('above_roofline violation');
    expect(user(16 * bound, system)).not.toContain('violation');
  });

  test.each<[string, SystemWords]>([
    ['offload', { features: { offload: true } }],
    ['an unknown format', { quantization: 'unspecified' }],
    ['a format without figures', { quantization: 'exl2' }],
  ])('%s still has a bound', (_, system) => {
    expect(user(2e8, system)).toBe('above_roofline violation');
    expect(user(1.2 * bound, system)).toBe('unchecked');
  });

  test('a file of one byte is treated as the smallest format', () => {
    expect(user(2e8, {}, { file_bytes: 1, params: 8e9 })).toBe('above_roofline violation');
  });

  test('drafting is bound by compute for every token of a batch', () => {
    // 16 drafts for 2000 sequences would read 17 tokens per step. Compute allows 989e12 / 15.01e9 tok/s.
    const decoded = (tokS: number, draft_tokens: number) =>
      gradeOf(p3SystemSpeed, {
        load: { mode: 'batch', level: 2000 },
        metrics: { decode_tok_s: tokS },
        system: { features: { draft_tokens } },
      });
    const most = fastest.bf16 > 0 ? 989e12 / 15.01e9 : 0;
    expect(decoded(1.16 * most, 16)).toBe('above_roofline violation');
    expect(decoded(0.9 * most, 16)).toBe('pass');
  });

  test('drafting is bound by compute for a single user of a small model', () => {
    const words = (tokS: number): GradedWords => ({
      metrics: { user_tok_s: tokS },
      system: { model: 'qwen2.5-0.5b', quantization: 'fp8', features: { draft_tokens: 16 } },
    });
    const most = 1979e12 / (2 * smallest);
    expect(gradeOf(p2UserSpeed, words(1.16 * most))).toBe('above_roofline violation');
    const [doubt] = doubtsOf(p2UserSpeed, serving(words(2 * most)));
    expect(doubt?.message).toContain('would need 3958 TFLOP/s; one NVIDIA H100 SXM5 80GB has 1979 TFLOP/s');
  });
});

// With 17 tokens a step, an H20 reads four bits per weight faster than it multiplies: 17 x 4000e9 / 3.7525e9 is 18 121.
test('drafting saves memory reads but no compute, so compute bounds a model of any size', () => {
  const system = { gpu: 'h20', quantization: 'w4a16', features: { draft_tokens: 16 } };
  const [doubt] = doubtsOf(p2UserSpeed, serving({ metrics: { user_tok_s: 20_000 }, system }));
  expect(doubt?.message).toContain('would need 300.2 TFLOP/s; one NVIDIA H20 96GB has 148 TFLOP/s');
  expect(doubt?.evidence.bound).toBeCloseTo(148e12 / (2 * decodeParams), 6);
});

describe('P9, drafted tokens', () => {
  test.each<[SystemWords['features'], string]>([
    [{}, 'not_applicable'],
    [{ draft_tokens: 16 }, 'pass'],
    [{ draft_tokens: 17 }, 'violation'],
    [{ draft_tokens: 1_000_000 }, 'violation'],
    [{ num_speculative_tokens: '64' }, 'violation'],
    [{ draft_tokens: 'many' }, 'pass'],
    // A tree of 64 drafts with a depth of five gives at most six tokens.
    [{ speculative_num_steps: 5, speculative_num_draft_tokens: 64 }, 'pass'],
    [{ speculative_num_draft_tokens: 64 }, 'violation'],
    [{ speculative_num_steps: 64 }, 'violation'],
  ])('%j: %s', (features = {}, expected) => {
    expect(gradeOf(p9DraftTokens, { system: { features } })).toBe(expected);
  });

  test('states the number and the maximum', () => {
    const [doubt] = doubtsOf(p9DraftTokens, serving({ system: { features: { draft_tokens: 1_000_000 } } }));
    expect(doubt?.message).toBe('draft_tokens is 1000000: no server drafts more than 16 tokens for one step.');
  });
});

describe('P8, the power limit', () => {
  test.each<[string, number | null, string]>([
    ['rtx-pro-6000-blackwell-ws', null, 'not_applicable'],
    ['rtx-pro-6000-blackwell-ws', 1, 'violation'],
    ['rtx-pro-6000-blackwell-ws', 89, 'violation'],
    ['rtx-pro-6000-blackwell-ws', 90, 'pass'],
    ['rtx-pro-6000-blackwell-ws', 150, 'pass'],
    ['rtx-pro-6000-blackwell-ws', 600, 'pass'],
    ['a100-sxm4-80gb', 100, 'pass'],
    ['h100-sxm', 200, 'pass'],
    // A family has no single power: the PCIe card may draw 350 W, the SXM module 700 W.
    ['H100', 60, 'pass'],
    ['H100', 50, 'violation'],
    // Jetson Orin Nano: 15 W, with a minimum of 2.25 W.
    ['unspecified', 1, 'violation'],
    ['unspecified', 10, 'unchecked'],
    ['apple-m1', 1, 'violation'],
    ['apple-m1', 10, 'unchecked'],
  ])('%s at %j W: %s', (gpu, gpuPowerLimitW, expected) => {
    expect(gradeOf(p8PowerLimit, { system: { gpu, gpuPowerLimitW } })).toBe(expected);
  });

  test('names the missing rated power', () => {
    expect(missingOf(p8PowerLimit, { system: { gpu: 'apple-m1', gpuPowerLimitW: 10 } })).toEqual([
      'the rated power of this GPU',
    ]);
  });

  test('names the catalogue if the GPU has no rated power', () => {
    const [doubt] = doubtsOf(p8PowerLimit, serving({ system: { gpu: 'apple-m1', gpuPowerLimitW: 1 } }));
    expect(doubt?.message).toBe(
      'A power limit of 1 W is too low. The minimum for the GPUs of the catalogue is 2.25 W.',
    );
  });

  test('states the minimum', () => {
    const [doubt] = doubtsOf(p8PowerLimit, serving({ system: { gpu: 'h100-sxm', gpuPowerLimitW: 1 } }));
    expect(doubt?.message).toBe(
      'A power limit of 1 W is too low. The minimum for the GPU "h100-sxm", rated for 700 W, is 105 W.',
    );
  });
});
