import type { Random } from './random.ts';

/** Exponentially distributed with mean 1. */
export function drawExponential(random: Random): number {
  return -Math.log1p(-random.next());
}

/** Normally distributed with mean 0 and variance 1: Marsaglia's polar method, of which one of two numbers is used. */
export function drawNormal(random: Random): number {
  for (;;) {
    const x = 2 * random.next() - 1;
    const y = 2 * random.next() - 1;
    const square = x * x + y * y;
    if (square > 0 && square < 1) return x * Math.sqrt((-2 * Math.log(square)) / square);
  }
}

/** Marsaglia and Tsang, "A simple method for generating gamma variables" (2000), for shapes of 1 and more. */
function drawGammaFromOne(shape: number, random: Random): number {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = drawNormal(random);
    const root = 1 + c * x;
    if (root <= 0) continue;
    const v = root ** 3;
    if (Math.log1p(-random.next()) < 0.5 * x * x + d * (1 - v + Math.log(v))) return d * v;
  }
}

/**
 * Gamma distributed with scale 1: mean and variance are both `shape`, above 0. Shapes below 1 follow from the next one
 * up by the factor u^(1/shape) of the same paper.
 */
export function drawGamma(shape: number, random: Random): number {
  if (!(shape > 0 && shape < Number.POSITIVE_INFINITY)) throw new RangeError('the shape must be above 0 and finite');
  if (shape === 1) return drawExponential(random);
  if (shape > 1) return drawGammaFromOne(shape, random);
  return drawGammaFromOne(shape + 1, random) * (1 - random.next()) ** (1 / shape);
}
