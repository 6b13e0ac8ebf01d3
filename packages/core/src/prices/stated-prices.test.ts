import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { gpus } from '../catalogue/index.ts';
import { matchGpu } from '../filters/filters.ts';
import { nameOfMatch } from './price-list.ts';
import { parseStatedPrices, type StatedPrice } from './stated-prices.ts';

/** Formats a line that `parseStatedPrices` can parse. */
const formatStatedPrices = (prices: readonly StatedPrice[]): string =>
  prices.map(({ gpu, usdPerHour }) => `${gpu}=${usdPerHour}`).join(', ');

const read = (text: string) => parseStatedPrices(text).prices.map(({ gpu, usdPerHour }) => [gpu, usdPerHour]);

it.each([
  [
    'h100=2.10, mi300x=1.80',
    [
      ['h100', 2.1],
      ['mi300x', 1.8],
    ],
  ],
  [
    'h100 2.10; b200 3',
    [
      ['h100', 2.1],
      ['b200', 3],
    ],
  ],
  [
    'h100: $2.10\nrtx pro 6000 = 0.9',
    [
      ['h100', 2.1],
      ['rtx pro 6000', 0.9],
    ],
  ],
  [' , ;', []],
  ['', []],
])('parses %j', (text, expected) => {
  expect(parseStatedPrices(text).faults).toEqual([]);
  expect(read(text)).toEqual(expected);
});

it.each([
  ['h100=2.10, b200', 'b200', 'has no price: write h100=2.10'],
  ['h100', 'h100', 'has no price: write h100=2.10'],
  ['h100=2,10', '10', 'has no GPU: write h100=2.10'],
  ['=2', '=2', 'has no GPU: write h100=2.10'],
  ['h100=free', 'h100=free', 'has no price in dollars above 0, such as 2.10'],
  ['h100=-1', 'h100=-1', 'has no price in dollars above 0, such as 2.10'],
  ['h100=0', 'h100=0', 'has no price in dollars above 0, such as 2.10'],
  ['h100=', 'h100=', 'has no price in dollars above 0, such as 2.10'],
  ['h100=1e3', 'h100=1e3', 'has no price in dollars above 0, such as 2.10'],
  ['h100=1; H100=2', 'H100=2', 'is the same GPU as "h100": state one price'],
])('reports the invalid part of %j', (text, part, message) => {
  expect(parseStatedPrices(text).faults).toEqual([{ part, message }]);
});

it('reports all invalid parts, and keeps the valid ones', () => {
  const { prices, faults } = parseStatedPrices('h100=2, b200=x, 3, mi300x 1.8');
  expect(prices).toHaveLength(2);
  expect(faults.map(({ part }) => part)).toEqual(['b200=x', '3']);
});

describe('for any text', () => {
  const stated = fc.uniqueArray(
    fc.record({
      gpu: fc.constantFrom(...gpus.flatMap(({ id, name }) => [id, name])),
      usdPerHour: fc.integer({ min: 1, max: 999_999 }).map((cents) => cents / 100),
    }),
    { selector: ({ gpu }) => nameOfMatch(matchGpu(gpu)), maxLength: 8 },
  );

  test('formatted prices are parsed to the same prices, with any separators', () => {
    fc.assert(
      fc.property(
        stated,
        fc.constantFrom(',', '; ', '\n', ' , '),
        fc.constantFrom('=', ' = ', ' ', ': $'),
        (prices, between, before) => {
          const text = prices.map(({ gpu, usdPerHour }) => `${gpu}${before}${usdPerHour}`).join(between);
          expect(parseStatedPrices(text)).toEqual({ prices, faults: [] });
          expect(parseStatedPrices(formatStatedPrices(prices))).toEqual({ prices, faults: [] });
        },
      ),
    );
  });

  test('each part is a price or an error that quotes the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'h100b2=: ,;\n$.-x'), maxLength: 40 }), (text) => {
        const { prices, faults } = parseStatedPrices(text);
        const parts = text.split(/[,;\n]/).filter((part) => part.trim() !== '');
        expect(prices.length + faults.length).toBe(parts.length);
        for (const { part } of faults) expect(text).toContain(part);
        for (const { gpu, usdPerHour } of prices) {
          expect(gpu).not.toBe('');
          expect(usdPerHour).toBeGreaterThan(0);
        }
        expect(parseStatedPrices(formatStatedPrices(prices)).prices).toEqual(prices);
      }),
    );
  });
});
