import {
  claimRegressionCheck,
  endRegressionCheck,
  noteTold,
  type RegressionCheck,
} from '@inferboard/db/queries/regression-check';
import { queueDeliveries } from '@inferboard/db/queries/webhook-delivery';
import { type Transaction, transact } from '@inferboard/db/transaction';
import type { WorkerDeps } from '../deps.ts';
import { findRegressions, type Regression } from './find-regressions.ts';

/** Attempts at a submission before it is given up: whatever fails so often fails always. */
const attemptsMax = 5;

/** Regressions that one message lists; it says how many there are. */
const listedMax = 100;

/**
 * Queues a message of what got worse, less what the account was told of before, in the caller's transaction.
 *
 * @param about what brought it, with the links
 */
export async function tellRegressions(
  tx: Transaction,
  accountId: string,
  regressions: readonly Regression[],
  about: { timestamp: string; data: Record<string, unknown> },
): Promise<void> {
  const fresh = await noteTold(tx, accountId, regressions);
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
    await tellRegressions(tx, accountId, regressions, { timestamp, data: { submission_id: submissionId, links } });
  });
}

/**
 * Looks what got worse by submissions that nobody looked at yet, one after the other, and tells their accounts: each change
 * once, whichever worker dies when. Work is in proportion to what was submitted.
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
      const told = isLast ? 'given up' : 'tried again later';
      deps.log('error', `${submissionId} could not be looked at for regressions, ${told}`, { error: stack });
      if (isLast) await transact(deps.database.db, (tx) => endRegressionCheck(tx, claimed));
    }
  }
}
