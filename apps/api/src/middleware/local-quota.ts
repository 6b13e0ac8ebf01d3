import type { Quota, Taken } from '@inferboard/db/queries/rate-limit';
import { createRecentMap } from './recent-map.ts';

/** Callers that are remembered at a time: a few MB. */
const callersMax = 50_000;

export interface LocalQuota {
  take(caller: string, cost: number): Taken;
  /** What `take` would refuse with now; null where there is enough. Takes nothing. */
  refusal(caller: string, cost: number): Taken | null;
}

/**
 * A quota counted by this process alone: the generic cell rate algorithm over a table in memory. Who is forgotten there has
 * a fresh allowance.
 *
 * @param now milliseconds of a clock that never goes back
 */
export function createLocalQuota(
  { quota, windowS }: Quota,
  now: () => number = () => performance.now(),
  callers = callersMax,
): LocalQuota {
  const windowMs = windowS * 1000;
  const eachMs = windowMs / quota;
  /** When all that each caller took will have been earned. */
  const earnedAt = createRecentMap<number>(callers);
  const judge = (caller: string, cost: number, at: number): Taken & { afterMs: number } => {
    const busyMs = Math.max(0, (earnedAt.get(caller) ?? at) - at);
    // What costs more than there ever is would be refused for good.
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
      // Who goes on asking is not forgotten for it.
      earnedAt.set(caller, at + afterMs);
      return taken;
    },
  };
}
