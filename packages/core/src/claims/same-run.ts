import { chanceOfEqual, independentPairs, isEqual, isSd, pairFigures } from './agreement.ts';
import type { ComparedRow } from './judge-copy.ts';

/** So many independent figures are enough, whatever their digits. */
const figuresLeast = 3;
/** Fewer are enough where honest repetitions would share them less often. */
const chanceMost = 1 / 1000;

/** A row of one account, and whether its percentiles are ours: those of other tools interpolate otherwise. */
export interface OwnRow extends ComparedRow {
  isRecomputed?: boolean;
}

/**
 * Whether two rows of one account at one point are one run, sent again in another wrapping: every figure that both state
 * is equal to the digits of the coarser one, and so are three independent ones, or fewer that honest repetitions would
 * share less than once in 1,000.
 */
export function isSameRun(a: OwnRow, b: OwnRow): boolean {
  const all = pairFigures(a.key, a.figures, b.figures);
  const isOurs = a.isRecomputed === true || b.isRecomputed === true;
  const pairs = isOurs ? all.filter(({ metric }) => !/_ms_(p\d+|sd|min|max)$/.test(metric)) : all;
  if (!pairs.every(isEqual)) return false;
  const figures = independentPairs(pairs, 1).filter((pair) => !isSd(pair));
  return (
    figures.length >= figuresLeast || (figures.length > 0 && chanceOfEqual(figures, pairs.filter(isSd)) < chanceMost)
  );
}
