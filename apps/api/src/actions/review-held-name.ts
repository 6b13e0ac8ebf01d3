import { meaningOf } from '@inferboard/core/catalogue/extend';
import { catalogueKey } from '@inferboard/core/catalogue/index';
import { DomainError } from '@inferboard/core/errors';
import { type MappableFact, resolveTarget } from '@inferboard/core/submission/review';
import type { Principal } from '@inferboard/db/queries/account';
import { type HeldName, listHeldNames, listHeldSubmissions } from '@inferboard/db/queries/held-names';
import type { Audit } from '../audit.ts';
import type { Deps } from '../deps.ts';
import type { ReviewBody } from '../schemas/review.ts';
import { reviewSubmission } from './review-submission.ts';

/** One decision about all results that are held back under a name. */
export interface HeldNameDecision {
  fact: MappableFact;
  name: string;
  decision: ReviewBody['decision'];
  /** What the name means, in words that the catalogue knows; where it is mapped. */
  to: string | undefined;
  note: string;
}

/** Submissions that one request decides about; the next request goes on. */
const submissionsMax = 100;

export interface HeldNameView extends HeldName {
  /** The entry that the catalogue has for the name by now; null where it has none. */
  known_as: string | null;
}

/** Names that the catalogue did not know, with the results that wait for a decision about each. */
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
 * Decides about the results of every submission that are held back under a name, each submission as `reviewSubmission` does.
 * A submission that cannot be decided does not stop the others.
 *
 * @throws DomainError `nothing_to_review` where nothing is held back under the name
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
  if (found.length === 0)
    throw new DomainError('nothing_to_review', `No result is held back under the ${fact} "${name}".`);
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
