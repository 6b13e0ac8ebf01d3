import { describe, expect, test } from 'vitest';
import { formatLimit, readLimits, readRequestLimits, requestLimitsOf } from './limits.ts';

describe('limits', () => {
  test('are parsed with and without the unit in the name', () => {
    const limits = readLimits('ttft_p99<2000, tpot_ms_mean<=50,itl_max < 7.5');
    expect(limits.map(formatLimit)).toEqual(['ttft_p99<2000', 'tpot_mean<50', 'itl_max<7.5']);
  });

  test('of a request are the lowest of each metric', () => {
    expect(requestLimitsOf(readLimits('ttft_p99<2000,ttft_p50<500,e2e_max<9000'))).toEqual({
      ...{ ttft_ms: 500, e2e_ms: 9000 },
    });
    expect(readRequestLimits('ttft<500,tpot<=30')).toEqual({ ttft_ms: 500, tpot_ms: 30 });
  });

  test.each(['ttft_p99<1', 'ttft<0', 'speed<1', 'ttft', '', 'ttft<1,', `ttft<${'9'.repeat(400)}`])(
    'of a request with an error are rejected with an example: %j',
    (text) => expect(() => readRequestLimits(text)).toThrow(/is not a limit of a request\. Write METRIC<MILLISECONDS/),
  );

  test.each(['ttft_p98<1', 'ttft<1', 'speed_p99<1', 'ttft_p99<0', 'ttft_p99', '', 'ttft_p99<1,'])(
    'with an error are rejected with an example: %j',
    (text) => expect(() => readLimits(text)).toThrow(/is not a limit\. Write METRIC_STATISTIC<MILLISECONDS/),
  );
});
