import type { AxisChoice } from './axes.ts';

interface Place {
  x: number;
  y: number;
}

/** What a curve reaches at a limit on x. */
export interface Reached<P extends Place> {
  y: number;
  /** The measured point, or the two measured points that the value lies between. */
  between: readonly [P] | readonly [P, P];
}

const beats = (better: AxisChoice['better'], a: number, b: number) => (better === 'higher' ? a > b : a < b);

/**
 * The best y of points that meet a limit on x. Null where no point meets it. Where the points are one system's over its loads, the value at
 * the limit itself counts as well: it lies on the line between the two measured points on either side. Nothing is assumed beyond the
 * first and the last point.
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
