import type { Metric } from '../metrics/index.ts';
import { compareFigures, type Figure } from './comparison.ts';

export const verdicts = ['regression', 'improvement', 'stable', 'insufficient_data'] as const;
export type Verdict = (typeof verdicts)[number];

/** The bounds of the judgement, each with its reason. They are Inferboard's own, not a standard's. */
export const changeBounds = {
  /**
   * Repetitions that each side needs. Two that happen to agree say next to nothing of their scatter: with one degree of
   * freedom it is known to a factor of thirty, with two to a factor of six.
   */
  repetitions: 3,
  /**
   * Smallest change worth telling, as a fraction, whichever way. A machine that is started again runs some percent faster
   * or slower, which repetitions in a row do not show and their interval therefore does not hold.
   */
  effect: 0.02,
  /**
   * How far the interval may reach, as a fraction, and figures that cannot be told apart still be called stable. Beyond it
   * a change that nobody would overlook may hide in the scatter.
   */
  reach: 0.1,
} as const;

/** What a new figure says beside an older one. */
export interface Change {
  verdict: Verdict;
  /** Relative change in the metric's better direction: above 0 is better. Null beside a 0 or another formula. */
  effect: number | null;
  /** New over old, whichever way is better. */
  ratio: number | null;
  /** 95 % interval of the ratio (Welch, by the delta method); null where the scatter of one side is not known. */
  interval: [number, number] | null;
  /** Why there is no verdict: one plain sentence. */
  reason: string | null;
}

/** True where a ratio is at least this fraction away from 1. Told in logarithms, so that 1 / ratio gives the same answer. */
const isBeyond = (ratio: number, fraction: number) => Math.abs(Math.log(ratio)) >= Math.log1p(fraction);

/**
 * Whether a figure got better or worse: `regression` and `improvement` are changes of at least `changeBounds.effect` whose
 * 95 % interval leaves out 1; `stable` is what cannot be told apart, or is too small to matter, within
 * `changeBounds.reach`. `insufficient_data` are too few repetitions, or ones that scatter too much to exclude a change.
 * Swapping the two swaps regression and improvement and leaves the others. Throws RangeError on a metric that has no
 * better direction.
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
  const isToldApart = interval[0] > 1 || interval[1] < 1;
  if (isToldApart && isBeyond(ratio, changeBounds.effect)) {
    return judged(ratio > 1 === (direction === 'higher') ? 'improvement' : 'regression');
  }
  if (isToldApart || !interval.some((end) => isBeyond(end, changeBounds.reach))) return judged('stable');
  return judged(
    'insufficient_data',
    `The repetitions scatter too much: a change of more than ${changeBounds.reach * 100} % cannot be excluded.`,
  );
}
