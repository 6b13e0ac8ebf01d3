import type { World } from './world.ts';

/** One attempt to gain a rank, or to take one from somebody. */
export interface Attack {
  name: string;
  /** How it must fail. */
  must: string;
  /** Attempts it and answers what happened; throws `Missed` where it succeeded. */
  attempt: () => Promise<string>;
}

/** Attacks of one kind. Makes the honest claims that they are aimed at before the first page is looked at. */
export type Family = (world: World) => Promise<readonly Attack[]>;

/** An attack that succeeded. */
export class Missed extends Error {}

/** Throws `Missed` where what must hold does not. */
export function holds(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Missed(otherwise);
}
