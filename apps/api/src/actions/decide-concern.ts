import type { ConcernAction } from '@inferboard/core/concerns';
import { DomainError } from '@inferboard/core/errors';
import type { Principal } from '@inferboard/db/queries/account';
import type { AuditedAct } from '@inferboard/db/queries/audit';
import { answerConcern as storeAnswer, decideConcern as storeDecision } from '@inferboard/db/queries/concern-decide';
import { type ConcernRow, findConcern } from '@inferboard/db/queries/concern-find';
import type { Transaction } from '@inferboard/db/transaction';
import type { Audit } from '../audit.ts';
import { type ConcernView, readerOf, viewConcern } from '../concern-views.ts';
import type { Deps } from '../deps.ts';
import type { Precondition } from '../middleware/preconditions.ts';
import type { ConcernDecisionBody } from '../schemas/concern.ts';

/** What the log of acts notes of a submission beside the decision. */
const noted: Record<ConcernAction, AuditedAct | null> = {
  none: null,
  quarantine: 'submission_quarantined',
  retract: 'submission_retracted',
};

function requireOpen({ id, state }: ConcernRow): void {
  if (state === 'open') return;
  throw new DomainError('concern_already_decided', `The concern ${id} was ${state} before: that stands.`);
}

async function storedConcern(deps: Deps, principal: Principal, id: string): Promise<ConcernView> {
  const reader = readerOf(principal);
  const row = await findConcern(deps.database.db, id, reader);
  if (row === null) throw new Error(`concern ${id} vanished`);
  return viewConcern(row, reader, deps.publicUrl);
}

/**
 * Puts down what an account says to a concern about a submission of theirs, in place of what it said before. Null where
 * there is none.
 *
 * @throws DomainError `concern_already_decided`, and what `precondition` throws
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
    // Somebody else answered or decided meanwhile: what is there now is looked at afresh.
    if (await storeAnswer(db, row, text)) return storedConcern(deps, principal, id);
  }
}

/**
 * Decides about a concern, and does to its submission what follows, with an entry in the log of acts for each: all of it
 * or nothing. Null where there is none of this id.
 *
 * @param auditOf notes an act, in the transaction that does it
 * @throws DomainError `concern_already_decided`, `submission_already_retracted`, and what `precondition` throws
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
        'The submission was retracted before: decide with the action "none".',
      );
  }
}
