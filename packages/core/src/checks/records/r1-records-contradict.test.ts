import { describe, expect, test } from 'vitest';
import { withRecords } from '../../records/attach.ts';
import type { RequestRecord } from '../../records.ts';
import type { Result } from '../../subjects/result.ts';
import { makeRequest } from '../../testing/requests.ts';
import { answerOf, doubtsOf, makeResult } from '../../testing/result.ts';
import { simulateRun } from '../../testing/simulate.ts';
import { r1RecordsContradict } from './r1-records-contradict.ts';

/** 400 requests with latencies so similar that every percentile is within 2 %. */
const requests: RequestRecord[] = Array.from({ length: 400 }, (_, index) => {
  const gap = 20 + index * 0.001;
  const ttftMs = 200 + index * 0.05;
  return makeRequest({
    sentS: index,
    inputTokens: 100,
    outputTokens: 11,
    ttftMs,
    gapsMs: Array.from({ length: 10 }, () => gap),
    e2eMs: ttftMs + 10 * gap,
  });
});
const limits = { ttftMs: 210, itlMs: null, tpotMs: null, e2eMs: null };
const recomputed = withRecords(makeResult({ limits }), requests);
const { metrics, definitions } = recomputed;

const judged = (stated: Result['metrics'], over: Partial<Result> = {}) =>
  withRecords(makeResult({ limits, metrics: stated, definitions, ...over, system: {}, scenario: {} }), requests);

test('passes for figures that match the records', () => {
  expect(Object.keys(metrics)).toHaveLength(42);
  expect(answerOf(r1RecordsContradict, judged(metrics))).toBe('pass');
});

test.each(Object.entries(metrics).filter(([, value]) => value > 0))(
  'reports %s of %d stated 2 %% higher or lower',
  (name, value) => {
    for (const factor of [1.02, 0.98]) {
      const stated = Number((value * factor).toFixed(6));
      const expected = { severity: 'violation', evidence: { metric: name, stated, recomputed: value } };
      const whole = name.startsWith('requests') ? Math.round(value * factor) : stated;
      expect(doubtsOf(r1RecordsContradict, judged({ [name]: whole }))).toMatchObject([
        { ...expected, evidence: { ...expected.evidence, stated: whole } },
      ]);
    }
  },
);

describe('accepted differences', () => {
  test('include the last bits of a deviation of equal values', () => {
    const equal = Array.from({ length: 9 }, () => makeRequest({ ttftMs: 0.1, outputTokens: 5, e2eMs: 9 }));
    const of = (ttft_ms_sd: number) =>
      answerOf(r1RecordsContradict, withRecords(makeResult({ metrics: { ttft_ms_sd } }), equal));
    expect([of(0), of(2.8e-14), of(1e-10)]).toEqual(['pass', 'pass', 'pass']);
    expect(of(0.01)).not.toBe('pass');
  });

  const answer = (stated: Result['metrics'], over: Partial<Result> = {}) =>
    answerOf(r1RecordsContradict, judged(stated, over));

  // The mean TTFT is 209.975 ms. The tolerance is 0.5 % (1.049875) plus half a digit each.
  test.each<[number, boolean]>([
    [211.02, true],
    [211.04, false],
    [208.93, true],
    [208.91, false],
    [211, true],
  ])('for a mean TTFT of %d ms', (mean, passes) => {
    expect(answer({ ttft_ms_mean: mean }) === 'pass').toBe(passes);
  });

  // The requests take 399.42394 s. The clock may add 50 ms; the tolerance is 0.5 % plus half a digit either way.
  test.each<[number, boolean]>([
    [401.5, true],
    [401.6, false],
    [397.4, true],
    [397.3, false],
  ])('for a duration of %d s', (seconds, passes) => {
    expect(metrics.duration_s).toBeCloseTo(399.42394, 9);
    expect(answer({ duration_s: seconds }) === 'pass').toBe(passes);
  });

  test('do not include counts of requests', () => {
    expect(answer({ requests_ok: 400, requests_failed: 0 })).toBe('pass');
    expect(answer({ requests_ok: 401 })).not.toBe('pass');
  });

  test('include a deviation that divides by n, and a percentile by nearest rank', () => {
    const three = [100, 110, 150, 190, 300].map((ttftMs) => makeRequest({ ttftMs }));
    const of = (stated: Result['metrics']) =>
      answerOf(r1RecordsContradict, withRecords(makeResult({ metrics: stated }), three));
    expect(of({ ttft_ms_sd: 80.6226 })).toBe('pass');
    expect(of({ ttft_ms_sd: 72.111 })).toBe('pass');
    expect(of({ ttft_ms_sd: 71 })).not.toBe('pass');
    for (const p90 of [300, 256, 190]) expect(of({ ttft_ms_p90: p90 })).toBe('pass');
    expect(of({ ttft_ms_p90: 188 })).not.toBe('pass');
    expect(of({ ttft_ms_p90: 302 })).not.toBe('pass');
  });
});

test('states the field and both values', () => {
  expect(doubtsOf(r1RecordsContradict, judged({ ttft_ms_mean: 150 }))).toMatchObject([
    {
      message: 'TTFT is stated as 150 ms, but the records of the requests give 210 ms.',
      evidence: { metric: 'ttft_ms_mean', stated: 150, recomputed: expect.closeTo(209.975, 9) },
    },
  ]);
});

test('lists ten of forty contradictions', () => {
  const doubled = Object.fromEntries(
    Object.entries(metrics).flatMap(([name, value]) => (value > 0 ? [[name, value * 2]] : [])),
  );
  const doubts = doubtsOf(r1RecordsContradict, judged(doubled));
  expect(doubts).toHaveLength(11);
  expect(doubts[10]?.evidence.metrics).toHaveLength(Object.keys(doubled).length - 10);
  expect(doubts[10]?.message).toContain('31 more stated figures');
});

describe('figures that are unchecked', () => {
  test('include gaps of another formula', () => {
    expect(
      answerOf(r1RecordsContradict, judged({ req_s: metrics.req_s ?? 0 }, { definitions: { itl_ms: 'from_tpot' } })),
    ).toBe('pass');
    expect(
      doubtsOf(
        r1RecordsContradict,
        judged({ itl_ms_mean: 5, tpot_ms_mean: 20.2 }, { definitions: { itl_ms: 'from_tpot' } }),
      ),
    ).toMatchObject([{ severity: 'unchecked', evidence: { missing: ['records with itl_ms as from_tpot'] } }]);
    // Each chunk is one token here.
    expect(
      doubtsOf(r1RecordsContradict, judged({ itl_ms_mean: 5 }, { definitions: { itl_ms: 'per_chunk' } })),
    ).toMatchObject([{ severity: 'violation' }]);
  });

  test('include a rate if the end of a failed request is unknown, but not a duration shorter than the requests', () => {
    const open = [...requests, makeRequest({ sentS: 100, error: 'timeout' })];
    const of = (stated: Result['metrics']) =>
      doubtsOf(r1RecordsContradict, withRecords(makeResult({ metrics: stated }), open));
    expect(of({ req_s: 0.5, duration_s: 800 })).toMatchObject([
      { severity: 'unchecked', evidence: { missing: ['records with req_s'] } },
    ]);
    expect(of({ duration_s: 300 })).toMatchObject([
      {
        severity: 'violation',
        message: 'Duration is stated as 300 s, but the records of the requests give at least 399.4 s.',
      },
    ]);
    expect(of({ req_s: 1.1 })).toMatchObject([{ severity: 'violation' }, { severity: 'unchecked' }]);
  });
});

test('does not apply without records or stated figures', () => {
  expect(answerOf(r1RecordsContradict, makeResult({ metrics: { ttft_ms_mean: 5 } }))).toBe('not_applicable');
  expect(answerOf(r1RecordsContradict, recomputed)).toBe('not_applicable');
});

// The tools differ in percentiles, deviations and digits.
test('passes for 2 000 simulated honest runs', () => {
  const accused: string[] = [];
  for (let seed = 1; seed <= 2000; seed++) {
    const { result, requests: records } = simulateRun(seed);
    for (const { severity, message } of doubtsOf(r1RecordsContradict, withRecords(result, records)))
      if (severity !== 'unchecked') accused.push(`seed ${seed}: ${message}`);
  }
  expect(accused).toEqual([]);
});
