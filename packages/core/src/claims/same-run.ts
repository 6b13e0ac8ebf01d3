import { areEqual, chanceOfEqual, independentPairs, isSd, pairFigures } from './agreement.ts';
import type { ComparedRow } from './judge-copy.ts';

/** Maximum chance that honest repetitions share their figures. A tool with fewer digits needs more equal figures. */
const chanceMost = 1 / 1000;

/** A row of one account, and whether we calculated its percentiles: other tools interpolate differently. */
export interface OwnRow extends ComparedRow {
  isRecomputed?: boolean;
}

/**
 * True if two rows of one account at one point are the same run in another format. All common figures must be equal to the
 * digits of the coarser one. Honest repetitions must share the independent ones with a chance below 1 in 1,000.
 */
export function isSameRun(a: OwnRow, b: OwnRow): boolean {
  const isOurs = a.isRecomputed === true || b.isRecomputed === true;
  const isLeftOut = (metric: string) => isOurs && /_ms_(p\d+|sd|min|max)$/.test(metric);
  if (!areEqual(a.figures, b.figures, isLeftOut)) return false;
  const pairs = pairFigures(a.key, a.figures, b.figures).filter(({ metric }) => !isLeftOut(metric));
  const figures = independentPairs(pairs, 1).filter((pair) => !isSd(pair));
  return figures.length > 0 && chanceOfEqual(figures, pairs.filter(isSd)) < chanceMost;
}
