import type { SubmissionRow } from '@inferboard/db/queries/row-types';
import type { Deps } from '../deps.ts';
import { textOfSubmission } from '../short/submission-text.ts';
import type { SubmissionView } from '../submission-views.ts';
import type { Answer } from './answer-once.ts';
import { findStored, viewStored } from './view-stored.ts';

/** Statuses of results whose ranks a text states. */
export const rankedInText = ['accepted', 'provisional'] as const;

/** A stored submission in five lines. */
export async function tellStored(deps: Deps, row: SubmissionRow, duplicate = false): Promise<string> {
  return textOfSubmission(await viewStored(deps, deps.database.db, row, { duplicate, ranked: rankedInText }));
}

/** The answer to an upload in five lines. */
export async function tellAnswer(deps: Deps, body: Answer['body']): Promise<string> {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const submission = JSON.parse(text) as SubmissionView;
  if (submission.id === null || submission.dry_run) return textOfSubmission(submission);
  return tellStored(deps, await findStored(deps.database.db, submission.id), submission.duplicate);
}
