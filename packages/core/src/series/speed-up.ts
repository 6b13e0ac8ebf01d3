import { type Sample, welch } from '../statistics/welch.ts';

/** How often better than the baseline: value / baseline of a rate, baseline / value of a latency. Null beside a 0. */
export function speedup(value: number, baseline: number, direction: 'lower' | 'higher'): number | null {
  if (!(value > 0 && baseline > 0)) return null;
  return direction === 'higher' ? value / baseline : baseline / value;
}

/** A sample in logarithms by the delta method: its standard deviation there is its coefficient of variation. */
const inLogarithms = ({ n, mean, sd }: Sample): Sample => ({
  n,
  mean: Math.log(mean),
  sd: sd === null ? null : sd / mean,
});

/**
 * 95 % confidence interval of the speed-up of one sample over another: exp(ln ratio +- t sqrt(cv_a^2 / n_a +
 * cv_b^2 / n_b)), t with Welch's degrees of freedom. Good where the means are known to some ten percent, as ratios of
 * noisier ones are not; it is the same whichever of the two is called the baseline, and never reaches 0. Null where a
 * sample has fewer than two values or a mean that is not above 0.
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
