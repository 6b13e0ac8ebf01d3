/** Coefficients of the Lanczos approximation of the gamma function with g = 7, accurate to about 1e-15. */
const lanczosG = 7;
const lanczosFirst = 0.99999999999980993;
const lanczos = [
  676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** ln of the gamma function for z > 0. */
function logGamma(z: number): number {
  if (z < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * z)) - logGamma(1 - z);
  const x = z - 1;
  const sum = lanczos.reduce((total, coefficient, i) => total + coefficient / (x + i + 1), lanczosFirst);
  const t = x + lanczosG + 0.5;
  return 0.5 * Math.log(2 * Math.PI) + (x + 0.5) * Math.log(t) - t + Math.log(sum);
}

/** Maximum steps of the continued fraction, which needs about the square root of the larger parameter. */
const stepsMax = 20_000;
const tiny = 1e-300;

/** Continued fraction of the incomplete beta function by Lentz's method. Converges for x < (a + 1) / (a + b + 2). */
function betaFraction(x: number, a: number, b: number): number {
  const away = (value: number) => (Math.abs(value) < tiny ? tiny : value);
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m <= stepsMax; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    fraction *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return fraction;
}

/**
 * Regularized incomplete beta function I_x(a, b) for a, b > 0, to about nine digits. `y` is 1 - x, passed separately because
 * it may be too small to subtract. Lentz, 1976; O(sqrt(a + b)).
 */
export function incompleteBeta(x: number, y: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  const factor = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(y));
  if (x < (a + 1) / (a + b + 2)) return (factor * betaFraction(x, a, b)) / a;
  return 1 - (factor * betaFraction(y, b, a)) / b;
}
