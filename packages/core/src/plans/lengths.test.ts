import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Lengths, lengthsName, meanLength, readLengths, tokensMax } from './lengths.ts';

const tokens = fc.integer({ min: 1, max: tokensMax });
const lengths: fc.Arbitrary<Lengths> = fc.oneof(
  fc.record({ kind: fc.constant('constant' as const), tokens }),
  fc.tuple(tokens, tokens).map(([a, b]): Lengths => ({ kind: 'uniform', min: Math.min(a, b), max: Math.max(a, b) })),
  fc.record({ kind: fc.constant('normal' as const), mean: tokens, sd: tokens }),
  fc.record({ kind: fc.constant('lognormal' as const), median: tokens, sigma: fc.integer({ min: 1, max: 5 }) }),
);

test('a distribution is read from its kind and its numbers', () => {
  fc.assert(
    fc.property(lengths, (wanted) => {
      const text = lengthsName(wanted).replaceAll('-', ':');
      expect(readLengths(text)).toEqual(wanted);
    }),
  );
});

test('the mean is that of the distribution', () => {
  expect(
    ['64', 'uniform:10:20', 'normal:500:50', 'lognormal:100:1'].map((text) => meanLength(readLengths(text) as Lengths)),
  ).toEqual([64, 15, 500, 100 * Math.exp(0.5)]);
});

test('other texts are rejected', () => {
  for (const text of [
    '',
    ' ',
    '0',
    '-5',
    'normal',
    'normal:5',
    'normal:5:x',
    'normal:1:2:3',
    'normal:0:5',
    'gamma:1:2',
    'constructor:1:2',
    '1e9',
  ])
    expect(readLengths(text)).toBeNull();
  expect(readLengths('uniform:9:5')).toContain('below the minimum');
  expect(readLengths('lognormal:9:6')).toContain('5 at most');
});
