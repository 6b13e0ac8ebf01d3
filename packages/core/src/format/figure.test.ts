import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { formatDigits, formatFigure, formatWithUnit } from './figure.ts';

const numberOf = (text: string) => Number(text.replaceAll(',', '').replace('−', '-'));
const digitsOf = (text: string) => text.replace(/[^\d]/g, '').replace(/^0+/, '').replace(/0+$/, '').length;
const positive = fc.double({ min: 1e-6, max: 1e12, noNaN: true });
/** Half a unit of the last written digit, or of the digit that the text was rounded to. */
const rounding = (text: string) => 0.5 * 10 ** -(text.split('.')[1]?.length ?? 0);

describe('without a deviation', () => {
  test.each([
    [198.0612, 'tok/s', '198.1', 'tok/s'],
    [9774, 'tok/s', '9,774', 'tok/s'],
    [27784.97251, 'tok/s', '27,780', 'tok/s'],
    [1_048_576, 'tok', '1,048,576', 'tok'],
    [12_345, '', '12,345', ''],
    [0.94910001, 'tok/J', '0.9491', 'tok/J'],
    [211, 'ms', '211', 'ms'],
    [5.8, 'ms', '5.8', 'ms'],
    [9999.4, 'ms', '9,999', 'ms'],
    [9999.6, 'ms', '10', 's'],
    [18_742.3, 'ms', '18.74', 's'],
    [0, 'ms', '0', 'ms'],
    [-0.00001, 'ms', '−0.00001', 'ms'],
    [-407.68, 'tok/s', '−407.7', 'tok/s'],
  ])('formats %d %s as %s %s', (value, unit, number, shown) => {
    expect(formatFigure(value, unit)).toEqual({ number, unit: shown, sd: null, interval: null });
  });

  it('shows at most four significant digits, correctly rounded', () => {
    fc.assert(
      fc.property(positive, fc.constantFrom('tok/s', 'ms', 's', 'tok/J'), (value, unit) => {
        const figure = formatFigure(value, unit);
        const shown = numberOf(figure?.number ?? '') * (figure?.unit === unit ? 1 : 1000);
        expect(digitsOf(figure?.number ?? '')).toBeLessThanOrEqual(4);
        expect(Math.abs(shown - value)).toBeLessThanOrEqual(0.0005001 * value);
      }),
    );
  });
});

describe('with an interval or a deviation', () => {
  test.each([
    [198.06, 'tok/s', [197.737, 198.383], 0.13, '198.06', '± 0.13', '197.74 to 198.38'],
    [279, 'tok/s', [278.85, 279.15], 0.06, '279.00', '± 0.06', '278.85 to 279.15'],
    [279.04, 'tok/s', null, 0.06, '279.04', '± 0.06', null],
    [18_742, 'ms', null, 0.5, '18.7420', '± 0.0005', null],
    [16634.04, 'tok/s', null, 97.98, '16,634', '± 98', null],
    [16634.04, 'tok/s', [15_400.1, 17_867.9], 500, '16,600', '± 500', '15,400 to 17,900'],
    [2.68, 'tok/s', [2.68, 2.68], 0, '2.68', '± 0', '2.68 to 2.68'],
    [18_742.3, 'ms', [18_622.1, 18_862.5], 75, '18.74', '± 0.08', '18.62 to 18.86'],
    // A speed is never negative, so the interval has only an upper end.
    [10, 'tok/s', [-62, 82], 8, '10', '± 8', 'up to 82'],
    [0.31, '$', [0.24, Number.POSITIVE_INFINITY], null, '0.310', null, '0.240 or more'],
    [3, 'tok/s', [-700, 706], 80, '3.0', '± 80.0', 'up to 706.0'],
    [5, 'tok/s', [Number.NaN, Number.NaN], null, '5', null, null],
  ] as const)('formats %d %s with %j and sd %s as %s %s, %s', (value, unit, ci95, sd, number, ofSd, interval) => {
    expect(formatFigure(value, unit, { ci95, sd })).toMatchObject({ number, sd: ofSd, interval });
  });

  it('shows the first two significant digits of half the interval, with different ends', () => {
    const share = fc.double({ min: 1e-6, max: 0.5, noNaN: true });
    fc.assert(
      fc.property(positive, share, (value, part) => {
        const half = value * part;
        const { number = '', interval = '' } =
          formatFigure(value, 'tok/s', { ci95: [value - half, value + half] }) ?? {};
        const [low = '', high = ''] = interval?.split(' to ') ?? [];
        const unit = 10 ** (Math.floor(Math.log10(half)) - 1);
        // Rounded to at most one digit more than half the interval has, or fewer if that digit carries.
        expect(Math.abs(numberOf(number) - value)).toBeLessThanOrEqual(5.0001 * unit);
        expect(numberOf(low)).toBeLessThan(numberOf(high));
        expect(Math.abs(numberOf(low) - (value - half))).toBeLessThanOrEqual(5.0001 * unit);
        // The same number of decimals.
        expect(rounding(low)).toBe(rounding(number));
        expect(rounding(high)).toBe(rounding(number));
      }),
    );
  });

  it('never shows a nonzero value as zero, NaN, or a bound below zero', () => {
    const any = fc.oneof(fc.double({ min: 0, noNaN: true }), fc.constant(Number.NaN));
    fc.assert(
      fc.property(positive, any, any, fc.option(any), (value, below, above, sd) => {
        const figure = formatFigure(value, 'tok/s', { ci95: [value - below, value + above], sd });
        expect(numberOf(figure?.number ?? '')).toBeGreaterThan(0);
        expect(`${figure?.number}${figure?.interval}`).not.toMatch(/NaN|∞|−/);
      }),
    );
  });
});

test('returns null for missing values', () => {
  for (const value of [null, undefined, Number.NaN, Number.POSITIVE_INFINITY])
    expect(formatFigure(value, 'ms')).toBeNull();
});

test('formats values with their unit, and ratios with the given digits', () => {
  expect(formatWithUnit(12_300, 'ms')).toBe('12.3 s');
  expect(formatWithUnit(0.463, '')).toBe('0.463');
  expect(formatWithUnit(0.12361, '$')).toBe('$0.1236');
  expect(formatDigits(1.23456, 3)).toBe('1.23');
  expect(formatDigits(12.0, 2)).toBe('12');
});
