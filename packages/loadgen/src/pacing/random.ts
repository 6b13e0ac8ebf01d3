import { createHash } from 'node:crypto';
import { seedMax } from '@inferboard/core/plans/point';

/** Chance that can be repeated: the same seed gives the same numbers on every machine. */
export interface Random {
  /** Uniform whole number of 32 bits. */
  uint32(): number;
  /** Uniform in [0, 1), with 53 bits. */
  next(): number;
  /** Uniform whole number in [0, count); `count` at most 2^32. */
  below(count: number): number;
}

/**
 * SplitMix64, which the authors of xoshiro prescribe for filling its state from one number.
 * Source: Sebastiano Vigna, https://prng.di.unimi.it/splitmix64.c (public domain).
 */
export function createSplitMix64(seed: bigint): () => bigint {
  let state = BigInt.asUintN(64, seed);
  return () => {
    state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
    let mixed = state;
    mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n);
    mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn);
    return mixed ^ (mixed >> 31n);
  };
}

const rotateLeft = (value: number, by: number) => (value << by) | (value >>> (32 - by));

/**
 * xoshiro128** 1.1 from a state of four words, of which one at least is not 0.
 * Source: David Blackman and Sebastiano Vigna, https://prng.di.unimi.it/xoshiro128starstar.c (public domain).
 */
export function createXoshiro128(state: readonly [number, number, number, number]): Random {
  let [a, b, c, d] = state;
  if ((a | b | c | d) === 0) throw new RangeError('a state of zeros only gives zeros');
  const uint32 = () => {
    const result = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotateLeft(d, 11);
    return result;
  };
  return {
    uint32,
    next: () => ((uint32() >>> 5) * 2 ** 26 + (uint32() >>> 6)) / 2 ** 53,
    below: (count) => {
      // Numbers past the last whole multiple would make the low ones more likely.
      const end = 2 ** 32 - (2 ** 32 % count);
      let drawn = uint32();
      while (drawn >= end) drawn = uint32();
      return drawn % count;
    },
  };
}

/** The generator of a seed, 0 to `seedMax`. Throws RangeError on any other number. */
export function createRandom(seed: number): Random {
  if (!Number.isSafeInteger(seed) || seed < 0) throw new RangeError(`a seed is a whole number from 0 to ${seedMax}`);
  const words = createSplitMix64(BigInt(seed));
  const [first, second] = [words(), words()];
  const low = (word: bigint) => Number(BigInt.asUintN(32, word)) | 0;
  const high = (word: bigint) => Number(word >> 32n) | 0;
  return createXoshiro128([low(first), high(first), low(second), high(second)]);
}

/**
 * A seed for one use of chance (the arrivals of a point, the words of its fifth prompt), so that drawing more in one
 * place changes nothing in another: the first 48 bits of SHA-256 over the seed and the labels.
 */
export function deriveSeed(seed: number, ...labels: readonly (string | number)[]): number {
  return createHash('sha256')
    .update(JSON.stringify([seed, ...labels]))
    .digest()
    .readUIntBE(0, 6);
}

/** The list in an order drawn by chance (Fisher and Yates). */
export function shuffled<T>(list: readonly T[], random: Random): T[] {
  const result = [...list];
  for (let last = result.length - 1; last > 0; last--) {
    const other = random.below(last + 1);
    const [a, b] = [result[last], result[other]];
    if (a === undefined || b === undefined) continue;
    result[last] = b;
    result[other] = a;
  }
  return result;
}
