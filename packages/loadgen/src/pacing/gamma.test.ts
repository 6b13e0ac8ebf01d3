import { expect, test } from 'vitest';
import { drawGamma } from './gamma.ts';
import { createRandom } from './random.ts';

// The mean and variance of a gamma of scale 1 equal its shape; its fourth central moment is 3 shape^2 + 6 shape.
test.each([0.1, 0.25, 0.5, 0.9, 1, 1.5, 3, 10, 1000])('has the mean and variance of shape %s', (shape) => {
  const random = createRandom(20260);
  const n = 100_000;
  const values = Array.from({ length: n }, () => drawGamma(shape, random));
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  // Four standard errors.
  expect(Math.abs(mean - shape)).toBeLessThan(4 * Math.sqrt(shape / n));
  expect(Math.abs(variance - shape)).toBeLessThan(4 * Math.sqrt((2 * shape ** 2 + 6 * shape) / n));
  expect(values.every((value) => value >= 0)).toBe(true);
});

// The share below the median distinguishes a correct shape from one that has only the correct moments.
test.each([
  // Shape 1: 1 - exp(-1); shape 2: 1 - 2 exp(-1); shape 1/2: erf(1). All at 1.
  [1, 0.6321205588],
  [2, 0.2642411177],
  [0.5, 0.8427007929],
])('for shape %s has a share of %s below 1', (shape, share) => {
  const random = createRandom(99);
  const n = 100_000;
  let below = 0;
  for (let index = 0; index < n; index++) if (drawGamma(shape, random) < 1) below++;
  expect(Math.abs(below / n - share)).toBeLessThan(4 * Math.sqrt((share * (1 - share)) / n));
});

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('rejects the shape %s', (shape) => {
  expect(() => drawGamma(shape, createRandom(1))).toThrow(RangeError);
});
