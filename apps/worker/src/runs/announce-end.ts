import { type CutShort, cutShortOf } from '@inferboard/core/observed/cut-short';
import type { EndState } from '@inferboard/core/plans/run-state';
import type { Transaction } from '@inferboard/db/connection/transaction';
import type { ClaimedRun } from '@inferboard/db/runs/run-claim';
import type { Failure } from '@inferboard/db/runs/run-progress';
import { listMeasuredPoints } from '@inferboard/db/runs/run-search';
import { listSubmissionsOfRun } from '@inferboard/db/runs/run-submissions';
import { queueDeliveries } from '@inferboard/db/runs/webhook-delivery';
import type { WorkerDeps } from '../deps.ts';
import { findRegressions, type Regression } from '../regressions/find-regressions.ts';
import { sendRegressions } from '../regressions/send-regressions.ts';

/** The contents of a message about the end of a run. */
export interface RunEnd {
  state: EndState;
  failure: Failure | null;
  pointsMeasured: number;
  cutShort: CutShort | null;
  submissions: readonly string[];
  regressions: readonly Regression[];
}

/** Reads what a run stored, before the transaction that ends it, to keep that transaction short. */
export async function findEnd(
  { database }: WorkerDeps,
  { runId }: ClaimedRun,
  state: EndState,
  failure: Failure | null,
): Promise<RunEnd> {
  const submissions = await listSubmissionsOfRun(database.db, runId);
  const regressions = submissions.length === 0 ? [] : await findRegressions(database.db, submissions);
  const measured = await listMeasuredPoints(database.db, runId);
  const cutShort = cutShortOf(measured.map(({ summary }) => summary));
  return { state, failure, pointsMeasured: measured.length, cutShort, submissions, regressions };
}

/** Queues messages about the end of a run to the account's webhooks, in the transaction that ends it. */
export async function announceEnd(
  { publicUrl }: WorkerDeps,
  tx: Transaction,
  { runId, accountId, endpointId, scheduleId }: ClaimedRun,
  { state, failure, pointsMeasured, cutShort, submissions, regressions }: RunEnd,
): Promise<void> {
  const timestamp = new Date().toISOString();
  const run = {
    ...{ run_id: runId, endpoint_id: endpointId, schedule_id: scheduleId },
    links: {
      run: `${publicUrl}/v1/runs/${runId}`,
      submissions: submissions.map((id) => `${publicUrl}/v1/submissions/${id}`),
    },
  };
  const points = { points_measured: pointsMeasured, cut_short: cutShort };
  const body = { type: 'run.ended' as const, timestamp, data: { ...run, state, failure, ...points } };
  await queueDeliveries(tx, { accountId, event: 'run.ended', body });
  await sendRegressions(tx, accountId, regressions, { timestamp, data: run });
}
