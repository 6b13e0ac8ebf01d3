import { describe, expect, test } from 'vitest';
import { bytesOf, native, refusal } from '../testing/artifacts.ts';
import type { Parameters } from './parameters.ts';
import { readSubmission } from './read-submission.ts';

/** One user of Llama 3.1 8B in bf16, with an unknown GPU count by default. */
const report = (tokS: number, system: Record<string, unknown> = {}, extra: Record<string, unknown> = {}) =>
  bytesOf(
    native({
      system: { model: 'llama-3.1-8b', quantization: 'bf16', gpu: 'h100-sxm', ...system },
      results: [{ load: { mode: 'concurrency', level: 1 }, metrics: { user_tok_s: tokS }, ...extra }],
    }),
  );
const statusOf = (bytes: Uint8Array, given: Parameters = {}) => readSubmission(bytes, given).results[0]?.status;

describe('a bound that is exceeded only under the assumption of one GPU', () => {
  // One H100 reads 3350e9 bytes per second. A token after a chat prompt reads 15.01e9 bytes and 1024 x 131 072 bytes of
  // cache.
  test('rejects with a request for the number of GPUs, with both figures', () => {
    const error = refusal(report(400));
    expect(error.code).toBe('facts_missing');
    expect(error.faults).toEqual([
      {
        code: 'gpu_count_needed',
        parameter: 'gpu_count',
        message:
          'No number of GPUs was given, and one GPU is not enough: 400 tok/s per user would need 6.058 TB/s; one NVIDIA H100 SXM5 80GB has 3.35 TB/s: 180.8 % of the hardware limit.',
        hint: 'Pass gpu_count: 2 GPUs or more are enough. With gpu_count=1, the result is stored but held for review.',
      },
    ]);
  });

  test('is a violation if one GPU was stated, but not for two', () => {
    expect(statusOf(report(400), { gpu_count: 1 })).toBe('quarantined');
    expect(statusOf(report(400), { gpu_count: 2 })).toBe('accepted');
    expect(statusOf(report(400, { gpu_count: 1 }))).toBe('quarantined');
    expect(statusOf(report(400), { gpu: '2xH100 SXM' })).toBe('accepted');
    expect(statusOf(report(400), { tensor_parallel: 2 })).toBe('accepted');
  });

  test('accepts the result if one GPU is enough', () => {
    expect(statusOf(report(200))).toBe('accepted');
  });

  test('also rejects an unspecified GPU', () => {
    const unspecified = report(700, { gpu: 'unspecified' });
    expect(refusal(unspecified).faults.map(({ code }) => code)).toEqual(['gpu_count_needed']);
    expect(statusOf(unspecified, { gpu_count: 1 })).toBe('quarantined');
  });

  test('also rejects weights that do not fit', () => {
    const [fault] = refusal(report(10, { model: 'llama-3.1-405b' })).faults;
    expect(fault?.code).toBe('gpu_count_needed');
    expect(fault?.message).toContain('The weights take 756');
  });

  test('reports a violation for 1e12 tok/s, which no number of GPUs explains', () => {
    expect(statusOf(report(1e12))).toBe('quarantined');
    expect(statusOf(report(1e12, { gpu: 'unspecified' }))).toBe('quarantined');
  });

  test('keeps other violations for any count', () => {
    expect(statusOf(report(100, { gpu_power_limit_w: 1 }))).toBe('quarantined');
  });

  test('names the result that needs the most GPUs', () => {
    const results = [300, 900, 400].map((user_tok_s, index) => ({
      load: { mode: 'concurrency', level: index + 1 },
      metrics: { user_tok_s },
    }));
    const { faults } = refusal(
      bytesOf(native({ system: { model: 'llama-3.1-8b', quantization: 'bf16', gpu: 'h100-sxm' }, results })),
    );
    expect(faults).toHaveLength(1);
    expect(faults[0]?.message).toContain('900 tok/s per user');
    expect(faults[0]?.hint).toContain('5 GPUs or more');
  });

  test('quarantines the result if the client cannot be asked', () => {
    const [result] = readSubmission(report(400), {}, { mayAsk: false }).results;
    expect(result?.status).toBe('quarantined');
    expect(result?.findings.map(({ code }) => code)).toContain('gpu_count_assumed');
  });
});
