import { type Transaction, transact } from '@inferboard/db/connection/transaction';
import {
  claimRegressionCheck,
  endRegressionCheck,
  noteReported,
  type RegressionCheck,
} from '@inferboard/db/reviews/regression-check';
import { queueDeliveries } from '@inferboard/db/runs/webhook-delivery';
import type { WorkerDeps } from '../deps.ts';
import { findRegressions, type Regression } from './find-regressions.ts';

/** Maximum attempts per submission: an error that recurs this often is permanent. */
const attemptsMax = 5;

/** Maximum regressions per message. The message contains their total number. */
const listedMax = 100;

/**
 * Queues a message about regressions that the account was not notified of before, in the caller's transaction.
 *
 * @param about the cause, with links
 */
export async function sendRegressions(
  tx: Transaction,
  accountId: string,
  regressions: readonly Regression[],
  about: { timestamp: string; data: Record<string, unknown> },
): Promise<void> {
  const fresh = await noteReported(tx, accountId, regressions);
  if (fresh.length === 0) return;
  const data = { ...about.data, regressions: fresh.slice(0, listedMax), regressions_total: fresh.length };
  const body = { type: 'result.regressed' as const, timestamp: about.timestamp, data };
  await queueDeliveries(tx, { accountId, event: 'result.regressed', body });
}

async function check({ database, publicUrl }: WorkerDeps, claimed: RegressionCheck): Promise<void> {
  const { submissionId, accountId } = claimed;
  const regressions = await findRegressions(database.db, [submissionId]);
  await transact(database.db, async (tx) => {
    if (!(await endRegressionCheck(tx, claimed))) return;
    const links = { submissions: [`${publicUrl}/v1/submissions/${submissionId}`] };
    const timestamp = new Date().toISOString();
    await sendRegressions(tx, accountId, regressions, { timestamp, data: { submission_id: submissionId, links } });
  });
}

/**
 * Checks pending submissions for regressions one after the other and notifies their accounts. Each change is reported once,
 * even if workers crash. The cost is proportional to the submitted data.
 */
export async function checkSubmissions(deps: WorkerDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const claimed = await claimRegressionCheck(deps.database.db);
    if (claimed === null) return;
    const { submissionId, attempts } = claimed;
    try {
      await check(deps, claimed);
    } catch (error) {
      const isLast = attempts >= attemptsMax;
      const stack = error instanceof Error ? error.stack : String(error);
      const next = isLast ? 'given up' : 'will retry';
      deps.log('error', `${submissionId} could not be checked for regressions, ${next}`, { error: stack });
      if (isLast) await transact(deps.database.db, (tx) => endRegressionCheck(tx, claimed));
    }
  }
}
