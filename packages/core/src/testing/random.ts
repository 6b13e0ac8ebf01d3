/** Repeatable random numbers: the same seed gives the same numbers on every machine. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  between(low: number, high: number): number;
  /** A random integer, both ends included. */
  whole(low: number, high: number): number;
  pick<T>(list: readonly [T, ...T[]]): T;
  chance(probability: number): boolean;
  /** A random number from the exponential distribution with mean 1. */
  exponential(): number;
}

/** The mulberry32 generator: 32 bits of state, sufficient for simulations. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number) => low + (high - low) * next();
  return {
    next,
    between,
    whole: (low, high) => low + Math.floor(next() * (high - low + 1)),
    pick: (list) => list[Math.floor(next() * list.length)] ?? list[0],
    chance: (probability) => next() < probability,
    exponential: () => -Math.log(1 - next()),
  };
}
