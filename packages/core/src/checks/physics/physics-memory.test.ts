import { describe, expect, test } from 'vitest';
import { findGpu } from '../../catalogue/index.ts';
import { answerOf, doubtsOf, makeResult, type ResultWords } from '../../testing/result.ts';
import { p0BitsPerWeight } from './p0-bits-per-weight.ts';
import { p1MemoryFit } from './p1-memory-fit.ts';
import { p10ParameterCount } from './p10-parameter-count.ts';

const gib = 2 ** 30;

interface Facts extends Pick<ResultWords, 'extra' | 'kind' | 'system'> {}

/** A llama-bench row on one card of 96 GB, with the given overrides. */
function llamaBench({ system, ...rest }: Facts) {
  return makeResult({
    ...rest,
    system: { gpu: 'rtx-pro-6000-blackwell-ws', ...system },
    load: { mode: 'batch', level: 1 },
    metrics: { decode_tok_s: 2.68 },
  });
}

describe('P0, bits per weight', () => {
  const q8 = { quantization: 'Q8_0' };

  test('reports gpt-oss 120B printed as Q8_0 with 4.41 bits as info', () => {
    const [verdict] = doubtsOf(
      p0BitsPerWeight,
      llamaBench({ system: q8, extra: { file_bytes: 60.03 * gib, params: 116.83e9 } }),
    );
    expect(verdict).toMatchObject({
      severity: 'info',
      evidence: { named: 'gguf-q8_0', named_bits_per_weight: 8.5008 },
    });
    expect(verdict?.evidence.bits_per_weight).toBeCloseTo(4.41, 2);
    expect(verdict?.message).toContain('4.414 bits per weight, but Q8_0 has 8.501');
  });

  test('passes for a Q4_0 of 3.56 GiB and 6.74 B parameters', () => {
    const extra = { file_bytes: 3.56 * gib, params: 6.74e9 };
    expect(doubtsOf(p0BitsPerWeight, llamaBench({ system: { quantization: 'Q4_0' }, extra }))).toEqual([]);
  });

  // 8 bits plus or minus 15 %: 6.8 to 9.2.
  test.each([
    [9.19, []],
    [9.21, ['info']],
    [6.81, []],
    [6.79, ['info']],
    [8, []],
  ])('for fp8 weights of %d bits: %j', (bits, expected) => {
    const extra = { file_bytes: bits * 1e9, params: 8e9 };
    const verdicts = doubtsOf(p0BitsPerWeight, llamaBench({ system: { quantization: 'fp8' }, extra }));
    expect(verdicts.map((verdict) => verdict.severity)).toEqual(expected);
  });

  test.each<[string, Facts]>([
    ['no parameter count', { system: q8, extra: { file_bytes: 60 * gib } }],
    ['no file size', { system: q8, extra: { params: 116e9 } }],
    ['an unknown quantization', { extra: { file_bytes: 60 * gib, params: 116e9 } }],
    [
      'a quantization of no fixed width',
      { system: { quantization: 'exl2' }, extra: { file_bytes: 60 * gib, params: 116e9 } },
    ],
  ])('is unchecked with %s', (_, facts) => {
    const missing = ['file size, parameter count or the bits of this quantization'];
    expect(doubtsOf(p0BitsPerWeight, llamaBench(facts))).toMatchObject([
      { severity: 'unchecked', evidence: { missing } },
    ]);
  });

  test('reports nothing without a file, or for training', () => {
    expect(doubtsOf(p0BitsPerWeight, llamaBench({ system: q8 }))).toEqual([]);
    const extra = { file_bytes: 60 * gib, params: 116e9 };
    expect(doubtsOf(p0BitsPerWeight, llamaBench({ system: q8, extra, kind: 'training' }))).toEqual([]);
  });
});

describe('P1, fit in memory', () => {
  const severities = (facts: Facts) => doubtsOf(p1MemoryFit, llamaBench(facts)).map((verdict) => verdict.severity);
  const bytes = (amount: number) => ({ file_bytes: amount });

  test('warns about 99.90 GiB on the 96 GB card', () => {
    const [verdict] = doubtsOf(p1MemoryFit, llamaBench({ extra: bytes(99.9 * gib) }));
    expect(verdict?.severity).toBe('warning');
    expect(verdict?.evidence.ratio).toBeCloseTo(99.9 / 96, 9);
    expect(verdict?.message).toBe(
      'The weights take 99.9 GiB; one NVIDIA RTX PRO 6000 Blackwell Workstation Edition has 96 GiB: part of them must be outside GPU memory.',
    );
  });

  // 96 GiB fit. With spilling by the driver, the maximum is 105.6 GiB.
  test.each([
    [96 * gib, []],
    [96 * gib + 1, ['warning']],
    [Math.floor(1.1 * 96 * gib), ['warning']],
    [Math.ceil(1.1 * 96 * gib) + 1, ['violation']],
  ])('for %d bytes on one card of 96 GB: %j', (amount, expected) => {
    expect(severities({ extra: bytes(amount) })).toEqual(expected);
  });

  test('reports a 70B of 141.1e9 bytes on one RTX 4090, and passes on six', () => {
    expect(severities({ system: { gpu: 'rtx-4090' }, extra: bytes(141.1e9) })).toEqual(['violation']);
    expect(severities({ system: { gpu: 'rtx-4090', gpuCount: 6 }, extra: bytes(141.1e9) })).toEqual([]);
  });

  test('only warns about a GPU with a single source', () => {
    expect(findGpu('rtx-4090-d')?.verified).toBe('one-source');
    expect(severities({ system: { gpu: 'rtx-4090-d' }, extra: bytes(141.1e9) })).toEqual(['warning']);
  });

  test.each<[string, Facts]>([
    ['the size of the weights unknown', {}],
    ['an unknown GPU', { system: { gpu: 'Frobnicator 9000' }, extra: bytes(900 * gib) }],
    ['no number of GPUs', { system: { gpuCount: null }, extra: bytes(900 * gib) }],
    ['unified memory', { system: { gpu: 'gb10' }, extra: bytes(900 * gib) }],
    ['layers offloaded', { system: { features: { offload: true } }, extra: bytes(900 * gib) }],
    ['a number of layers offloaded', { system: { features: { offload: 20 } }, extra: bytes(900 * gib) }],
  ])('is unchecked with %s', (_, facts) => {
    expect(severities(facts)).toEqual(['unchecked']);
  });

  // Declaring that nothing is offloaded must not disable the check.
  test('ignores offload: false', () => {
    expect(severities({ system: { features: { offload: false } }, extra: bytes(900 * gib) })).toEqual(['violation']);
  });

  test('does not apply to kernels', () => {
    expect(severities({ kind: 'kernel', extra: bytes(900 * gib) })).toEqual([]);
  });

  test('uses the plural for several GPUs', () => {
    const [doubt] = doubtsOf(
      p1MemoryFit,
      llamaBench({ system: { gpu: 'rtx-4090', gpuCount: 2 }, extra: bytes(60 * gib) }),
    );
    expect(doubt?.message).toContain('60 GiB; 2 x NVIDIA GeForce RTX 4090 have 48 GiB');
  });

  // Llama 3.1 8B: 8.03e9 x 2 bytes are 16.06e9; a 2:4 pattern may halve them. Cards of 12 GB have 12.88e9 bytes.
  test.each<[string, string, string[]]>([
    ['bf16 on 24 GB', 'rtx-4090', []],
    ['bf16 on 12 GB', 'rtx-3060', ['violation']],
  ])('uses the parameters without a file: %s', (_, gpu, expected) => {
    expect(severities({ system: { model: 'llama-3.1-8b', quantization: 'bf16', gpu } })).toEqual(expected);
  });

  test('counts half of sparse weights', () => {
    const features = { sparsity: '2:4' };
    expect(severities({ system: { model: 'llama-3.1-8b', quantization: 'bf16', gpu: 'rtx-3060', features } })).toEqual(
      [],
    );
  });

  // 33 of 126 layers on the card, set with llama-bench's -ngl. The rest is in host memory.
  test.each([
    [33, ['unchecked']],
    [99, ['violation']],
    [-1, ['violation']],
  ])('with %d layers on the GPU: %j', (layers, expected) => {
    const extra = { ...bytes(200 * gib), n_gpu_layers: layers };
    expect(severities({ system: { model: 'llama-3.1-405b' }, extra })).toEqual(expected);
  });

  test('does not apply to kernels and training', () => {
    for (const kind of ['kernel', 'training'] as const)
      expect(answerOf(p1MemoryFit, llamaBench({ kind, extra: bytes(900 * gib) }))).toBe('not_applicable');
  });
});

describe('P10, parameter count', () => {
  const of = (model: string, params?: number) =>
    answerOf(p10ParameterCount, llamaBench({ system: { model }, extra: params === undefined ? {} : { params } }));

  test.each([
    ['Qwen/Qwen3-0.6B', 30.53e9],
    ['meta-llama/Llama-3.1-8B-Instruct', 1.24e9],
  ])('of another model than %s is a violation', (model, params) => {
    expect(of(model, params)).toMatchObject([
      { severity: 'violation', message: expect.stringContaining('another model was measured') },
    ]);
  });

  test('passes within rounding and with or without some layers', () => {
    expect(of('meta-llama/Llama-3.1-8B-Instruct', 8.03e9)).toBe('pass');
    expect(of('deepseek-ai/DeepSeek-R1', 672.05e9)).toBe('pass');
  });

  test('does not apply without a count', () => {
    expect(of('meta-llama/Llama-3.1-8B-Instruct')).toBe('not_applicable');
  });
});
