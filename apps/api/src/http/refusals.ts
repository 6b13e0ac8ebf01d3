import type { Taken } from '@inferboard/db/accounts/rate-limit';
import { createRecentMap } from '../middleware/recent-map.ts';

/** Maximum number of callers in memory. */
const callersMax = 10_000;

/** Refused callers whose retry time has not passed. */
export interface Refusals {
  /** The refusal that is still in force; null if the quota must be checked. */
  recall(caller: string): Taken | null;
  note(caller: string, taken: Taken): void;
}

/**
 * Remembers refusals of the database until their retry time, so that repeated requests cost no query. No caller is refused longer
 * than `retryAfter` states, and the unused quota accumulates in the meantime.
 *
 * @param now monotonic clock in milliseconds
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
