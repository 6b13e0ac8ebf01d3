import { expect, test } from 'vitest';
import { planJobs } from './pacers/plan-jobs.ts';
import { planFor } from './testing/plans.ts';
import { warmUp } from './warm-up.ts';

// Failed responses would compile other code than the measurement runs.
test.each([
  ['a closed loop', { mode: 'closed', concurrency: 2 }],
  ['an open loop', { mode: 'open', due_ms: Float64Array.of(0, 1), maxInFlight: null }],
] as const)('completes all responses of the warm-up for %s', async (_what, pace) => {
  const { jobs } = planJobs(planFor(1, 2, { pace }));
  for (const job of jobs) expect(await warmUp(job)).toEqual({ answered: 6144, whole: 6144 });
});
