import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { studentT, studentTailProbability } from './student-t.ts';

// Every interval on the boards uses this factor.
test.each([
  [1, 12.7062047],
  [2, 4.3026527],
  [3, 3.1824463],
  [4, 2.7764451],
  [5, 2.5705818],
  [6, 2.4469119],
  [7, 2.3646243],
  [8, 2.3060041],
  [9, 2.2621572],
  [29, 2.0452296],
  [1000, 1.9623391],
])('the 95 %% quantile for %d degrees of freedom is %d', (df, expected) => {
  expect(studentT(0.95, df)).toBeCloseTo(expected, 6);
});

test('matches known values for other confidences and the normal limit', () => {
  expect(studentT(0.99, 10)).toBeCloseTo(3.1692727, 6);
  expect(studentT(0.5, 1)).toBeCloseTo(1, 9);
  expect(studentT(0.95, Number.POSITIVE_INFINITY)).toBeCloseTo(1.959964, 5);
});

test('computes a Welch p value with fractional degrees of freedom', () => {
  expect(studentTailProbability(5.711, 4.719)).toBeCloseTo(0.00277, 5);
  expect(studentTailProbability(-5.711, 4.719)).toBe(studentTailProbability(5.711, 4.719));
});

test('matches the closed forms for one and two degrees of freedom', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.001, max: 0.999, noNaN: true }), (confidence) => {
      expect(studentT(confidence, 1) / Math.tan((Math.PI * confidence) / 2)).toBeCloseTo(1, 6);
      expect(studentT(confidence, 2) / (confidence * Math.sqrt(2 / (1 - confidence ** 2)))).toBeCloseTo(1, 6);
    }),
  );
});

test('inverts the tail probability', () => {
  const arguments_ = [
    fc.double({ min: 0.01, max: 0.999, noNaN: true }),
    fc.double({ min: 0.5, max: 500, noNaN: true }),
  ] as const;
  fc.assert(
    fc.property(...arguments_, (confidence, df) => {
      expect(studentTailProbability(studentT(confidence, df), df)).toBeCloseTo(1 - confidence, 9);
    }),
  );
});

// Quantiles of a fractional df are not cached, so they calculate the same t again.
test('returns the same quantile from the cache', () => {
  const whole = fc.integer({ min: 1, max: 1000 });
  fc.assert(
    fc.property(fc.constantFrom(0.5, 0.9, 0.95, 0.99), whole, (confidence, df) => {
      const first = studentT(confidence, df);
      expect(studentT(confidence, df)).toBe(first);
      expect(studentT(confidence, df * (1 + Number.EPSILON)) / first).toBeCloseTo(1, 9);
      expect(studentTailProbability(first, df)).toBeCloseTo(1 - confidence, 9);
    }),
  );
});

test('remains correct with more confidences than the cache holds', () => {
  for (let step = 1; step <= 2500; step++) studentT(step / 2501, 1);
  expect(studentT(0.5, 1)).toBeCloseTo(1, 9);
  expect(studentT(0.95, 4)).toBeCloseTo(2.7764451, 6);
});

test.each([
  [0, 5, 'confidence must be between 0 and 1'],
  [1, 5, 'confidence must be between 0 and 1'],
  [0.95, 0, 'degrees of freedom must be above 0'],
  [Number.NaN, 5, 'confidence must be between 0 and 1'],
  [0.95, Number.NaN, 'degrees of freedom must be above 0'],
])('rejects a confidence of %d with %d degrees of freedom', (confidence, df, message) => {
  expect(() => studentT(confidence, df)).toThrow(new RangeError(message));
});

test('caches quantiles of whole degrees of freedom only', async () => {
  vi.resetModules();
  const beta = await import('./incomplete-beta.ts');
  const incompleteBeta = vi.fn(beta.incompleteBeta);
  vi.doMock('./incomplete-beta.ts', () => ({ incompleteBeta }));
  try {
    const fresh = await import('./student-t.ts');
    const steps = (df: number) => {
      incompleteBeta.mockClear();
      fresh.studentT(0.95, df);
      return incompleteBeta.mock.calls.length;
    };
    expect([steps(4), steps(4), steps(4.5), steps(4.5)]).toEqual([64, 0, 64, 64]);
  } finally {
    vi.doUnmock('./incomplete-beta.ts');
    vi.resetModules();
  }
});
