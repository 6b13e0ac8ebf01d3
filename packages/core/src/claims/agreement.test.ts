import fc from 'fast-check';
import { expect, test } from 'vitest';
import { areEqual, isEqual, pairFigures } from './agreement.ts';
import { figuresOf } from './figures.ts';

const figuresOfValue = (value: number) =>
  figuresOf({ metrics: { ttft_ms_mean: value }, definitions: {}, repeats: null, load: { mode: 'rate', level: 1 } });

const rounded = fc
  .tuple(fc.double({ min: 1e-3, max: 1e6, noNaN: true }), fc.integer({ min: 1, max: 14 }))
  .map(([value, digits]) => Number(value.toPrecision(digits)));

/** Twice the same value with other digits, or a value close to the other's rounding. */
const close = fc
  .tuple(rounded, fc.integer({ min: 1, max: 14 }), fc.double({ min: -2, max: 2, noNaN: true }))
  .map(([value, digits, units]) => {
    const coarse = Number(value.toPrecision(digits));
    const unit = 10 ** (Math.floor(Math.log10(coarse)) - digits + 1);
    return [coarse, Math.max(1e-4, coarse + units * unit)] as const;
  });

test('the fast test of equality agrees with the exact one', () => {
  fc.assert(
    fc.property(fc.oneof(close, fc.tuple(rounded, rounded)), ([a, b]) => {
      const [of, others] = [figuresOfValue(a), figuresOfValue(b)];
      expect(areEqual(of, others, () => false)).toBe(pairFigures('', of, others).every(isEqual));
    }),
    { numRuns: 5000 },
  );
});
