import type { Taken } from '@inferboard/db/queries/rate-limit';

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
 * refused longer than they were told, and what is not taken meanwhile adds up. Of more than half of `callers` the oldest
 * are forgotten, all at once.
 *
 * @param now milliseconds of a clock that never goes back
 */
export function createRefusals(now: () => number = () => performance.now(), callers = callersMax): Refusals {
  let recent = new Map<string, number>();
  let older = new Map<string, number>();
  return {
    recall: (caller) => {
      const leftMs = (recent.get(caller) ?? older.get(caller) ?? 0) - now();
      return leftMs > 0 ? { isAllowed: false, remaining: 0, resetS: Math.ceil(leftMs / 1000) } : null;
    },
    note: (caller, { isAllowed, resetS }) => {
      if (isAllowed) return;
      recent.set(caller, now() + resetS * 1000);
      if (recent.size >= callers / 2) [older, recent] = [recent, new Map()];
    },
  };
}
