import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findModel } from '../catalogue/index.ts';
import { computeBoundBatch, expectedStepBytes, expertsTouched, prefillFlops } from '../testing/expected-work.ts';
import { makeResult, type SystemWords } from '../testing/result.ts';
import { type Decoding, stepBytes, systemBound, userBound } from './bounds.ts';
import { gpuFigures } from './gpus.ts';
import { flopsMost, flopsOfPrecision } from './rates.ts';
import { weightFigures } from './weights.ts';

function decoding(system: SystemWords = {}, over: Partial<Decoding> = {}): Decoding {
  const result = makeResult({ system: { model: 'llama-3.1-8b', quantization: 'bf16', gpu: 'h100-sxm', ...system } });
  const [gpus, weights] = [gpuFigures(result.system), weightFigures(result)];
  if (gpus === null || weights === null) throw new Error('not in the catalogue');
  return { gpus, weights, context: 0, perStep: 1, ...over };
}

describe('decode bounds', () => {
  test('for one user are the bandwidth over the bytes per token', () => {
    expect(userBound(decoding())).toBeCloseTo(223.18, 2);
    expect(userBound(decoding({}, { perStep: 4 }))).toBeCloseTo(892.74, 2);
    expect(userBound(decoding({}, { context: 8192 }))).toBeCloseTo(208.28, 2);
  });

  test('for a batch of one are those of one user', () => {
    expect(systemBound(decoding(), 1)?.bound).toBeCloseTo(223.18, 2);
  });

  test('for 4096 sequences are compute-bound', () => {
    const limit = systemBound(decoding(), 4096);
    expect(limit?.bound).toBeCloseTo(989e12 / 15.01e9, 3);
    expect(limit?.computeBound).toBe(limit?.bound);
    // 2 x 7.505e9 x 4096 operations at 989e12 per second.
    expect(limit?.stepS).toBeCloseTo(0.062165, 6);
  });

  test('for a GPU without compute figures depend only on its memory', () => {
    expect(systemBound(decoding({ gpu: 'mi350x' }), 4096)).toMatchObject({ computeBound: null, bytesPerStep: 15.01e9 });
  });

  test('are missing without figures', () => {
    const unknown = decoding({ model: 'mistral-small-3.1-24b' });
    expect(userBound(unknown)).toBeNull();
    expect(systemBound(unknown, 8)).toBeNull();
    expect(stepBytes(decoding({ quantization: 'x' }).weights, 1, 0)).toBeNull();
  });

  test('never lower total throughput or raise the speed per user with more users', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2000 }), fc.integer({ min: 0, max: 100_000 }), (batch, context) => {
        const it = decoding({}, { context });
        const [few, many] = [systemBound(it, batch)?.bound ?? 0, systemBound(it, batch + 1)?.bound ?? 0];
        expect(many).toBeGreaterThanOrEqual(few * (1 - 1e-12));
        expect(many / (batch + 1)).toBeLessThanOrEqual((few / batch) * (1 + 1e-12));
      }),
    );
  });
});

describe('compute rates', () => {
  const rates = (quantization: string, gpu: string, features = {}) => {
    const { gpus, weights } = decoding({ quantization, gpu, features });
    return [flopsMost(gpus, weights), flopsOfPrecision(gpus, weights)];
  };

  test.each<[string, string, number | null, number | null]>([
    ['bf16', 'h100-sxm', 989e12, 989e12],
    // fp16 may accumulate in 16 bits, which is twice as fast on such cards.
    ['bf16', 'rtx-4090', 330.3e12, 165.2e12],
    ['fp8', 'h100-sxm', 1979e12, 1979e12],
    ['w8a8-int8', 'a100-sxm4-80gb', 624e12, 624e12],
    ['fp8', 'a100-sxm4-80gb', 624e12, null],
    ['w4a16', 'h100-sxm', 989e12, 989e12],
    ['nvfp4', 'b200-sxm', 9000e12, 9000e12],
    ['nvfp4', 'h100-sxm', 1979e12, null],
    ['mxfp4', 'h100-sxm', 1979e12, null],
    ['Q4_K_M', 'b200-sxm', 4500e12, null],
    ['x', 'b200-sxm', 9000e12, null],
    ['bf16', 'mi350x', null, null],
  ])('for %s on %s are at most %j, and %j as run', (quantization, gpu, most, run) => {
    expect(rates(quantization, gpu)).toEqual([most, run]);
  });

  test('are doubled by 2:4 sparsity', () => {
    expect(rates('bf16', 'h100-sxm', { sparsity: '2:4' })[0]).toBe(2 * 989e12);
  });
});

describe('memory reads', () => {
  test('include all experts for large batches, and only the active ones for one token', () => {
    expect(expertsTouched(128, 8, 1)).toBeCloseTo(8, 9);
    expect(expertsTouched(128, 8, 8)).toBeCloseTo(51.62, 2);
    expect(expertsTouched(128, 8, 10_000)).toBeCloseTo(128, 9);
  });

  test('are the same for any batch of a dense model, and missing without figures', () => {
    const [dense, unknown] = [findModel('llama-3.1-8b'), findModel('mistral-small-3.1-24b')];
    if (dense === null || unknown === null) throw new Error('not in the catalogue');
    expect(expectedStepBytes(dense, 1, { experts: 2, others: 2 })).toBe(15.01e9);
    expect(expectedStepBytes(dense, 512, { experts: 2, others: 2 })).toBe(15.01e9);
    expect(expectedStepBytes(unknown, 1, { experts: 2, others: 2 })).toBeNull();
    expect(prefillFlops(unknown, 100)).toBeNull();
  });

  // 197e12 operations and 819e9 bytes per second in 16 bits.
  test('a TPU v5e is compute-bound from 240 sequences', () => {
    expect(Math.floor(computeBoundBatch(197e12, 2, 819e9))).toBe(240);
  });
});
