import { planJobs } from '../pacers/plan-jobs.ts';
import { prepareShare } from '../pacers/run-share.ts';
import type { LoadPlan } from '../plan.ts';
import { assembleRecord } from '../records/assemble-record.ts';
import type { LoadRecord } from '../records/load-record.ts';

const leadMs = 5;

/** What `measureLoad` does, but in this thread: a test need not wait for another to start. */
export async function measureHere(plan: LoadPlan): Promise<LoadRecord> {
  const { jobs, table } = planJobs(plan);
  const shares = await Promise.all(jobs.map((job) => prepareShare(job)));
  const startedMonotonicMs = Number(process.hrtime.bigint()) / 1e6 + leadMs;
  const startedUnixMs = Date.now() + leadMs;
  const results = await Promise.all(shares.map((share) => share.run(startedMonotonicMs)));
  return assembleRecord(table, { results, startedUnixMs, startedMonotonicMs }, plan.headers);
}
