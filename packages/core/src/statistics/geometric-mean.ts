/** Geometric mean, calculated in logarithms to avoid overflow; 0 if any value is 0; null without values. */
export function geometricMean(values: readonly number[]): number | null {
  if (values.some((value) => !(value >= 0))) throw new RangeError('a geometric mean needs values of 0 or more');
  if (values.length === 0) return null;
  return Math.exp(values.reduce((total, value) => total + Math.log(value), 0) / values.length);
}
