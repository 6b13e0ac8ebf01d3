/** The verdict of one point: whether it missed a limit. */
export interface Verdict {
  level: number;
  isMissed: boolean;
}

/** What the points say about the rate at which one in two points misses a limit. */
export interface RateEstimate {
  /** The rate below which the capacity is with this probability. */
  quantile(probability: number): number;
}

/** Logarithm of the ratio of neighbouring candidates. */
const step = 0.004;
/** Candidates reach this much beyond the measured rates, in logarithms. */
const margin = 0.2;
/**
 * How far arrivals that differ by chance move the verdict of a point, as standard deviations of the logarithm of the rate. All
 * are equally likely in advance.
 */
const spreads = [0.002, 0.005, 0.01, 0.02, 0.04, 0.08];
/** Share of points whose verdict is wrong for another reason. */
const lapse = 0.01;

/** The logistic curve that approximates the normal distribution, within 0.01. */
const normalBelow = (z: number) => 1 / (1 + Math.exp(-1.702 * z));

/** Probability of the verdicts if the capacity has this logarithm. */
function likelihoodOf(capacity: number, verdicts: readonly Verdict[]): number {
  const logs = verdicts.map(({ level }) => Math.log(level));
  let sum = 0;
  for (const spread of spreads) {
    let product = 1;
    for (const [at, { isMissed }] of verdicts.entries()) {
      const missed = lapse + (1 - 2 * lapse) * normalBelow(((logs[at] ?? 0) - capacity) / spread);
      product *= isMissed ? missed : 1 - missed;
    }
    sum += product;
  }
  return sum;
}

/**
 * Estimates the capacity from verdicts alone, by Bayes' rule: all rates are equally likely in advance. Latency near the
 * capacity of an open loop differs several times over between points of the same rate, so its size has little information.
 *
 * @param verdicts at least one
 */
export function estimateRate(verdicts: readonly Verdict[]): RateEstimate {
  const levels = verdicts.map(({ level }) => level);
  const from = Math.log(Math.min(...levels)) - margin;
  const count = Math.ceil((Math.log(Math.max(...levels)) + margin - from) / step);
  const weights = Array.from({ length: count }, (_, at) => likelihoodOf(from + (at + 0.5) * step, verdicts));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return {
    quantile: (probability) => {
      let below = 0;
      for (const [at, weight] of weights.entries()) {
        if (below + weight >= probability * total)
          return Math.exp(from + (at + (probability * total - below) / weight) * step);
        below += weight;
      }
      return Math.exp(from + count * step);
    },
  };
}
