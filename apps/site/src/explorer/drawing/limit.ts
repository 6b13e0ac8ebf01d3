import type { AxisChoice } from '../axes.ts';

interface Place {
  x: number;
  y: number;
}

/** The value of a curve at a limit on x. */
export interface Reached<P extends Place> {
  y: number;
  /** The measured point, or the two measured points around an interpolated value. */
  between: readonly [P] | readonly [P, P];
}

const beats = (better: AxisChoice['better'], a: number, b: number) => (better === 'higher' ? a > b : a < b);

/**
 * The best y of the points that meet a limit on x. Null if no point meets it. For one system over its loads, the value at the
 * limit counts too: it is interpolated between the two neighbouring points. Never extrapolates beyond the first or last point.
 */
export function reachedAt<P extends Place>(
  points: readonly P[],
  {
    limit,
    x,
    y,
    interpolates,
  }: { limit: number; x: AxisChoice['better']; y: AxisChoice['better']; interpolates: boolean },
): Reached<P> | null {
  let best: Reached<P> | null = null;
  const offer = (reached: Reached<P>) => {
    if (best === null || beats(y, reached.y, best.y)) best = reached;
  };
  for (const point of points) if (!beats(x, limit, point.x)) offer({ y: point.y, between: [point] });
  if (!interpolates) return best;
  const sorted = points.toSorted((a, b) => a.x - b.x);
  for (const [at, after] of sorted.entries()) {
    const before = sorted[at - 1];
    if (before === undefined || !(before.x < limit && limit < after.x)) continue;
    const share = (limit - before.x) / (after.x - before.x);
    offer({ y: before.y + share * (after.y - before.y), between: [before, after] });
  }
  return best;
}
