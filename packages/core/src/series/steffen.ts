export interface CurvePoint {
  x: number;
  y: number;
}

/** Sorted by x, each x once. */
function prepare(points: readonly CurvePoint[]): CurvePoint[] {
  if (points.some(({ x, y }) => !Number.isFinite(x) || !Number.isFinite(y))) {
    throw new RangeError('points of a curve must be finite');
  }
  const sorted = [...points].sort((a, b) => a.x - b.x);
  const twice = sorted.some(({ x, y }, i) => sorted[i - 1]?.x === x && sorted[i - 1]?.y !== y);
  if (twice) throw new RangeError('a curve has one value at a place');
  return sorted.filter(({ x }, i) => sorted[i - 1]?.x !== x);
}

/** Between two neighbours: width and slope of the straight line. */
interface Step {
  width: number;
  slope: number;
}

/** Slope at a point between two steps: that of the parabola through the three points, limited so that nothing overshoots. */
function innerSlope(before: Step, after: Step): number {
  const parabola = (before.slope * after.width + after.slope * before.width) / (before.width + after.width);
  const limit = Math.min(Math.abs(before.slope), Math.abs(after.slope), Math.abs(parabola) / 2);
  return (Math.sign(before.slope) + Math.sign(after.slope)) * limit;
}

/** Slope at the end of the step `end`, whose inner neighbour is `next`. */
function endSlope(end: Step, next: Step | undefined): number {
  if (next === undefined) return end.slope;
  const share = end.width / (end.width + next.width);
  const parabola = end.slope * (1 + share) - next.slope * share;
  if (parabola * end.slope <= 0) return 0;
  return Math.abs(parabola) > 2 * Math.abs(end.slope) ? 2 * end.slope : parabola;
}

function slopesOf(steps: readonly Step[]): number[] {
  return Array.from({ length: steps.length + 1 }, (_, i) => {
    const before = steps[i - 1];
    const after = steps[i];
    if (before === undefined) return after === undefined ? 0 : endSlope(after, steps[i + 1]);
    return after === undefined ? endSlope(before, steps[i - 2]) : innerSlope(before, after);
  });
}

/**
 * A smooth curve through measured points that rises and falls only where they do and never leaves the range of its two
 * neighbours (M. Steffen, Astronomy and Astrophysics 239, 1990), for figures of 0 and above: it stops at 0. The function
 * returned answers null outside of the points: nothing is extrapolated. Points may come in any order and repeat; throws
 * RangeError where one x has two values or a number is not finite.
 */
export function steffenCurve(points: readonly CurvePoint[]): (x: number) => number | null {
  const sorted = prepare(points);
  const steps = sorted.slice(1).map((to, i): Step => {
    const from = sorted[i] ?? to;
    return { width: to.x - from.x, slope: (to.y - from.y) / (to.x - from.x) };
  });
  const slopes = slopesOf(steps);
  return (x) => {
    const after = sorted.findIndex((point) => point.x >= x);
    const to = sorted[after];
    if (to === undefined) return null;
    const from = sorted[after - 1];
    if (to.x === x) return Math.max(0, to.y);
    const step = steps[after - 1];
    if (from === undefined || step === undefined) return null;
    const [slope, slopeAfter] = [slopes[after - 1] ?? 0, slopes[after] ?? 0];
    // In shares of the step: y = from + width share (slope + share (quadratic + share cubic)).
    const share = (x - from.x) / step.width;
    const quadratic = 3 * step.slope - 2 * slope - slopeAfter;
    const cubic = slope + slopeAfter - 2 * step.slope;
    const y = from.y + step.width * share * (slope + share * (quadratic + share * cubic));
    // Rounding may leave the range by a last digit.
    return Math.max(0, Math.min(Math.max(from.y, to.y), Math.max(Math.min(from.y, to.y), y)));
  };
}
