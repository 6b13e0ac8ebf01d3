import { maxTokensOf } from '../pacers/plan-jobs.ts';
import { countStarts, type LoadPlan, shareOf } from '../plan.ts';

/** Throws RangeError on a plan that processes cannot share: what they count together is within one process. */
function checkDivisible({ turns, limits, pace }: LoadPlan): void {
  if (turns !== undefined) throw new RangeError('conversations cannot be shared by several processes');
  if (limits.outputTokens !== null)
    throw new RangeError('a limit of output tokens cannot be shared by several processes');
  if (pace.mode === 'closed' && (pace.stagger_ms ?? 0) > 0)
    throw new RangeError('a staggered start cannot be shared by several processes');
}

/** Requests that may be in flight at the same time: each of several processes needs at least one. */
export function sharesMax(plan: LoadPlan): number {
  const { pace } = plan;
  const most = pace.mode === 'closed' ? pace.concurrency : (pace.maxInFlight ?? Number.POSITIVE_INFINITY);
  return Math.min(most, countStarts(plan));
}

/**
 * The requests of a share by their index in the plan, ascending. A schedule is divided in turns. In a closed loop, each share has a
 * part of the users, and of the requests in the same proportion.
 */
export function shareRows(plan: LoadPlan, share: number, shares: number): number[] {
  const { pace } = plan;
  const users = pace.mode === 'closed' ? Math.min(pace.concurrency, countStarts(plan)) : Number.POSITIVE_INFINITY;
  const rows: number[] = [];
  for (let row = 0; row < countStarts(plan); row++) if ((row % users) % shares === share) rows.push(row);
  return rows;
}

function sharePace({ pace }: LoadPlan, rows: readonly number[], share: number, shares: number): LoadPlan['pace'] {
  if (pace.mode === 'closed') return { mode: 'closed', concurrency: shareOf(pace.concurrency, share, shares) };
  return {
    ...pace,
    due_ms: Float64Array.from(rows, (row) => pace.due_ms[row] ?? 0),
    maxInFlight: pace.maxInFlight === null ? null : shareOf(pace.maxInFlight, share, shares),
  };
}

/**
 * Share `share` of a plan for one of `shares` processes. All shares together send each request once, with the same due times and at
 * most the same number in flight, if all processes start at the same time.
 *
 * @throws RangeError if the plan cannot be divided into so many shares
 */
export function sharePlan(plan: LoadPlan, share: number, shares: number): LoadPlan {
  checkDivisible(plan);
  if (shares > sharesMax(plan)) throw new RangeError(`the plan has fewer than ${shares} requests in flight`);
  const rows = shareRows(plan, share, shares);
  return { ...plan, bodies: rows.map((row) => plan.bodies[row] ?? ''), pace: sharePace(plan, rows, share, shares) };
}

const usualTokens = 256;

/** About the bytes that a plan's requests and the times of their chunks need, over all shares. */
export function bytesOfPlan({ bodies }: LoadPlan): number {
  const bytesOf = (body: string) => body.length + (maxTokensOf(body) ?? usualTokens) * Float64Array.BYTES_PER_ELEMENT;
  return bodies.reduce((sum, body) => sum + bytesOf(body), 0);
}
