/** Numbers drawn from a seed: the same seed, the same world and the same questions. */
export interface Random {
  /** At least 0, below 1. */
  next(): number;
  /** From `low` to `high`, both possible. */
  whole(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(values: readonly T[]): T;
  /** So many different ones, or all there are. */
  some<T>(values: readonly T[], count: number): T[];
  /** Between `low` and `high`, each order of magnitude as likely as any other. */
  spread(low: number, high: number): number;
}

/** Mulberry32: 32 bits of state are plenty for a test. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  const pick = <T>(values: readonly T[]): T => {
    if (values.length === 0) throw new RangeError('nothing to pick from');
    // In range, so it is one of them.
    return values[whole(0, values.length - 1)] as T;
  };
  return {
    next,
    whole,
    pick,
    chance: (probability) => next() < probability,
    some: (values, count) => {
      const left = [...values];
      const taken = Math.min(count, left.length);
      return Array.from({ length: taken }, () => left.splice(whole(0, left.length - 1), 1)).flat();
    },
    spread: (low, high) => Math.exp(Math.log(low) + next() * (Math.log(high) - Math.log(low))),
  };
}

/** As tools print figures: few digits, so that some are equal. */
export const rounded = (value: number, digits = 3): number => Number(value.toPrecision(digits));
