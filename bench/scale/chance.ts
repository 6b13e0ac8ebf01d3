import { createRandom, type Random } from '../../packages/core/src/testing/random.ts';

/** A separate random sequence for each part of the data, so that a part does not depend on the thread or the order. */
export function randomOf(seed: number, part: number): Random {
  let mixed = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(part + 1, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return createRandom(mixed ^ (mixed >>> 13));
}

/** Normally distributed with mean 0 and standard deviation 1 (Box and Muller). */
export function normal(random: Random): number {
  return Math.sqrt(2 * random.exponential()) * Math.cos(2 * Math.PI * random.next());
}

/** Draws items with probabilities by weight. */
export function weighted<T>(items: readonly (readonly [item: T, weight: number])[]): (random: Random) => T {
  let total = 0;
  const ends = items.map(([, weight]) => {
    total += weight;
    return total;
  });
  const last = items.at(-1);
  if (last === undefined) throw new Error('nothing to draw from');
  return (random) => {
    const at = random.next() * total;
    let [low, high] = [0, ends.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? total) > at) high = middle;
      else low = middle + 1;
    }
    return (items[low] ?? last)[0];
  };
}

/** Zipf popularity: the k-th item is drawn 1/k as often as the first. */
export function zipf<T>(items: readonly T[], exponent = 1): (random: Random) => T {
  return weighted(items.map((item, place) => [item, 1 / (place + 1) ** exponent]));
}

/** A number of at least 1 with a heavy tail (Pareto), up to `most`. */
export function pareto(random: Random, shape: number, most: number): number {
  return Math.min(most, (1 - random.next()) ** (-1 / shape));
}

/** Splits `total` into integers by weight, each at least its share of `least`; the sum is exact. */
export function share(total: number, weights: readonly number[], least: readonly number[]): number[] {
  const rest = total - least.reduce((sum, count) => sum + count, 0);
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  let [given, upTo] = [0, 0];
  return weights.map((weight, place) => {
    upTo += weight;
    const end = place === weights.length - 1 ? rest : Math.round((rest * upTo) / whole);
    const part = (least[place] ?? 0) + end - given;
    given = end;
    return part;
  });
}
