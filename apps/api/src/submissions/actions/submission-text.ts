import type { SubmissionRow } from '@inferboard/db/boards/lists/row-types';
import type { Deps } from '../../deps.ts';
import { textOfSubmission } from '../../short/submission-text.ts';
import type { SubmissionView } from '../submission-views.ts';
import type { Answer } from './answer-once.ts';
import { findStored, viewStored } from './view-stored.ts';

/** Statuses of results whose ranks are part of the text. */
export const rankedInText = ['accepted', 'provisional'] as const;

/** A stored submission as five lines of text. */
export async function storedAsText(deps: Deps, row: SubmissionRow, duplicate = false): Promise<string> {
  return textOfSubmission(await viewStored(deps, deps.database.db, row, { duplicate, ranked: rankedInText }));
}

/** The response to an upload as five lines of text. */
export async function answerAsText(deps: Deps, body: Answer['body']): Promise<string> {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const submission = JSON.parse(text) as SubmissionView & { claim?: { url: string } };
  if (submission.id === null || submission.dry_run) return textOfSubmission(submission);
  const summary = await storedAsText(deps, await findStored(deps.database.db, submission.id), submission.duplicate);
  return submission.claim === undefined ? summary : `${summary}Claim it:   ${submission.claim.url}\n`;
}
