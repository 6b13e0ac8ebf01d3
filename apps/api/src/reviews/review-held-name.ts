import { meaningOf } from '@inferboard/core/catalogue/additions/extend';
import { catalogueKey } from '@inferboard/core/catalogue/index';
import { DomainError } from '@inferboard/core/errors';
import { type MappableFact, resolveTarget } from '@inferboard/core/submission/review';
import type { Principal } from '@inferboard/db/accounts/account';
import { type HeldName, listHeldNames, listHeldSubmissions } from '@inferboard/db/catalogue/held-names';
import type { Audit } from '../audit.ts';
import type { Deps } from '../deps.ts';
import type { ReviewBody } from './review-schema.ts';
import { reviewSubmission } from './review-submission.ts';

/** One decision about all results held for a name. */
export interface HeldNameDecision {
  fact: MappableFact;
  name: string;
  decision: ReviewBody['decision'];
  /** The canonical name in the catalogue; required for `map`. */
  to: string | undefined;
  note: string;
}

/** Maximum number of submissions per request; further requests decide the rest. */
const submissionsMax = 100;

export interface HeldNameView extends HeldName {
  /** The entry that the catalogue now has for the name; null if there is none. */
  known_as: string | null;
}

/** Unknown names, with the results that wait for a decision about each. */
export async function readHeldNames(
  { database }: Pick<Deps, 'database'>,
  asked: { fact?: MappableFact | undefined; known_as?: string | undefined } = {},
): Promise<HeldNameView[]> {
  const rows = await listHeldNames(database.db);
  return rows
    .map((row) => ({ ...row, known_as: meaningOf(row.fact, row.name) }))
    .filter(({ fact, known_as }) => (asked.fact ?? fact) === fact && (asked.known_as ?? known_as) === known_as);
}

/**
 * Decides the results of every submission that are held for a name, each submission as in `reviewSubmission`. A submission that
 * fails does not stop the others.
 *
 * @throws DomainError `nothing_to_review` if no result is held for the name
 */
export async function reviewHeldName(
  deps: Deps,
  principal: Principal,
  { fact, name, decision, to, note }: HeldNameDecision,
  audit: Audit,
) {
  const { db } = deps.database;
  const asked = { fact, key: catalogueKey(name) };
  const found = await listHeldSubmissions(db, asked, submissionsMax + 1);
  if (found.length === 0) throw new DomainError('nothing_to_review', `No result is held for the ${fact} "${name}".`);
  const target = to === undefined ? null : resolveTarget(fact, to);
  const meant = target !== null && 'to' in target ? { [fact]: target.to } : {};
  const submissions = [];
  for (const { submissionId, results } of found.slice(0, submissionsMax)) {
    const body: ReviewBody = { decision, note, results, ...meant };
    try {
      const reviewed = await reviewSubmission(deps, principal, submissionId, body, {
        precondition: async () => {},
        audit,
      });
      submissions.push({ id: submissionId, results: results.length, status: reviewed?.status ?? null, code: null });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      submissions.push({ id: submissionId, results: results.length, status: null, code: error.code });
    }
  }
  return { ...asked, name, decision, submissions, has_more: found.length > submissionsMax };
}
