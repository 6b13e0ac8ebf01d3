import { describe, expect, test } from 'vitest';
import { findGpu, resolveGpu } from '../catalogue/index.ts';
import type { Result } from '../result.ts';
import { doubtsOf } from '../testing/result.ts';
import { p0BitsPerWeight } from './p0-bits-per-weight.ts';
import { p1MemoryFit } from './p1-memory-fit.ts';

const gib = 2 ** 30;

interface Facts {
  gpu?: string;
  gpuCount?: number | null;
  quantization?: { id: string | null; name: string };
  features?: Result['system']['features'];
  extra?: Result['extra'];
  kind?: Result['kind'];
}

function llamaBench(facts: Facts): Result {
  const { id, family, name } = resolveGpu(facts.gpu ?? 'rtx-pro-6000-blackwell-ws');
  return {
    kind: facts.kind ?? 'serving',
    tool: { name: 'llama-bench', version: null },
    system: {
      model: { id: null, name: 'unspecified', family: null },
      quantization: { recipe: [], ...(facts.quantization ?? { id: null, name: 'unspecified' }) },
      gpu: { id, family, name },
      gpuCount: facts.gpuCount === undefined ? 1 : facts.gpuCount,
      gpuPowerLimitW: null,
      engine: { id: 'llama.cpp', name: 'llama.cpp', version: null },
      parallelism: { tensor: null, pipeline: null, data: null, expert: null },
      features: facts.features ?? {},
    },
    scenario: { id: 'tg128', inputTokens: 0, outputTokens: 128, dataset: null, depth: null, kernel: null },
    load: { mode: 'batch', level: 1 },
    repetition: null,
    metrics: { decode_tok_s: 2.68 },
    definitions: { decode_tok_s: 'in_process' },
    repeats: null,
    records: null,
    limits: null,
    extra: facts.extra ?? {},
    measuredAt: null,
    lines: { from: 1, to: 1 },
  };
}

describe('P0, bits per weight', () => {
  const q8 = { id: 'gguf-q8_0', name: 'Q8_0' };

  test('gpt-oss 120B printed as Q8_0 holds 4.41 bits: info, never more', () => {
    const [verdict] = doubtsOf(
      p0BitsPerWeight,
      llamaBench({ quantization: q8, extra: { file_bytes: 60.03 * gib, params: 116.83e9 } }),
    );
    expect(verdict).toMatchObject({
      severity: 'info',
      evidence: { named: 'gguf-q8_0', named_bits_per_weight: 8.5008 },
    });
    expect(verdict?.evidence.bits_per_weight).toBeCloseTo(4.41, 2);
    expect(verdict?.message).toContain('4.414 bits per weight, but Q8_0 has 8.501');
  });

  test('a Q4_0 of 3.56 GiB and 6.74 B parameters is what it is called', () => {
    const extra = { file_bytes: 3.56 * gib, params: 6.74e9 };
    expect(doubtsOf(p0BitsPerWeight, llamaBench({ quantization: { id: 'gguf-q4_0', name: 'Q4_0' }, extra }))).toEqual(
      [],
    );
  });

  // 8 bits within 15 %: 6.8 to 9.2.
  test.each([
    [9.19, []],
    [9.21, ['info']],
    [6.81, []],
    [6.79, ['info']],
    [8, []],
  ])('fp8 weights of %d bits: %j', (bits, expected) => {
    const extra = { file_bytes: bits * 1e9, params: 8e9 };
    const verdicts = doubtsOf(p0BitsPerWeight, llamaBench({ quantization: { id: 'fp8', name: 'fp8' }, extra }));
    expect(verdicts.map((verdict) => verdict.severity)).toEqual(expected);
  });

  test.each<[string, Facts]>([
    ['no parameter count', { quantization: q8, extra: { file_bytes: 60 * gib } }],
    ['no file size', { quantization: q8, extra: { params: 116e9 } }],
    ['an unknown quantization', { extra: { file_bytes: 60 * gib, params: 116e9 } }],
    [
      'a quantization of no fixed width',
      { quantization: { id: 'exl2', name: 'exl2' }, extra: { file_bytes: 60 * gib, params: 116e9 } },
    ],
  ])('is unchecked with %s', (_, facts) => {
    expect(doubtsOf(p0BitsPerWeight, llamaBench(facts))).toMatchObject([{ severity: 'unchecked' }]);
  });

  test('has nothing to say where no file is described, or about training', () => {
    expect(doubtsOf(p0BitsPerWeight, llamaBench({ quantization: q8 }))).toEqual([]);
    const extra = { file_bytes: 60 * gib, params: 116e9 };
    expect(doubtsOf(p0BitsPerWeight, llamaBench({ quantization: q8, extra, kind: 'training' }))).toEqual([]);
  });
});

describe('P1, fit into memory', () => {
  const severities = (facts: Facts) => doubtsOf(p1MemoryFit, llamaBench(facts)).map((verdict) => verdict.severity);
  const bytes = (amount: number) => ({ file_bytes: amount });

  test('99.90 GiB on the 96 GB card ran, so it is a warning', () => {
    const [verdict] = doubtsOf(p1MemoryFit, llamaBench({ extra: bytes(99.9 * gib) }));
    expect(verdict?.severity).toBe('warning');
    expect(verdict?.evidence.ratio).toBeCloseTo(99.9 / 96, 9);
    expect(verdict?.message).toContain('99.9 GiB, 1 x NVIDIA RTX PRO 6000');
  });

  // 96 GiB fit; 105.6 GiB are the most that a driver may spill.
  test.each([
    [96 * gib, []],
    [96 * gib + 1, ['warning']],
    [Math.floor(1.1 * 96 * gib), ['warning']],
    [Math.ceil(1.1 * 96 * gib) + 1, ['violation']],
  ])('%d bytes on one card of 96 GB: %j', (amount, expected) => {
    expect(severities({ extra: bytes(amount) })).toEqual(expected);
  });

  test('a 70B of 141.1e9 bytes is beyond one RTX 4090, and fits onto six', () => {
    expect(severities({ gpu: 'rtx-4090', extra: bytes(141.1e9) })).toEqual(['violation']);
    expect(severities({ gpu: 'rtx-4090', gpuCount: 6, extra: bytes(141.1e9) })).toEqual([]);
  });

  test('a card with a single source is only ever warned about', () => {
    expect(findGpu('rtx-4090-d')?.verified).toBe('one-source');
    expect(severities({ gpu: 'rtx-4090-d', extra: bytes(141.1e9) })).toEqual(['warning']);
  });

  test.each<[string, Facts]>([
    ['the size of the weights unknown', {}],
    ['an unknown GPU', { gpu: 'Frobnicator 9000', extra: bytes(900 * gib) }],
    ['no number of GPUs', { gpuCount: null, extra: bytes(900 * gib) }],
    ['unified memory', { gpu: 'gb10', extra: bytes(900 * gib) }],
    ['layers offloaded', { features: { offload: true }, extra: bytes(900 * gib) }],
    ['a number of layers offloaded', { features: { offload: 20 }, extra: bytes(900 * gib) }],
  ])('is unchecked with %s', (_, facts) => {
    expect(severities(facts)).toEqual(['unchecked']);
  });

  // Saying that nothing was offloaded must not switch the check off.
  test('offload: false is no offload', () => {
    expect(severities({ features: { offload: false }, extra: bytes(900 * gib) })).toEqual(['violation']);
  });

  test('has nothing to say about kernels', () => {
    expect(severities({ kind: 'kernel', extra: bytes(900 * gib) })).toEqual([]);
  });
});
