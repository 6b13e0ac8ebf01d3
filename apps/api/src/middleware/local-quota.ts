import type { Quota, Taken } from '@inferboard/db/queries/rate-limit';

/** Callers that are remembered at a time: a few MB. */
const callersMax = 50_000;

export type TakeLocally = (caller: string, cost: number) => Taken;

/**
 * A quota counted by this process alone: the generic cell rate algorithm over a table in memory. Of more than half of
 * `callers` the ones that have not asked for longest are forgotten, all at once, which gives them a fresh allowance.
 *
 * @param now milliseconds of a clock that never goes back
 */
export function createLocalQuota(
  { quota, windowS }: Quota,
  now: () => number = () => performance.now(),
  callers = callersMax,
): TakeLocally {
  const windowMs = windowS * 1000;
  const eachMs = windowMs / quota;
  /** When all that each caller took will have been earned. Two maps, for taking out of one by one what is oldest is slow. */
  let recent = new Map<string, number>();
  let older = new Map<string, number>();
  return (caller, cost) => {
    const at = now();
    const busyMs = Math.max(0, (recent.get(caller) ?? older.get(caller) ?? at) - at);
    // What costs more than there ever is would be refused for good.
    const costMs = Math.min(cost, quota) * eachMs;
    const isAllowed = busyMs + costMs <= windowMs + 1e-6;
    const afterMs = isAllowed ? busyMs + costMs : busyMs;
    recent.set(caller, at + afterMs);
    if (recent.size >= callers / 2) [older, recent] = [recent, new Map()];
    const waitMs = isAllowed ? afterMs : busyMs + costMs - windowMs;
    return {
      isAllowed,
      remaining: Math.max(0, Math.floor((windowMs - afterMs) / eachMs + 1e-9)),
      resetS: Math.max(1, Math.ceil(waitMs / 1000)),
    };
  };
}
