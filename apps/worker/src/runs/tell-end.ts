import type { EndState } from '@inferboard/core/plans/run-state';
import type { ClaimedRun } from '@inferboard/db/queries/run-claim';
import type { Failure } from '@inferboard/db/queries/run-progress';
import { listSubmissionsOfRun } from '@inferboard/db/queries/run-submissions';
import { queueDeliveries } from '@inferboard/db/queries/webhook-delivery';
import type { Transaction } from '@inferboard/db/transaction';
import type { WorkerDeps } from '../deps.ts';
import { findRegressions, type Regression } from '../regressions/find-regressions.ts';
import { tellRegressions } from '../regressions/tell-regressions.ts';

/** What is told of the end of a run. */
export interface RunEnd {
  state: EndState;
  failure: Failure | null;
  submissions: readonly string[];
  regressions: readonly Regression[];
}

/** Looks at what a run stored, before the transaction that ends it: others wait while that one lasts. */
export async function findEnd(
  { database }: WorkerDeps,
  { runId }: ClaimedRun,
  state: EndState,
  failure: Failure | null,
): Promise<RunEnd> {
  const submissions = await listSubmissionsOfRun(database.db, runId);
  const regressions = submissions.length === 0 ? [] : await findRegressions(database.db, submissions);
  return { state, failure, submissions, regressions };
}

/** Queues what the account's webhooks are told of the end of a run, in the transaction that ends it. */
export async function tellEnd(
  { publicUrl }: WorkerDeps,
  tx: Transaction,
  { runId, accountId, endpointId, scheduleId }: ClaimedRun,
  { state, failure, submissions, regressions }: RunEnd,
): Promise<void> {
  const timestamp = new Date().toISOString();
  const run = {
    ...{ run_id: runId, endpoint_id: endpointId, schedule_id: scheduleId },
    links: {
      run: `${publicUrl}/v1/runs/${runId}`,
      submissions: submissions.map((id) => `${publicUrl}/v1/submissions/${id}`),
    },
  };
  const body = { type: 'run.ended' as const, timestamp, data: { ...run, state, failure } };
  await queueDeliveries(tx, { accountId, event: 'run.ended', body });
  await tellRegressions(tx, accountId, regressions, { timestamp, data: run });
}
