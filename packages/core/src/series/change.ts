import type { Metric } from '../metrics/index.ts';
import { compareFigures, type Figure } from './comparison.ts';

export const verdicts = ['regression', 'improvement', 'stable', 'insufficient_data'] as const;
export type Verdict = (typeof verdicts)[number];

/** Thresholds of the judgement, with reasons. They are Inferboard's, not a standard's. */
export const changeBounds = {
  /**
   * Minimum repetitions per side. Two repetitions show almost nothing about scatter. With one degree of freedom it is known
   * to a factor of thirty, with two to a factor of six.
   */
  repetitions: 3,
  /**
   * Minimum reported change in either direction, as a fraction. After a restart, a machine may be a few percent faster or
   * slower. Successive repetitions, and therefore their interval, do not include this.
   */
  effect: 0.02,
  /**
   * Maximum extent of the interval, as a fraction, for indistinguishable figures to be stable. A wider interval may hide a
   * significant change.
   */
  reach: 0.1,
} as const;

/** Comparison of a new figure with an older one. */
export interface Change {
  verdict: Verdict;
  /** Relative change in the metric's better direction: above 0 is better. Null with a 0 or another formula. */
  effect: number | null;
  /** New over old, independent of direction. */
  ratio: number | null;
  /** 95 % interval of the ratio (Welch, with the delta method); null if the scatter of one side is unknown. */
  interval: [number, number] | null;
  /** Why there is no verdict, in one plain sentence. */
  reason: string | null;
}

/**
 * True if a ratio differs from 1 by at least this fraction. Compares logarithms, so that 1 / ratio gives the same result.
 */
const isBeyond = (ratio: number, fraction: number) => Math.abs(Math.log(ratio)) >= Math.log1p(fraction);

/**
 * Judges whether a figure improved. `regression` and `improvement` are changes of at least `changeBounds.effect` whose 95 %
 * interval excludes 1. `stable` is a difference that is not significant or too small, within `changeBounds.reach`.
 * `insufficient_data` means too few repetitions, or too much scatter to exclude a change. Swapping the figures swaps
 * regression and improvement. Throws RangeError for a metric without a better direction.
 */
export function judgeChange(metric: Metric, fresh: Figure, before: Figure): Change {
  const { direction } = metric.family;
  if (direction === 'neutral') throw new RangeError(`${metric.name} has no better direction`);
  const { ratio, interval, reason } = compareFigures(metric, fresh, before);
  const effect = ratio === null ? null : direction === 'higher' ? ratio - 1 : 1 - ratio;
  const judged = (verdict: Verdict, why: string | null = null): Change => ({
    verdict,
    effect,
    ratio,
    interval,
    reason: why,
  });
  if (ratio === null) return judged('insufficient_data', reason);
  const fewest = Math.min(fresh.n, before.n);
  if (interval === null || fewest < changeBounds.repetitions) {
    const why = `A verdict needs ${changeBounds.repetitions} repetitions on both sides; there are ${fresh.n} and ${before.n}.`;
    return judged('insufficient_data', fewest < changeBounds.repetitions ? why : reason);
  }
  const isSignificant = interval[0] > 1 || interval[1] < 1;
  if (isSignificant && isBeyond(ratio, changeBounds.effect)) {
    return judged(ratio > 1 === (direction === 'higher') ? 'improvement' : 'regression');
  }
  if (isSignificant || !interval.some((end) => isBeyond(end, changeBounds.reach))) return judged('stable');
  return judged(
    'insufficient_data',
    `The repetitions scatter too much: a change of more than ${changeBounds.reach * 100} % cannot be excluded.`,
  );
}
