import type { ConcernAction } from '@inferboard/core/concerns';
import { DomainError } from '@inferboard/core/errors';
import type { Principal } from '@inferboard/db/accounts/account';
import type { AuditedAct } from '@inferboard/db/accounts/audit';
import type { Transaction } from '@inferboard/db/connection/transaction';
import { answerConcern as storeAnswer, decideConcern as storeDecision } from '@inferboard/db/reviews/concern-decide';
import { type ConcernRow, findConcern } from '@inferboard/db/reviews/concern-find';
import type { Audit } from '../audit.ts';
import type { Deps } from '../deps.ts';
import type { Precondition } from '../middleware/preconditions.ts';
import type { ConcernDecisionBody } from './concern-schema.ts';
import { type ConcernView, readerOf, viewConcern } from './concern-views.ts';

/** The audit entry for the submission, in addition to the one for the decision. */
const noted: Record<ConcernAction, AuditedAct | null> = {
  none: null,
  quarantine: 'submission_quarantined',
  retract: 'submission_retracted',
};

function requireOpen({ id, state }: ConcernRow): void {
  if (state === 'open') return;
  throw new DomainError('concern_already_decided', `The concern ${id} is already ${state}.`);
}

async function storedConcern(deps: Deps, principal: Principal, id: string): Promise<ConcernView> {
  const reader = readerOf(principal);
  const row = await findConcern(deps.database.db, id, reader);
  if (row === null) throw new Error(`concern ${id} does not exist`);
  return viewConcern(row, reader, deps.publicUrl);
}

/**
 * Stores an owner's response to a concern about their submission, replacing an earlier one. Null if there is no such concern.
 *
 * @throws DomainError `concern_already_decided`, and the errors of `precondition`
 */
export async function answerConcern(
  deps: Deps,
  principal: Principal,
  id: string,
  text: string,
  precondition: Precondition,
): Promise<ConcernView | null> {
  const { db } = deps.database;
  for (;;) {
    const row = await findConcern(db, id, readerOf(principal));
    if (row?.ownerId !== principal.accountId) return null;
    requireOpen(row);
    await precondition();
    // A concurrent response or decision changed the row: read it again.
    if (await storeAnswer(db, row, text)) return storedConcern(deps, principal, id);
  }
}

/**
 * Decides a concern and applies the consequences to its submission, with an audit entry for each, in one transaction. Null if
 * there is no concern with this id.
 *
 * @param auditOf records an action in the transaction that performs it
 * @throws DomainError `concern_already_decided`, `submission_already_retracted`, and the errors of `precondition`
 */
export async function decideConcern(
  deps: Deps,
  principal: Principal,
  id: string,
  { decision, note, action = 'none' }: ConcernDecisionBody,
  { precondition, auditOf }: { precondition: Precondition; auditOf: (act: AuditedAct) => Audit },
): Promise<ConcernView | null> {
  const { db } = deps.database;
  for (;;) {
    const row = await findConcern(db, id, readerOf(principal));
    if (row === null) return null;
    requireOpen(row);
    await precondition();
    const { submissionId } = row;
    const audit = async (tx: Transaction) => {
      await auditOf('concern_decided')(tx, id, { decision, action, submission: submissionId });
      const act = noted[action];
      if (act !== null) await auditOf(act)(tx, submissionId, { concern: id });
    };
    const { accountId } = principal;
    const outcome = await storeDecision(db, row, { decision, note, action, accountId }, audit);
    if (outcome === 'decided') return storedConcern(deps, principal, id);
    if (outcome === 'retracted')
      throw new DomainError(
        'submission_already_retracted',
        'The submission is already retracted. Use the action "none".',
      );
  }
}
