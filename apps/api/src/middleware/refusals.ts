import type { Taken } from '@inferboard/db/queries/rate-limit';
import { createRecentMap } from './recent-map.ts';

/** Callers that are remembered at a time. */
const callersMax = 10_000;

/** Who was told to come back later, and has not been away for that long. */
export interface Refusals {
  /** The refusal that still holds; null where the quota has to be asked. */
  recall(caller: string): Taken | null;
  note(caller: string, taken: Taken): void;
}

/**
 * Keeps what the database refused until the time it named: whoever goes on all the same costs it nothing. Nobody is
 * refused longer than they were told, and what is not taken meanwhile adds up.
 *
 * @param now milliseconds of a clock that never goes back
 */
export function createRefusals(now: () => number = () => performance.now(), callers = callersMax): Refusals {
  const heldUntil = createRecentMap<number>(callers);
  return {
    recall: (caller) => {
      const leftMs = (heldUntil.get(caller) ?? 0) - now();
      return leftMs > 0 ? { isAllowed: false, remaining: 0, resetS: Math.ceil(leftMs / 1000) } : null;
    },
    note: (caller, { isAllowed, resetS }) => {
      if (isAllowed) return;
      heldUntil.set(caller, now() + resetS * 1000);
    },
  };
}
