import { describe, expect, test } from 'vitest';
import type { Metrics } from '../../adapters/adapter.ts';
import type { Result } from '../../subjects/result.ts';
import { readSubmission } from '../../submission/read-submission.ts';
import { answerOf, doubtsOf, makeResult, type ResultWords } from '../../testing/result.ts';
import type { Check } from '../check.ts';
import { a22RateHeld } from './a22-rate-held.ts';

const serving = (metrics: Metrics, over: ResultWords = {}) =>
  makeResult({ metrics, load: { mode: 'concurrency', level: 32 }, ...over });
const severities = (check: Check, result: Result) => doubtsOf(check, result).map((doubt) => doubt.severity);

describe('A22, the requested rate', () => {
  const atOne = { mode: 'rate', level: 1, burstiness: 1 } as const;

  // 400 requests: 1.1 / (1 - 4 / 20) = 1.375 per second.
  test.each<[Metrics, string[]]>([
    [{ requests_ok: 400, duration_s: 290.91 }, []],
    [{ requests_ok: 400, duration_s: 290.9 }, ['violation']],
    [{ requests_ok: 300, requests_failed: 100, duration_s: 290.9 }, ['violation']],
    // Sixteen arrivals may come at any rate.
    [{ requests_ok: 16, duration_s: 1 }, []],
  ])('%j: %j', (metrics, expected) => {
    expect(severities(a22RateHeld, serving(metrics, { load: atOne }))).toEqual(expected);
  });

  test('allows more for bursts of arrivals', () => {
    const metrics = { requests_ok: 400, duration_s: 200 };
    expect(severities(a22RateHeld, serving(metrics, { load: { ...atOne, burstiness: 1 } }))).toEqual(['violation']);
    expect(severities(a22RateHeld, serving(metrics, { load: { ...atOne, burstiness: 0.1 } }))).toEqual([]);
  });

  test('does not apply to other loads, to conversations, or without figures', () => {
    const metrics = { requests_ok: 400, duration_s: 10 };
    expect(answerOf(a22RateHeld, serving(metrics))).toBe('not_applicable');
    expect(answerOf(a22RateHeld, serving(metrics, { load: atOne, extra: { multi_turn: true } }))).toBe(
      'not_applicable',
    );
    expect(answerOf(a22RateHeld, serving({ req_s: 40 }, { load: atOne }))).toBe('not_applicable');
  });

  test('finds it in a line of SGLang', () => {
    const line = JSON.stringify({
      ...{ backend: 'sglang', dataset_name: 'random', request_rate: 1, max_concurrency: null, random_range_ratio: 1 },
      ...{ random_input_len: 1024, random_output_len: 1024, duration: 30, completed: 300 },
      ...{ total_input_tokens: 307_200, total_output_tokens: 307_200, total_output_tokens_retokenized: 306_900 },
      ...{ request_throughput: 10, output_throughput: 10_240, mean_e2e_latency_ms: 2437, mean_ttft_ms: 218.8 },
    });
    const facts = { model: 'Qwen/Qwen3-0.6B', gpu: 'h100-sxm', quantization: 'bf16' };
    const { results } = readSubmission(new TextEncoder().encode(line), facts);
    expect(results[0]?.findings.filter(({ severity }) => severity === 'violation')).toEqual([
      expect.objectContaining({ code: 'rate_exceeded' }),
    ]);
  });
});
