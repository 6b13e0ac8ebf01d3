import { levelsOf } from './levels.ts';
import { estimateRate } from './rate-estimate.ts';
import type { Observation } from './search.ts';

/** Probability that the capacity is below the lower end of the interval, and above the upper one. */
const tail = 0.1;
/** The first two points near the limit, by the rate where latency crosses it. */
const aroundCrossing = [0.97, 1.03];

/** What the points show about the rate that a server sustains. */
interface RateRange {
  /** The estimated capacity. */
  level: number;
  /** Contains the capacity with a probability of 80 %. */
  interval: readonly [number, number];
  /** The rate to measure next. */
  next: number;
  /** What the point nearest to the capacity missed. */
  bound: string | null;
  /** Completed requests per second at the highest rate below the capacity that met the limits; null if unknown. */
  completed_req_s: number | null;
}

/**
 * Where latency crosses its limit: a queue has a ratio of about base / (1 - rate / capacity), so that its inverse falls on a
 * line to 0 at the capacity, which is what a saturated server completes. Null if the points contradict each other.
 */
function crossing(history: readonly Observation[]): number | null {
  const levels = levelsOf(history);
  const lo = levels.findLast(({ ratio }) => ratio <= 1);
  const hi = levels.find(({ ratio }) => ratio > 1);
  if (lo === undefined || hi === undefined || lo.level > hi.level) return null;
  const completed = hi.isSaturated ? hi.completed_req_s : null;
  const isKnown = completed !== null && completed > lo.level && completed < hi.level;
  const [end, endInverse] = isKnown ? [completed, 0] : [hi.level, 1 / hi.ratio];
  const found = lo.level + ((1 / lo.ratio - 1) / (1 / lo.ratio - endInverse)) * (end - lo.level);
  return found > lo.level && found < hi.level ? found : null;
}

/**
 * Estimates the capacity from points of which at least one met the limits and one did not, and chooses the next rate: first
 * below and above where latency crosses its limit, then the estimate.
 */
export function refineRate(history: readonly Observation[]): RateRange {
  const { quantile } = estimateRate(history.map(({ level, ratio }) => ({ level, isMissed: ratio > 1 })));
  const [low, level, high] = [quantile(tail), quantile(0.5), quantile(1 - tail)];
  const fine = history.filter(({ isFine }) => isFine).length;
  const aside = aroundCrossing[fine];
  const crossed = aside === undefined ? null : crossing(history);
  const byDistance = history
    .filter(({ ratio }) => ratio > 1)
    .sort((a, b) => Math.abs(a.level - level) - Math.abs(b.level - level));
  const below = history.filter((point) => point.ratio <= 1 && point.level <= level).sort((a, b) => a.level - b.level);
  return {
    level,
    interval: [low, high],
    next: aside === undefined || crossed === null ? level : crossed * aside,
    bound: byDistance[0]?.bound ?? null,
    completed_req_s: below.at(-1)?.completed_req_s ?? null,
  };
}
