import { describe, expect, test } from 'vitest';
import type { Metrics } from '../../adapters/adapter.ts';
import type { Result } from '../../subjects/result.ts';
import { gradeOf } from '../../testing/graded.ts';
import { doubtsOf, makeResult } from '../../testing/result.ts';
import { a21GapsAreTokens } from '../latency/a21-gaps-are-tokens.ts';
import { a20TotalHoldsParts } from './a20-total-holds-parts.ts';

describe('A20, the total and its parts', () => {
  test.each<[Metrics, string]>([
    [{ total_tok_s: 300 }, 'not_applicable'],
    [{ output_tok_s: 300 }, 'not_applicable'],
    [{ total_tok_s: 300, output_tok_s: 100, input_tok_s: 200 }, 'pass'],
    [{ total_tok_s: 100, output_tok_s: 100, input_tok_s: 0 }, 'pass'],
    [{ total_tok_s: 99.5, output_tok_s: 100 }, 'pass'],
    [{ total_tok_s: 90, output_tok_s: 100 }, 'violation'],
    [{ total_tok_s: 90, input_tok_s: 100, output_tok_s: 10 }, 'violation'],
    [{ total_tok_s: 90, input_tok_s: 100, output_tok_s: 100 }, 'violation,violation'],
    // Rounded to whole tokens.
    [{ total_tok_s: 1, output_tok_s: 1.4 }, 'pass'],
    [{ total_tok_s: 302, output_tok_s: 100, input_tok_s: 200 }, 'pass'],
    [{ total_tok_s: 310, output_tok_s: 100, input_tok_s: 200 }, 'violation'],
    [{ total_tok_s: 290, output_tok_s: 100, input_tok_s: 200 }, 'violation'],
    // A truncated figure.
    [{ total_tok_s: 3633, output_tok_s: 36, input_tok_s: 2542.45 }, 'violation'],
  ])('%j: %s', (metrics, expected) => {
    expect(gradeOf(a20TotalHoldsParts, { metrics })).toBe(expected);
  });

  test('states both figures', () => {
    const [doubt] = doubtsOf(a20TotalHoldsParts, makeResult({ metrics: { total_tok_s: 90, input_tok_s: 1000 } }));
    expect(doubt?.message).toBe('A total of 90 tok/s is stated, but input_tok_s alone is 1000 tok/s.');
  });

  test('states the sum of the parts', () => {
    const metrics = { total_tok_s: 90, input_tok_s: 50, output_tok_s: 20 };
    expect(doubtsOf(a20TotalHoldsParts, makeResult({ metrics }))[0]?.message).toBe(
      'A total of 90 tok/s is stated, but 50 tok/s of input and 20 tok/s of output equal 70 tok/s.',
    );
  });

  test('does not apply to kernels', () => {
    expect(gradeOf(a20TotalHoldsParts, { kind: 'kernel', metrics: { total_tok_s: 1, output_tok_s: 9 } })).toBe(
      'not_applicable',
    );
  });
});

describe('A21, ITL and tokens', () => {
  // 100 responses of 51 tokens on average: 50 gaps of 20 ms after 200 ms.
  const latency: Metrics = { requests_ok: 100, output_tokens: 5100, ttft_ms_mean: 200, e2e_ms_mean: 1200 };
  const steps: Metrics = { requests_ok: 100, output_tokens: 5100, tpot_ms_mean: 20 };
  const grade = (metrics: Metrics, over: Partial<Pick<Result, 'definitions'>> & { asked?: number } = {}) =>
    gradeOf(a21GapsAreTokens, {
      metrics,
      definitions: over.definitions ?? { itl_ms: 'per_chunk' },
      scenario: { outputTokens: over.asked ?? null },
    });

  test.each<[string, Metrics, string]>([
    ['one token per chunk', { ...latency, itl_ms_mean: 20 }, 'pass'],
    ['several tokens per chunk', { ...latency, itl_ms_mean: 60 }, 'pass'],
    ['a chunk without text', { ...latency, itl_ms_mean: 19.6 }, 'pass'],
    ['halved', { ...latency, itl_ms_mean: 10 }, 'warning'],
    ['no gaps', latency, 'not_applicable'],
    ['unknown lengths', { ttft_ms_mean: 200, e2e_ms_mean: 1200, itl_ms_mean: 10 }, 'not_applicable'],
    ['short responses', { ...latency, output_tokens: 500, itl_ms_mean: 10 }, 'not_applicable'],
  ])('is compared with the latency: %s', (_, metrics, expected) => {
    expect(grade(metrics)).toBe(expected);
  });

  test('does not apply to placeholders or to gaps per token', () => {
    const metrics = { ...latency, itl_ms_mean: 10 };
    expect(grade(metrics, { definitions: { itl_ms: 'from_tpot' } })).toBe('not_applicable');
    expect(grade(metrics, { definitions: { itl_ms: 'per_token' } })).toBe('not_applicable');
  });

  test('is compared with TPOT if every response had the requested length', () => {
    expect(grade({ ...steps, itl_ms_mean: 20 }, { asked: 51 })).toBe('pass');
    expect(grade({ ...steps, itl_ms_mean: 10 }, { asked: 51 })).toBe('warning');
  });

  // An honest run under overload: 1000 responses of 91.94 tokens, TPOT 305.36 ms, ITL 98.99 ms.
  test('does not apply to responses of different lengths', () => {
    const metrics = {
      requests_ok: 1000,
      output_tokens: 91_942,
      ttft_ms_mean: 9718.01,
      tpot_ms_mean: 305.36,
      itl_ms_mean: 98.99,
    };
    expect(grade(metrics)).toBe('not_applicable');
    expect(grade(metrics, { asked: 128 })).toBe('not_applicable');
  });

  test('states the number of gaps', () => {
    const result = makeResult({ metrics: { ...latency, itl_ms_mean: 10 }, definitions: { itl_ms: 'per_chunk' } });
    expect(doubtsOf(a21GapsAreTokens, result)[0]?.message).toMatch(
      /^A mean ITL of 10 ms implies 9\d(\.\d+)? gaps in the 9\d\d(\.\d+)? ms after the first token \(computed from latency\), for 50 tokens\.$/,
    );
  });
});
