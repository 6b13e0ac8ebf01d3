import { randomInt } from 'node:crypto';

/** What is drawn by chance is the same in every `npm test`. */
const fixedSeed = 1;

/** The seed of this run by `TEST_SEED`: a number, `fresh` for another one in each run, or unset for always the same. */
export function seedOf(wish: string | undefined): number {
  if (wish === undefined || wish === '') return fixedSeed;
  if (wish === 'fresh') return randomInt(2 ** 31);
  const seed = Number(wish);
  if (!Number.isInteger(seed)) throw new Error(`TEST_SEED must be a whole number or "fresh", not "${wish}".`);
  return seed;
}

/** Settles the seed for the workers, which inherit it, and for the line that says how to repeat a failure. */
export function settleSeed(): void {
  process.env.TEST_SEED = String(seedOf(process.env.TEST_SEED));
}

/** Whether this is `npm run test:long`, which draws more values. */
export const isLong = process.env.TEST_RUNS !== undefined;
