import { describe, expect, test } from 'vitest';
import { withRecords } from '../../records/attach.ts';
import type { RequestRecord } from '../../records.ts';
import { alone } from '../../subjects/subject.ts';
import { createRandom } from '../../testing/random.ts';
import { makeRequest } from '../../testing/requests.ts';
import { answerOf, doubtsOf, makeResult, type ResultWords } from '../../testing/result.ts';
import { simulateRun } from '../../testing/simulate.ts';
import type { Answer, Check } from '../check.ts';
import { judge } from '../index.ts';
import { r2OutputShortfall } from './r2-output-shortfall.ts';
import { r3PrefixCache } from './r3-prefix-cache.ts';
import { r4ErrorRate } from './r4-error-rate.ts';
import { r5Saturated } from './r5-saturated.ts';
import { r6RecordIdentity } from './r6-record-identity.ts';
import { r7RepeatedRecords } from './r7-repeated-records.ts';

const many = (count: number, of: (index: number) => Partial<RequestRecord>) =>
  Array.from({ length: count }, (_, index) => makeRequest(of(index)));

/** Summarizes the outcome of a check in one word. */
function says(check: Check, words: ResultWords, requests: readonly RequestRecord[] | null = null): string {
  const result = makeResult(words);
  const answer: Answer = answerOf(check, requests === null ? result : withRecords(result, requests));
  return typeof answer === 'string' ? answer : (answer[0]?.severity ?? 'nothing');
}

test.each([r2OutputShortfall, r3PrefixCache, r6RecordIdentity, r7RepeatedRecords])(
  '$id does not apply without records',
  (check) => {
    expect(says(check, { scenario: { outputTokens: 100 }, metrics: { output_tok_s: 5 } })).toBe('not_applicable');
  },
);

describe('R2, response lengths', () => {
  const asked = { scenario: { outputTokens: 100 } };
  test.each([
    [95, 'pass'],
    [94, 'warning'],
    [100, 'pass'],
    [101, 'not_applicable'],
  ])('for ten responses of %d tokens with 100 requested: %s', (outputTokens, expected) => {
    expect(
      says(
        r2OutputShortfall,
        asked,
        many(10, () => ({ outputTokens })),
      ),
    ).toBe(expected);
  });

  // gpt-oss-20b on one H100: 52,966 tokens in 500 responses, of which 200 each were requested.
  test.each([
    [200, 500, 52_966, 'warning'],
    [100, 500, 42_499, 'warning'],
    [100, 500, 42_500, 'pass'],
    [100, 9, 450, 'not_applicable'],
  ])(
    'without records, for %d requested tokens, %d responses and %d tokens: %s',
    (outputTokens, ok, tokens, expected) => {
      const counted = { scenario: { outputTokens }, metrics: { requests_ok: ok, output_tokens: tokens } };
      expect(says(r2OutputShortfall, counted)).toBe(expected);
    },
  );

  test('does not judge few short responses, unknown lengths and lengths that vary', () => {
    expect(
      says(
        r2OutputShortfall,
        asked,
        many(9, () => ({ outputTokens: 50 })),
      ),
    ).toBe('unchecked');
    expect(
      says(
        r2OutputShortfall,
        asked,
        many(10, (index) => ({ outputTokens: index === 3 ? null : 50 })),
      ),
    ).toBe('unchecked');
    expect(
      says(
        r2OutputShortfall,
        asked,
        many(10, () => ({ outputTokens: 50, maxTokens: 175 })),
      ),
    ).toBe('not_applicable');
    expect(
      says(
        r2OutputShortfall,
        {},
        many(10, () => ({ outputTokens: 50, maxTokens: 100 })),
      ),
    ).toBe('not_applicable');
  });
});

describe('R3, an undeclared prefix cache', () => {
  const cached = (cachedTokens: number | null) => many(10, () => ({ inputTokens: 1000, cachedTokens }));
  test.each([
    [50, 'pass'],
    [51, 'warning'],
    [0, 'pass'],
    [null, 'not_applicable'],
  ])('for %s of 1000 prompt tokens from the cache: %s', (tokens, expected) => {
    expect(says(r3PrefixCache, {}, cached(tokens))).toBe(expected);
  });

  test.each([
    [{ extra: { multi_turn: true } }, 'info'],
    [{ scenario: { id: 'turns-4-200-to-100' } }, 'info'],
    [{ scenario: { id: 'prefix-8x1024' } }, 'info'],
    [{ scenario: { id: 'lengths-uniform-1-9-to-4' } }, 'warning'],
  ])('states a cache that the workload expects: %o', (words, severity) => {
    expect(says(r3PrefixCache, words, cached(900))).toBe(severity);
  });

  test('accepts a declared cache, and reports one declared to be off', () => {
    expect(says(r3PrefixCache, { system: { features: { prefix_caching: true } } }, cached(900))).toBe('not_applicable');
    const off = withRecords(makeResult({ system: { features: { prefix_caching: false } } }), cached(900));
    expect(doubtsOf(r3PrefixCache, off)[0]?.message).toContain(
      '90 % of the prompt tokens came from a prefix cache, which is declared to be off',
    );
    expect(
      says(
        r3PrefixCache,
        {},
        many(3, () => ({ cachedTokens: 5 })),
      ),
    ).toBe('unchecked');
  });
});

describe('R4, failed requests', () => {
  test.each([
    [99, 1, 'pass'],
    [98, 2, 'info'],
    [95, 5, 'info'],
    [94, 6, 'warning'],
    [0, 3, 'warning'],
    [0, 0, 'not_applicable'],
  ])('for %d successful and %d failed requests: %s', (requests_ok, requests_failed, expected) => {
    expect(says(r4ErrorRate, { metrics: { requests_ok, requests_failed } })).toBe(expected);
  });

  test('counts failures in records, and needs the number of responses', () => {
    expect(
      says(
        r4ErrorRate,
        {},
        many(10, (index) => ({ error: index === 0 ? 'timeout' : null })),
      ),
    ).toBe('warning');
    expect(says(r4ErrorRate, { metrics: { requests_failed: 1 } })).toBe('unchecked');
    expect(says(r4ErrorRate, { metrics: { requests_ok: 1 } })).toBe('not_applicable');
  });
});

describe('R5, a rate that is not sustained', () => {
  const load = { mode: 'rate', level: 20 } as const;
  // 10 000 requests, mean E2E 2 s. At T = 600 s the bound is 20 x 0.95 x (1 - 2 / 600) x 0.97 = 18.3686 req/s.
  test.each([
    [18.4, 'pass'],
    [18.3, 'warning'],
    [10, 'warning'],
    [20, 'pass'],
  ])('for %d req/s of 20: %s', (rate, expected) => {
    const metrics = { requests_ok: Math.round(rate * 600), duration_s: 600, e2e_ms_mean: 2000 };
    const noise = 1 - 3 / Math.sqrt(metrics.requests_ok);
    expect(metrics.requests_ok / 600 >= 20 * 0.95 * (1 - 2 / 600) * noise).toBe(expected === 'pass');
    expect(says(r5Saturated, { load, metrics })).toBe(expected);
  });

  // vLLM prints no E2E latency by default. At most 1 s + 2 x 10 ms x 99 = 2.98 s: 20 x 0.95 x (1 - 2.98 / 600) x 0.97 = 18.34.
  test.each([
    [18.4, 'pass'],
    [18.3, 'warning'],
  ])('without a mean E2E latency, for %d req/s of 20: %s', (rate, expected) => {
    const requests_ok = Math.round(rate * 600);
    const parts = { ttft_ms_mean: 1000, tpot_ms_mean: 10, itl_ms_mean: 8, output_tokens: 100 * requests_ok };
    expect(says(r5Saturated, { load, metrics: { requests_ok, duration_s: 600, ...parts } })).toBe(expected);
  });

  test('reports twice the capacity of a system, although latencies grow with the queue', () => {
    expect(says(r5Saturated, { load, metrics: { requests_ok: 1000, duration_s: 100, e2e_ms_mean: 25_000 } })).toBe(
      'warning',
    );
  });

  test('passes for a short run with a long last response', () => {
    expect(says(r5Saturated, { load, metrics: { requests_ok: 1000, duration_s: 60, e2e_ms_mean: 10_000 } })).toBe(
      'pass',
    );
  });

  // 15 req/s are below 20 x 0.95 x (1 - 3 / sqrt(300)) = 15.7 req/s; with the failed requests it is 18 of 16.0.
  test('counts failed requests as finished', () => {
    const metrics = { requests_ok: 300, duration_s: 20, e2e_ms_mean: 1 };
    expect(says(r5Saturated, { load, metrics })).toBe('warning');
    expect(says(r5Saturated, { load, metrics: { ...metrics, requests_failed: 60 } })).toBe('pass');
  });

  // Bursts widen what chance explains: 20 x 0.95 x (1 - 3 / sqrt(300 x 0.25)) = 12.4. Even arrivals do not narrow it.
  test.each([
    [1, 300, 'warning'],
    [0.25, 300, 'pass'],
    [4, 325, 'pass'],
  ])('with a burstiness of %d, for %d requests in 20 s: %s', (burstiness, requests_ok, expected) => {
    const metrics = { requests_ok, duration_s: 20, e2e_ms_mean: 1 };
    expect(says(r5Saturated, { load: { ...load, burstiness }, metrics })).toBe(expected);
  });

  test.each([
    { duration_s: 20, e2e_ms_mean: 1 },
    { requests_ok: 10, e2e_ms_mean: 1 },
    { requests_ok: 10, duration_s: 20 },
  ])('is unchecked with %j only', (metrics) => {
    const missing = ['duration_s, requests_ok and e2e_ms_mean'];
    expect(doubtsOf(r5Saturated, makeResult({ load, metrics }))).toMatchObject([
      { severity: 'unchecked', evidence: { missing } },
    ]);
  });

  const growing = (factor: number) =>
    many(20, (index) => ({ sentS: 19 - index, ttftMs: index < 10 ? 100 * factor : 100 }));
  test.each([
    [2, 'pass'],
    [2.01, 'warning'],
  ])('for a median TTFT that grows by a factor of %d: %s', (factor, expected) => {
    expect(says(r5Saturated, { load }, growing(factor))).toBe(expected);
  });

  test('does not apply to other loads, and is unchecked with too few records', () => {
    expect(says(r5Saturated, { metrics: { req_s: 1 } }, growing(9))).toBe('not_applicable');
    expect(says(r5Saturated, { load, metrics: { req_s: 1 } }, growing(9).slice(1))).toBe('unchecked');
  });
});

describe('R6, consistency of one request', () => {
  const request = { inputTokens: 10, outputTokens: 3, ttftMs: 100, e2eMs: 140, gapsMs: [20, 20] };
  test.each<[string, Partial<RequestRecord>, string]>([
    ['passes for consistent figures', {}, 'pass'],
    ['passes within 1 %', { e2eMs: 141.4, gapsMs: [20.01, 20.01] }, 'pass'],
    ['fails beyond 1 %', { e2eMs: 141.6, ttftMs: 100.01, gapsMs: [20.01, 20.01] }, 'violation'],
    ['passes with gaps in whole milliseconds', { e2eMs: 142.8 }, 'pass'],
    ['fails with too many gaps for whole milliseconds', { e2eMs: 120 }, 'violation'],
    ['fails if the first token comes last', { ttftMs: 150, gapsMs: null }, 'violation'],
    ['fails with more tokens than allowed', { maxTokens: 2 }, 'violation'],
    ['passes with as many tokens as allowed', { maxTokens: 3 }, 'pass'],
    ['fails with more cached tokens than there are', { cachedTokens: 11 }, 'violation'],
    ['does not apply to a failed request', { ttftMs: 900, error: 'timeout' }, 'not_applicable'],
    ['does not apply with few facts', { e2eMs: null, outputTokens: null }, 'not_applicable'],
    ['does not apply with a maximum only', { e2eMs: null, outputTokens: null, maxTokens: 5 }, 'not_applicable'],
  ])('%s', (_, over, expected) => {
    expect(says(r6RecordIdentity, {}, [makeRequest({ ...request, ...over })])).toBe(expected);
  });

  test('warns about one of a hundred requests, and reports a violation for two with the first one', () => {
    const off = (count: number) => many(100, (index) => ({ ...request, e2eMs: index >= 100 - count ? 90 : 140 }));
    expect(says(r6RecordIdentity, {}, off(1))).toBe('warning');
    const [doubt] = doubtsOf(r6RecordIdentity, withRecords(makeResult(), off(2)));
    expect(doubt).toMatchObject({
      severity: 'violation',
      message:
        'Request 98: a TTFT of 100 ms is above its end-to-end latency of 90 ms; 2 of 100 requests contradict themselves.',
      evidence: { request: 98, ttft_ms: 100, e2e_ms: 90, requests_off: 2, requests: 100 },
    });
  });
});

describe('R7, copied requests', () => {
  const random = createRandom(1);
  const measured = (count: number) =>
    many(count, () => ({ ttftMs: 100 * random.exponential(), e2eMs: 1000 * random.exponential() }));
  test('accepts 10 % repeated requests, and warns about more', () => {
    const originals = measured(90);
    expect(says(r7RepeatedRecords, {}, [...originals, ...originals.slice(0, 10)])).toBe('pass');
    expect(says(r7RepeatedRecords, {}, [...originals, ...originals.slice(0, 11)])).toBe('warning');
    expect(says(r7RepeatedRecords, {}, measured(100))).toBe('pass');
  });

  test('does not apply to a few requests, or to times in whole milliseconds', () => {
    const few = measured(9);
    expect(says(r7RepeatedRecords, {}, [...few, ...few])).toBe('not_applicable');
    expect(
      says(
        r7RepeatedRecords,
        {},
        many(100, () => ({ ttftMs: 12, e2eMs: 345 })),
      ),
    ).toBe('not_applicable');
  });
});

// False warnings on honest results teach users to ignore warnings. A tenth of the runs has real failures.
test('3 000 honest runs with records cause no violation and few warnings', () => {
  const lines: string[] = [];
  for (let seed = 1; seed <= 3000; seed++) {
    const { result, requests } = simulateRun(seed);
    for (const { code, severity, evidence } of judge(alone(withRecords(result, requests))).findings)
      if (String(evidence.check).startsWith('R') && severity !== 'unchecked' && code !== 'error_rate')
        lines.push(`${severity} ${code} ${seed}`);
  }
  expect(lines.filter((line) => line.startsWith('violation'))).toEqual([]);
  expect(lines.length).toBeLessThanOrEqual(3);
});
