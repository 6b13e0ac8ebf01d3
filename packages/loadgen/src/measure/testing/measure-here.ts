import { assembleRecord } from '../assemble-record.ts';
import type { LoadRecord } from '../load-record.ts';
import type { LoadPlan } from '../plan.ts';
import { planJobs } from '../plan-jobs.ts';
import { prepareShare } from '../run-share.ts';

const leadMs = 5;

/** What `measureLoad` does, but in this thread: a test need not wait for another to start. `isTls` chooses the transport. */
export async function measureHere(plan: LoadPlan, isTls = plan.connect.tls): Promise<LoadRecord> {
  const { jobs, table } = await planJobs(plan);
  const shares = await Promise.all(jobs.map((job) => prepareShare(job, isTls)));
  const startedMonotonicMs = Number(process.hrtime.bigint()) / 1e6 + leadMs;
  const startedUnixMs = Date.now() + leadMs;
  const results = await Promise.all(shares.map((share) => share.run(startedMonotonicMs)));
  return assembleRecord(table, { results, startedUnixMs, startedMonotonicMs }, plan.headers);
}
