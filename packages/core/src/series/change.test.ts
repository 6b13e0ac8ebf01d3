import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findMetric } from '../metrics/index.ts';
import { changeBounds, judgeChange, type Verdict } from './change.ts';
import type { Figure } from './comparison.ts';

const metric = (name: string) => {
  const found = findMetric(name);
  if (found === null) throw new Error(name);
  return found;
};
const throughput = metric('output_tok_s');
const latency = metric('ttft_ms_mean');
const figure = (mean: number, over: Partial<Figure> = {}): Figure => ({ mean, n: 5, sd: 1, definition: null, ...over });

describe('a change', () => {
  // cv 1 % each: error of ln ratio = sqrt(2 * 1e-4 / 5) = 0.00632456; df = 8 (equal cv and n), t = 2.306004.
  test('has the hand-computed interval of the ratio', () => {
    const { ratio, interval, effect, verdict } = judgeChange(throughput, figure(200, { sd: 2 }), figure(100));
    expect([ratio, effect, verdict]).toEqual([2, 1, 'improvement']);
    expect(interval?.[0]).toBeCloseTo(2 * Math.exp(-2.306004 * 0.00632456), 6);
    expect(interval?.[1]).toBeCloseTo(2 * Math.exp(2.306004 * 0.00632456), 6);
  });

  test.each<[string, Figure, Figure, Verdict, number]>([
    ['a rate that falls', figure(90), figure(100), 'regression', -0.1],
    ['a rate that rises', figure(110), figure(100), 'improvement', 0.1],
    // 1 % with 1 % scatter: half width 2.306 * 0.0063 = 1.5 %, which includes 1.
    ['a difference within the deviation', figure(101), figure(100), 'stable', 0.01],
    // Statistically significant but too small to matter.
    ['a true change of 1 %', figure(101, { sd: 0.01 }), figure(100, { sd: 0.01 }), 'stable', 0.01],
    // Half width 2.306 * sqrt(2 * 0.04 / 5) = 29 %.
    ['repetitions with a large deviation', figure(100, { sd: 20 }), figure(100, { sd: 20 }), 'insufficient_data', 0],
    ['two repetitions', figure(50, { n: 2 }), figure(100), 'insufficient_data', -0.5],
    ['two repetitions before', figure(50), figure(100, { n: 2 }), 'insufficient_data', -0.5],
    ['a single repetition', figure(50, { n: 1, sd: null }), figure(100), 'insufficient_data', -0.5],
    ['repetitions without deviation', figure(90, { sd: 0 }), figure(100, { sd: 0 }), 'regression', -0.1],
  ])('%s', (_, fresh, before, verdict, effect) => {
    const change = judgeChange(throughput, fresh, before);
    expect(change.verdict).toBe(verdict);
    expect(change.effect).toBeCloseTo(effect, 12);
    expect(change.reason === null).toBe(verdict !== 'insufficient_data');
  });

  test('of a latency is an improvement if it falls', () => {
    expect(judgeChange(latency, figure(110), figure(100))).toMatchObject({ verdict: 'regression', ratio: 1.1 });
    expect(judgeChange(latency, figure(110), figure(100)).effect).toBeCloseTo(-0.1, 12);
    expect(judgeChange(latency, figure(90), figure(100)).verdict).toBe('improvement');
  });

  test('above the minimum effect is reported, and one below it is stable', () => {
    const exact = (mean: number) => figure(mean, { sd: 0 });
    expect(judgeChange(throughput, exact(102.0001), exact(100)).verdict).toBe('improvement');
    expect(judgeChange(throughput, exact(101.9999), exact(100)).verdict).toBe('stable');
    expect(judgeChange(throughput, exact(100 / 1.020001), exact(100)).verdict).toBe('regression');
  });

  test('relative to zero has no verdict, with a reason', () => {
    expect(judgeChange(throughput, figure(0), figure(100))).toMatchObject({
      verdict: 'insufficient_data',
      effect: null,
      reason: expect.stringContaining('zero'),
    });
  });

  test('of a metric without a direction throws a RangeError', () => {
    expect(() => judgeChange(metric('requests_ok'), figure(1), figure(1))).toThrow(RangeError);
  });
});

const positive = fc.double({ min: 1e-3, max: 1e6, noNaN: true });
const figures = fc.record({
  mean: positive,
  n: fc.integer({ min: 1, max: 40 }),
  cv: fc.double({ min: 0, max: 0.5, noNaN: true }),
});
const toFigure = ({ mean, n, cv }: { mean: number; n: number; cv: number }): Figure => ({
  mean,
  n,
  sd: n < 2 ? null : cv * mean,
  definition: null,
});
const near = fc.tuple(figures, figures, fc.double({ min: 0.8, max: 1.25, noNaN: true })).map(([a, b, ratio]) => {
  const before = toFigure(a);
  return { before, fresh: toFigure({ ...b, mean: before.mean * ratio }) };
});
const mirrored: Record<Verdict, Verdict> = {
  regression: 'improvement',
  improvement: 'regression',
  stable: 'stable',
  insufficient_data: 'insufficient_data',
};

describe('for any two summaries', () => {
  test('swapping new and old swaps regression and improvement', () => {
    fc.assert(
      fc.property(near, fc.constantFrom(throughput, latency), ({ fresh, before }, of) => {
        // On the edge, floating-point error of the logarithm decides.
        const edge = Math.abs(Math.abs(Math.log(fresh.mean / before.mean)) - Math.log1p(changeBounds.effect));
        fc.pre(edge > 1e-9);
        expect(judgeChange(of, before, fresh).verdict).toBe(mirrored[judgeChange(of, fresh, before).verdict]);
      }),
    );
  });

  test('rate and latency get opposite verdicts', () => {
    fc.assert(
      fc.property(near, ({ fresh, before }) => {
        expect(judgeChange(latency, fresh, before).verdict).toBe(
          mirrored[judgeChange(throughput, fresh, before).verdict],
        );
      }),
    );
  });

  test('too few repetitions get no verdict', () => {
    fc.assert(
      fc.property(near, fc.integer({ min: 1, max: changeBounds.repetitions - 1 }), ({ fresh, before }, n) => {
        const few = { ...fresh, n };
        expect(judgeChange(throughput, few, before).verdict).toBe('insufficient_data');
        expect(judgeChange(throughput, before, few).verdict).toBe('insufficient_data');
      }),
    );
  });

  test('a regression or an improvement is significant and above the minimum effect', () => {
    fc.assert(
      fc.property(near, ({ fresh, before }) => {
        const { verdict, interval, effect } = judgeChange(throughput, fresh, before);
        if (verdict === 'regression') expect(interval?.[1]).toBeLessThan(1);
        if (verdict === 'improvement') expect(interval?.[0]).toBeGreaterThan(1);
        if (verdict === 'regression' || verdict === 'improvement') {
          expect(Math.abs(effect ?? 0)).toBeGreaterThan(changeBounds.effect * 0.97);
        }
      }),
    );
  });
});
