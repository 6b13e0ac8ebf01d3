import { expect, test } from 'vitest';
import { mixName } from './mix.ts';

const shape = (inputTokens: number, outputTokens: number, weight: number) => ({ inputTokens, outputTokens, weight });

// Otherwise equal work would not be ranked together.
test('equal mixes have one name, in any order and with any common factor of their weights', () => {
  const name = 'mix-1024x256-7-100x20-3';
  expect(mixName([shape(1024, 256, 7), shape(100, 20, 3)])).toBe(name);
  expect(mixName([shape(100, 20, 300), shape(1024, 256, 700)])).toBe(name);
  expect(mixName([shape(1024, 256, 7), shape(100, 20, 2)])).not.toBe(name);
  expect(mixName([shape(9, 9, 5), shape(8, 8, 5)])).toBe(mixName([shape(8, 8, 1), shape(9, 9, 1)]));
});

test('weights that are not whole are kept', () => {
  expect(mixName([shape(40, 3, 0.7), shape(100, 20, 0.3)])).toBe('mix-40x3-0.7-100x20-0.3');
});
