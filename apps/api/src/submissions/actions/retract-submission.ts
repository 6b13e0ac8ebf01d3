import { DomainError } from '@inferboard/core/errors';
import type { Principal } from '@inferboard/db/accounts/account';
import { findSubmission } from '@inferboard/db/submissions/submission-find';
import { retractSubmission as storeRetraction } from '@inferboard/db/submissions/submission-retract';
import type { Audit } from '../../audit.ts';
import type { Deps } from '../../deps.ts';
import type { Precondition } from '../../middleware/preconditions.ts';
import type { SubmissionView } from '../submission-views.ts';
import { findStored, viewStored } from './view-stored.ts';

/**
 * Removes a submission of the account, or for an admin of any account, from the boards. It stays readable, marked with the
 * reason. Null if there is none.
 *
 * @throws DomainError `not_yours`, `submission_already_retracted`, and the errors of `precondition`
 */
export async function retractSubmission(
  deps: Deps,
  principal: Principal,
  id: string,
  reason: string,
  { precondition, audit }: { precondition: Precondition; audit: Audit },
): Promise<SubmissionView | null> {
  const { db } = deps.database;
  const submission = await findSubmission(db, id);
  const isOwn = submission?.account_id === principal.accountId;
  if (submission === null) return null;
  if (!isOwn && !principal.scopes.includes('admin'))
    throw new DomainError('not_yours', 'Only the account that made a submission, or an admin, can retract it.');
  await precondition();
  if (!(await storeRetraction(db, id, reason, (tx) => audit(tx, id, { own: isOwn }))))
    throw new DomainError('submission_already_retracted', 'The submission is already retracted and off the boards.');
  return viewStored(deps, db, await findStored(db, id));
}
