import { describe, expect, test } from 'vitest';
import { formatLimit, readLimits, readRequestLimits, requestLimitsOf } from './limits.ts';
import { readUntil, relativeWidth } from './until-source.ts';

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

describe('repetitions', () => {
  test('are parsed with a maximum', () => {
    expect(readUntil('ci=2%')).toEqual({ ci: 0.02, max: 10 });
    expect(readUntil('ci=0.5%,max=20')).toEqual({ ci: 0.005, max: 20 });
    for (const text of ['2%', 'ci=2', 'ci=0%', 'ci=2%,max=2', 'ci=2%,min=3'])
      expect(() => readUntil(text)).toThrow(/Write ci=2%/);
  });

  test('have the relative width of the t interval', () => {
    // t(0.975, 2) = 4.302653, sd = 1, mean = 11.
    expect(relativeWidth([10, 11, 12])).toBeCloseTo(4.302653 / Math.sqrt(3) / 11, 6);
    expect(relativeWidth([10])).toBeNull();
    expect(relativeWidth([5, 5, 5])).toBe(0);
  });
});
