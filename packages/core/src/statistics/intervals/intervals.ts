/**
 * True if two 95 % intervals (low, high) do not overlap: the fast rule for ranking boards. Touching intervals overlap. It is
 * stricter than Welch's test, which finds differences between some overlapping intervals. Null if one is unknown.
 */
export function differ(a: readonly [number, number] | null, b: readonly [number, number] | null): boolean | null {
  return a === null || b === null ? null : a[1] < b[0] || b[1] < a[0];
}
