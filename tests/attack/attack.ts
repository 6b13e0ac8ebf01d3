import type { World } from './world.ts';

/** One attempt to gain a rank, or to take one from another account. */
export interface Attack {
  name: string;
  /** The expected defence. */
  must: string;
  /** Runs the attack and returns the outcome; throws `Missed` if it succeeds. */
  attempt: () => Promise<string>;
}

/** Attacks of one kind. Creates the honest claims that they target before the first page is read. */
export type Family = (world: World) => Promise<readonly Attack[]>;

/** A successful attack. */
export class Missed extends Error {}

/** Throws `Missed` if the condition is false. */
export function holds(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Missed(otherwise);
}
