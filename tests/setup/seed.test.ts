import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seedOf } from './seed.ts';

test('a seed is the same in every run unless another is set', () => {
  expect([seedOf(undefined), seedOf('')]).toEqual([1, 1]);
  expect(seedOf('1295988076')).toBe(1295988076);
  expect(new Set(Array.from({ length: 5 }, () => seedOf('fresh'))).size).toBeGreaterThan(1);
  expect(() => seedOf('new')).toThrow('TEST_SEED must be a whole number or "fresh", not "new".');
});

// With a new seed for each run, a rare bug could fail a test of unchanged code.
test('properties draw from the seed of the run', () => {
  const drawn = () => fc.sample(fc.integer(), 5);
  expect(drawn()).toEqual(drawn());
  expect(fc.readConfigureGlobal().seed).toBe(Number(process.env.TEST_SEED));
});
