import { expect, test } from 'vitest';
import { stabilityOf } from './stability.ts';

test.each([
  [0, 'tight'],
  [0.01, 'tight'],
  [0.0101, 'normal'],
  [0.03, 'normal'],
  [0.031, 'noisy'],
  [0.1, 'noisy'],
  [0.101, 'unstable'],
  [null, null],
])('rates a coefficient of variation of %s as %s', (cv, expected) => {
  expect(stabilityOf(cv)).toBe(expected);
});
