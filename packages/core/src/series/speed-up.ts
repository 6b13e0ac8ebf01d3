import { type Sample, welch } from '../statistics/intervals/welch.ts';

/** Ratio to the baseline: value / baseline for a rate, baseline / value for a latency. Null with a 0. */
export function speedup(value: number, baseline: number, direction: 'lower' | 'higher'): number | null {
  if (!(value > 0 && baseline > 0)) return null;
  return direction === 'higher' ? value / baseline : baseline / value;
}

/** A sample in logarithms by the delta method. Its standard deviation is then its coefficient of variation. */
const inLogarithms = ({ n, mean, sd }: Sample): Sample => ({
  n,
  mean: Math.log(mean),
  sd: sd === null ? null : sd / mean,
});

/**
 * 95 % confidence interval of the speed-up of one sample over another: exp(ln ratio +- t sqrt(cv_a^2 / n_a + cv_b^2 / n_b)),
 * t with Welch's degrees of freedom. Accurate if the means are known to about ten percent. Swapping the samples gives the
 * reciprocal interval, and it never reaches 0. Null if a sample has fewer than two values or a mean that is not above 0.
 */
export function speedupInterval(
  sample: Sample,
  baseline: Sample,
  direction: 'lower' | 'higher',
): [number, number] | null {
  if (!(sample.mean > 0 && baseline.mean > 0)) return null;
  const [over, under] = direction === 'higher' ? [sample, baseline] : [baseline, sample];
  const compared = welch(inLogarithms(over), inLogarithms(under));
  return compared === null ? null : [Math.exp(compared.ci95[0]), Math.exp(compared.ci95[1])];
}
