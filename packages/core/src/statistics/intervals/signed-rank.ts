/** Fewer values than this have no interval at 99 %: even the whole range of the values has a lower confidence. */
export const signedRankLeast = (confidence: number): number => Math.ceil(1 - Math.log2(1 - confidence));

/** Probabilities of each sum of ranks of the positive ones among `n` values whose signs are random. */
function sumProbabilities(n: number): Float64Array {
  const probabilities = new Float64Array((n * (n + 1)) / 2 + 1);
  probabilities[0] = 1;
  let largest = 0;
  for (let rank = 1; rank <= n; rank++) {
    largest += rank;
    for (let sum = largest; sum >= 0; sum--)
      probabilities[sum] = 0.5 * ((probabilities[sum] ?? 0) + (sum >= rank ? (probabilities[sum - rank] ?? 0) : 0));
  }
  return probabilities;
}

/**
 * The Hodges-Lehmann estimate of the centre of a symmetric distribution, the median of the means of all pairs, and its exact
 * interval from Wilcoxon's signed-rank test. A few values far from the others widen it little. Null for fewer values than
 * `signedRankLeast`.
 *
 * @param confidence of the interval, such as 0.99; it is at least that
 * @see Hollander, Wolfe, Chicken: Nonparametric Statistical Methods, sections 3.2 and 3.3
 */
export function signedRankInterval(
  values: readonly number[],
  confidence: number,
): { centre: number; low: number; high: number } | null {
  const n = values.length;
  if (n < signedRankLeast(confidence)) return null;
  const means = values
    .flatMap((value, at) => values.slice(at).map((other) => (value + other) / 2))
    .sort((a, b) => a - b);
  let left = (1 - confidence) / 2;
  // The place of the low end, counted from 1.
  const place = sumProbabilities(n).findIndex((probability) => {
    left -= probability;
    return left < 0;
  });
  const at = (index: number) => means[index] ?? Number.NaN;
  const middle = (means.length - 1) / 2;
  return {
    centre: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    low: at(place - 1),
    high: at(means.length - place),
  };
}
