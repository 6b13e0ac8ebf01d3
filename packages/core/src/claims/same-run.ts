import { areEqual, chanceOfEqual, independentPairs, isSd, pairFigures } from './agreement.ts';
import type { ComparedRow } from './judge-copy.ts';

/** Honest repetitions share their figures less often: the fewer digits a tool prints, the more figures it takes. */
const chanceMost = 1 / 1000;

/** A row of one account, and whether its percentiles are ours: those of other tools interpolate otherwise. */
export interface OwnRow extends ComparedRow {
  isRecomputed?: boolean;
}

/**
 * Whether two rows of one account at one point are one run, sent again in another wrapping: every figure that both state
 * is equal to the digits of the coarser one, and honest repetitions would share the independent ones less than once in
 * 1,000.
 */
export function isSameRun(a: OwnRow, b: OwnRow): boolean {
  const isOurs = a.isRecomputed === true || b.isRecomputed === true;
  const isLeftOut = (metric: string) => isOurs && /_ms_(p\d+|sd|min|max)$/.test(metric);
  if (!areEqual(a.figures, b.figures, isLeftOut)) return false;
  const pairs = pairFigures(a.key, a.figures, b.figures).filter(({ metric }) => !isLeftOut(metric));
  const figures = independentPairs(pairs, 1).filter((pair) => !isSd(pair));
  return figures.length > 0 && chanceOfEqual(figures, pairs.filter(isSd)) < chanceMost;
}
