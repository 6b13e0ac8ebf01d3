import type { Quota, Taken } from '@inferboard/db/accounts/rate-limit';
import { createRecentMap } from './recent-map.ts';

/** Maximum number of callers in memory: a few MB. */
const callersMax = 50_000;

export interface LocalQuota {
  take(caller: string, cost: number): Taken;
  /** The refusal that `take` would return now; null if the quota suffices. Takes nothing. */
  refusal(caller: string, cost: number): Taken | null;
}

/**
 * A quota counted by this process alone, with the generic cell rate algorithm and a table in memory. An evicted caller gets a
 * full quota again.
 *
 * @param now monotonic clock in milliseconds
 */
export function createLocalQuota(
  { quota, windowS }: Quota,
  now: () => number = () => performance.now(),
  callers = callersMax,
): LocalQuota {
  const windowMs = windowS * 1000;
  const eachMs = windowMs / quota;
  /** When each caller's used quota will be restored. */
  const earnedAt = createRecentMap<number>(callers);
  const judge = (caller: string, cost: number, at: number): Taken & { afterMs: number } => {
    const busyMs = Math.max(0, (earnedAt.get(caller) ?? at) - at);
    // A cost above the whole quota would be refused forever.
    const costMs = Math.min(cost, quota) * eachMs;
    const isAllowed = busyMs + costMs <= windowMs + 1e-6;
    const afterMs = isAllowed ? busyMs + costMs : busyMs;
    const waitMs = isAllowed ? afterMs : busyMs + costMs - windowMs;
    return {
      isAllowed,
      remaining: Math.max(0, Math.floor((windowMs - afterMs) / eachMs + 1e-9)),
      resetS: Math.max(1, Math.ceil(waitMs / 1000)),
      afterMs,
    };
  };
  return {
    take: (caller, cost) => {
      const at = now();
      const { afterMs, ...taken } = judge(caller, cost, at);
      earnedAt.set(caller, at + afterMs);
      return taken;
    },
    refusal: (caller, cost) => {
      const at = now();
      const { afterMs, ...taken } = judge(caller, cost, at);
      if (taken.isAllowed) return null;
      // Repeated requests keep a caller in the table.
      earnedAt.set(caller, at + afterMs);
      return taken;
    },
  };
}
