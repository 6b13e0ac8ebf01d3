import { promoteAccounts } from '@inferboard/db/accounts/account-standing';
import { applyStanding } from '@inferboard/db/points/apply-standing';
import type { RunDeps } from '../deps.ts';

/** Updates the standing of every account that is not vouched for, and the status of its results. */
export async function judgeAccounts(deps: RunDeps, signal: AbortSignal): Promise<void> {
  const { database, establishedAfterDays, log } = deps;
  const judging = { now: new Date(), establishedAfterDays };
  for (const { accountId, after } of await promoteAccounts(database.db, {
    ...judging,
    onChanged: applyStanding,
    signal,
  }))
    log('info', `account ${accountId} is ${after}`, { account_id: accountId, standing: after });
}
