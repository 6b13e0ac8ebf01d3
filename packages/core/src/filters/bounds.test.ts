import { expect, it } from 'vitest';
import { boundedMetrics, metricsOfBound } from './bounds.ts';

it.each([
  ['tpot_ms_p90', 'max', ['tpot_ms_p90', 'tpot_ms_p95', 'tpot_ms_p99']],
  ['ttft_ms_p95', 'max', ['ttft_ms_p95', 'ttft_ms_p99']],
  ['ttft_ms_p99', 'max', ['ttft_ms_p99']],
  ['ttft_ms_p50', 'max', ['ttft_ms_p50']],
  ['tpot_ms_p90', 'min', ['tpot_ms_p90']],
  ['tpot_ms_mean', 'max', ['tpot_ms_mean']],
  ['output_tok_s', 'max', ['output_tok_s']],
] as const)('tests a bound on %s (%s) with %j', (metric, side, names) => {
  expect(metricsOfBound({ metric, side })).toEqual(names);
});

it('lists each metric of several bounds once', () => {
  const bounds = [
    { metric: 'tpot_ms_p99' as const, side: 'max' as const, value: 1 },
    { metric: 'tpot_ms_p95' as const, side: 'max' as const, value: 1 },
  ];
  expect(boundedMetrics({ bounds })).toEqual(['tpot_ms_p99', 'tpot_ms_p95']);
});
