import { promoteAccounts } from '@inferboard/db/queries/account-standing';
import { standingChanged } from '@inferboard/db/queries/standing-changed';
import type { RunDeps } from '../deps.ts';

/** Brings the standing of every account that nobody vouches for up to date, with what becomes of its results. */
export async function judgeAccounts(deps: RunDeps, signal: AbortSignal): Promise<void> {
  const { database, establishedAfterDays, log } = deps;
  const judging = { now: new Date(), establishedAfterDays };
  for (const { accountId, after } of await promoteAccounts(database.db, {
    ...judging,
    onChanged: standingChanged,
    signal,
  }))
    log('info', `account ${accountId} is ${after}`, { account_id: accountId, standing: after });
}
