import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Limits, RequestRecord } from '../records.ts';
import { makeRequest } from '../testing/requests.ts';
import { recompute } from './recompute.ts';

const noLimits: Limits = { ttftMs: null, itlMs: null, tpotMs: null, e2eMs: null };

const valuesOf = (requests: readonly RequestRecord[], limits: Limits | null = null, stated = {}) =>
  Object.fromEntries(recompute(requests, limits, stated).figures.map(({ name, value }) => [name, value]));

/** A response of `n` tokens that took `tpotMs` for each token after the first. */
const answered = (ttftMs: number, tpotMs: number, n = 101, over: Partial<RequestRecord> = {}) =>
  makeRequest({ ttftMs, outputTokens: n, e2eMs: ttftMs + (n - 1) * tpotMs, ...over });

test('recomputes three requests to hand-computed metrics', () => {
  const requests = [
    makeRequest({ sentS: 5, inputTokens: 10, outputTokens: 3, ttftMs: 100, e2eMs: 140, gapsMs: [15, 25] }),
    makeRequest({ sentS: 5.5, inputTokens: 20, outputTokens: 1, ttftMs: 300, e2eMs: 300, gapsMs: [] }),
    makeRequest({ sentS: 6, inputTokens: 30, outputTokens: 3, ttftMs: 200, e2eMs: 1000, gapsMs: [400, 400] }),
  ];
  const { definitions, certificates } = recompute(requests, null, {});
  expect(definitions).toEqual({
    ttft_ms: 'send_to_first_token',
    tpot_ms: 'without_first_token',
    itl_ms: 'per_token',
    e2e_ms: 'request',
  });
  const values = valuesOf(requests);
  expect(values).toMatchObject({
    ttft_ms_mean: 200,
    ttft_ms_min: 100,
    ttft_ms_max: 300,
    ttft_ms_sd: 100,
    ttft_ms_p50: null,
    // 20 and 400: the response of one token has none.
    tpot_ms_mean: 210,
    itl_ms_mean: 210,
    e2e_ms_mean: 480,
    requests_ok: 3,
    requests_failed: 0,
    input_tokens: 60,
    output_tokens: 7,
    duration_s: 2,
    req_s: 1.5,
    input_tok_s: 30,
    output_tok_s: 3.5,
    total_tok_s: 33.5,
  });
  expect(certificates.ttft_ms_p50).toEqual({ n: 3, floor: 5, value: 200, upper99: null, certified: false });
  expect(certificates.itl_ms_p50?.n).toBe(4);
});

test('omits TPOT for responses that were not streamed', () => {
  const requests = [
    makeRequest({ outputTokens: 50, ttftMs: 900, e2eMs: 900 }),
    makeRequest({ outputTokens: 20, ttftMs: 400, e2eMs: 400 }),
  ];
  expect(valuesOf(requests)).not.toHaveProperty('tpot_ms_mean');
  expect(valuesOf(requests).e2e_ms_mean).toBe(650);
  // One streamed request shows that the zeros of the others are measurements.
  expect(valuesOf([...requests, makeRequest({ outputTokens: 3, ttftMs: 100, e2eMs: 160 })]).tpot_ms_mean).toBe(10);
});

describe('goodput', () => {
  const pairs = [
    [200, 20],
    [450, 25],
    [700, 18],
    [300, 60],
    [480, 29],
    [520, 10],
    [100, 30],
  ] as const;
  const limits = { ...noLimits, ttftMs: 500, tpotMs: 30 };
  // First request sent at 0 s, last one finished at 10 s.
  const timed = (request: RequestRecord, index: number) => ({
    ...request,
    sentS: index === 0 ? 0 : 10 - (request.e2eMs ?? 0) / 1000,
  });

  test('counts the requests that meet all limits: 4 of 7 in 10 s', () => {
    const requests = pairs.map(([ttft, tpot]) => answered(ttft, tpot)).map(timed);
    expect(valuesOf(requests, limits).duration_s).toBeCloseTo(10, 9);
    expect(valuesOf(requests, limits).goodput_req_s).toBeCloseTo(0.4, 9);
  });

  test('is missing without limits, and excludes failed requests', () => {
    const requests = pairs.map(([ttft, tpot]) => answered(ttft, tpot)).map(timed);
    expect(valuesOf(requests)).not.toHaveProperty('goodput_req_s');
    const failing = requests.map((request, index) => (index === 4 ? { ...request, error: 'timeout' } : request));
    expect(valuesOf(failing, limits).goodput_req_s).toBeCloseTo(0.3, 9);
  });

  test('ignores the TPOT limit for a response of one token', () => {
    const single = makeRequest({ sentS: 0, outputTokens: 1, ttftMs: 500, e2eMs: 500, gapsMs: [] });
    expect(valuesOf([single], { ...limits, itlMs: 1 }).goodput_req_s).toBe(2);
    expect(valuesOf([{ ...single, ttftMs: 501, e2eMs: 501 }], limits).goodput_req_s).toBe(0);
  });

  test.each<[Partial<Limits>, number]>([
    [{ itlMs: 20 }, 1],
    [{ itlMs: 19.9 }, 0],
    [{ e2eMs: 140 }, 1],
    [{ e2eMs: 139.9 }, 0],
  ])('compares the mean gap with the limit, which is inclusive: %j', (over, good) => {
    const request = makeRequest({ sentS: 0, outputTokens: 3, ttftMs: 100, e2eMs: 140, gapsMs: [5, 35] });
    expect(valuesOf([request], { ...noLimits, ...over }).goodput_req_s).toBeCloseTo(good / 0.14, 9);
  });

  test('requires the limited values of every successful request', () => {
    const requests = [answered(100, 10), answered(100, 10, 101, { outputTokens: null })].map(timed);
    expect(valuesOf(requests, limits)).not.toHaveProperty('goodput_req_s');
    expect(valuesOf(requests, { ...noLimits, ttftMs: 100 })).toHaveProperty('goodput_req_s');
  });
});

describe('missing values in requests', () => {
  const complete = () =>
    makeRequest({ sentS: 0, inputTokens: 5, outputTokens: 3, ttftMs: 10, e2eMs: 30, gapsMs: [10, 10] });

  test.each<[keyof RequestRecord, string[]]>([
    ['ttftMs', ['itl_ms', 'e2e_ms']],
    ['gapsMs', ['ttft_ms', 'tpot_ms', 'e2e_ms']],
    ['outputTokens', ['ttft_ms', 'itl_ms', 'e2e_ms']],
    // The sum of the parts replaces it.
    ['e2eMs', ['ttft_ms', 'itl_ms', 'tpot_ms', 'e2e_ms']],
  ])('%s: omits latencies that need it', (field, bases) => {
    const { definitions } = recompute([complete(), { ...complete(), [field]: null }], null, {});
    expect(Object.keys(definitions)).toEqual(bases);
  });

  test('computes the end-to-end latency from TTFT and gaps', () => {
    const requests = [complete(), { ...complete(), e2eMs: null }];
    expect(valuesOf(requests).e2e_ms_mean).toBe(30);
  });

  test('defines ITL per chunk if chunks have several tokens', () => {
    const requests = [complete(), { ...complete(), outputTokens: 9 }];
    expect(recompute(requests, null, {}).definitions.itl_ms).toBe('per_chunk');
  });

  test('counts failed requests, and excludes them from latencies', () => {
    const requests = [complete(), { ...complete(), ttftMs: 9000, e2eMs: 9000, error: 'timeout' }];
    expect(valuesOf(requests)).toMatchObject({ ttft_ms_mean: 10, requests_ok: 1, requests_failed: 1, duration_s: 9 });
  });

  test('has an unknown duration if the end of a request is unknown', () => {
    const requests = [complete(), makeRequest({ sentS: 1, error: 'timeout' })];
    expect(recompute(requests, null, {}).figures).toEqual(
      expect.arrayContaining([
        { name: 'duration_s', value: null, low: 1, high: Number.POSITIVE_INFINITY },
        { name: 'req_s', value: null, low: 0, high: 1 },
      ]),
    );
  });

  test('has an unknown duration if stated failures have no records, and keeps their count', () => {
    const values = valuesOf([complete()], null, { requests_failed: 3 });
    expect(values).not.toHaveProperty('requests_failed');
    expect(values).toMatchObject({ requests_ok: 1, duration_s: null, req_s: null });
  });

  // A rate over 1e-300 s would overflow a double.
  test('omits rates of a run shorter than a clock resolves', () => {
    const values = valuesOf([makeRequest({ sentS: 0, e2eMs: 1e-300 })]);
    expect(values).not.toHaveProperty('req_s');
    expect(values.e2e_ms_mean).toBe(1e-300);
  });

  test('reports only the number of requests if all failed', () => {
    expect(valuesOf([makeRequest({ error: 'refused' })])).toEqual({ requests_ok: 0, requests_failed: 1 });
  });
});

test.each([
  [298, null],
  [299, 295.02],
])('certifies the 99th percentile of %d requests as %s', (n, expected) => {
  const requests = Array.from({ length: n }, (_, index) => makeRequest({ ttftMs: index }));
  const { certificates } = recompute(requests, null, {});
  expect(valuesOf(requests).ttft_ms_p99).toBe(expected);
  expect(certificates.ttft_ms_p99).toEqual({
    n,
    floor: 299,
    value: expect.closeTo(0.99 * (n - 1), 9),
    upper99: null,
    certified: expected !== null,
  });
});

/** The simplest implementation, independent of the code under test. */
function naive(values: readonly number[]) {
  const n = values.length;
  const sorted = values.toSorted((a, b) => a - b);
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const percentile = (p: number) => {
    const place = (p / 100) * (n - 1);
    const below = sorted[Math.floor(place)] ?? Number.NaN;
    return below + ((sorted[Math.ceil(place)] ?? Number.NaN) - below) * (place % 1);
  };
  const sd = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1));
  return {
    mean,
    min: sorted[0],
    max: sorted[n - 1],
    sd,
    p50: percentile(50),
    p90: percentile(90),
    p99: percentile(99),
  };
}

test('matches a plain computation for random records', () => {
  const time = fc.double({ min: 0.01, max: 1e5, noNaN: true });
  const request = fc
    .record({
      sentS: fc.double({ min: 0, max: 100, noNaN: true }),
      ttftMs: time,
      gapsMs: fc.array(time, { minLength: 1, maxLength: 8 }),
    })
    .map(({ sentS, ttftMs, gapsMs }) =>
      makeRequest({
        sentS,
        ttftMs,
        gapsMs,
        inputTokens: 7,
        outputTokens: gapsMs.length + 1,
        e2eMs: gapsMs.reduce((sum, gap) => sum + gap, ttftMs),
      }),
    );
  fc.assert(
    fc.property(fc.array(request, { minLength: 2, maxLength: 40 }), (requests) => {
      const { figures, certificates } = recompute(requests, null, {});
      const e2e = requests.map(({ e2eMs }) => e2eMs ?? Number.NaN);
      const samples = {
        ttft_ms: requests.map(({ ttftMs }) => ttftMs ?? Number.NaN),
        itl_ms: requests.flatMap(({ gapsMs }) => gapsMs ?? []),
        tpot_ms: requests.map(({ gapsMs, ttftMs, e2eMs }) => ((e2eMs ?? 0) - (ttftMs ?? 0)) / (gapsMs?.length ?? 0)),
        e2e_ms: e2e,
      };
      const near = (value: number | null | undefined, expected: number | undefined) =>
        expect(Math.abs((value ?? Number.NaN) - (expected ?? Number.NaN))).toBeLessThanOrEqual(
          1e-7 + 1e-9 * Math.abs(expected ?? 0),
        );
      for (const [base, values] of Object.entries(samples)) {
        for (const [statistic, expected] of Object.entries(naive(values))) {
          const name = `${base}_${statistic}`;
          const found = figures.find((figure) => figure.name === name);
          const certificate = Object.entries(certificates).find(([key]) => key === name)?.[1];
          near(certificate?.value ?? found?.value, expected);
          expect(found?.low).toBeLessThanOrEqual((expected ?? 0) + 1e-6);
          expect(found?.high).toBeGreaterThanOrEqual((expected ?? 0) - 1e-6);
        }
      }
      const ends = requests.map(({ sentS }, index) => (sentS ?? 0) + (e2e[index] ?? 0) / 1000);
      const seconds = Math.max(...ends) - Math.min(...requests.map(({ sentS }) => sentS ?? 0));
      near(figures.find(({ name }) => name === 'req_s')?.value, requests.length / seconds);
    }),
    { numRuns: 200 },
  );
});
