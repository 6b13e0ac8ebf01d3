import fc from 'fast-check';
import { expect, test } from 'vitest';
import { supportedMetrics, tailOf } from './point-figures.ts';

const latencies = { ttft_ms_mean: 21, ttft_ms_p50: 20, ttft_ms_p90: 40, ttft_ms_p95: 60, ttft_ms_p99: 80 };
const measured = (n: number) => ({ requests: { ok: n }, samples: { ttft: n }, metrics: latencies });

test.each([
  [1, null, { value: null, reason: 'p50 needs 5 samples' }],
  [4, null, { value: null, reason: 'p50 needs 5 samples' }],
  [28, 20, { value: null, reason: 'p90 needs 29 samples' }],
  [29, 20, { value: 'p90 40', reason: null }],
  [298, 20, { value: 'p95 60', reason: null }],
  [299, 20, { value: 'p99 80', reason: null }],
])('%i samples show only the percentiles that they support', (n, median, tail) => {
  expect(supportedMetrics(measured(n)).ttft_ms_p50).toBe(median);
  expect(tailOf('ttft', measured(n))).toEqual(tail);
});

test('a summary without numbers of samples has those of its successful requests', () => {
  const earlier = (ok: number) => ({ requests: { ok, total: ok }, metrics: { itl_ms_p50: 5, itl_ms_p99: 9 } });
  expect(tailOf('itl', earlier(4))?.reason).toBe('p50 needs 5 samples');
  expect(supportedMetrics(earlier(4))).toMatchObject({ itl_ms_p50: null, itl_ms_p99: null });
  expect(tailOf('itl', earlier(300))?.value).toBe('p99 9');
});

test.each([[null], [{}], [{ requests: { ok: 0 }, samples: null, metrics: null }], [{ metrics: {} }]])(
  'a point without a successful request has no figures: %j',
  (summary) => {
    expect(tailOf('ttft', summary)).toBe(null);
    expect(Object.values(supportedMetrics(summary)).filter((value) => value !== null)).toEqual([]);
  },
);

test('figures other than percentiles are unchanged', () => {
  const metrics = { ttft_ms_mean: 21, req_s: 0, goodput_req_s: 3.5, output_tok_s: null };
  expect(supportedMetrics({ requests: { ok: 1 }, metrics })).toMatchObject(metrics);
});

test('no number of samples shows a percentile that needs more', () => {
  const floors: Record<string, number> = { p90: 29, p95: 59, p99: 299 };
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 400 }), (n) => {
      const tail = tailOf('ttft', measured(n));
      const shown = /^p\d+/.exec(tail?.value ?? '')?.[0];
      if (shown !== undefined) expect(n).toBeGreaterThanOrEqual(floors[shown] ?? Number.POSITIVE_INFINITY);
      expect(tail?.reason === null).toBe(n >= 29);
    }),
  );
});
