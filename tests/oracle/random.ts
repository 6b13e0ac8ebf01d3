/** Random numbers from a seed: the same seed yields the same data and queries. */
export interface Random {
  /** At least 0, below 1. */
  next(): number;
  /** An integer from `low` to `high`, inclusive. */
  whole(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(values: readonly T[]): T;
  /** This many different items, or all if there are fewer. */
  some<T>(values: readonly T[], count: number): T[];
  /** Between `low` and `high`, log-uniform. */
  spread(low: number, high: number): number;
}

/** Mulberry32: 32 bits of state suffice for a test. */
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
    // The index is in range, so the item exists.
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

/** Rounds as tools do: few digits, so that some values are equal. */
export const rounded = (value: number, digits = 3): number => Number(value.toPrecision(digits));
