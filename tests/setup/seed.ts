import { randomInt } from 'node:crypto';

/** Default seed: random values are the same in every `npm test`. */
const fixedSeed = 1;

/** The seed from `TEST_SEED`: a number, `fresh` for a new one in each run, or unset for the default. */
export function seedOf(wish: string | undefined): number {
  if (wish === undefined || wish === '') return fixedSeed;
  if (wish === 'fresh') return randomInt(2 ** 31);
  const seed = Number(wish);
  if (!Number.isInteger(seed)) throw new Error(`TEST_SEED must be a whole number or "fresh", not "${wish}".`);
  return seed;
}

/** Sets the seed for the workers, which inherit it, and for the message on how to repeat a failure. */
export function setSeed(): void {
  process.env.TEST_SEED = String(seedOf(process.env.TEST_SEED));
}

/** Whether this is `npm run test:fresh`, which draws more values. */
export const isFresh = process.env.TEST_RUNS !== undefined;

/** How often a failed test of services, the system or timing is repeated: CI sets 1, and the reporter lists those that then pass. */
export const retry = Number(process.env.TEST_RETRY ?? 0);
