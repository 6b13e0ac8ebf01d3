import type { Principal } from '@inferboard/db/accounts/account';
import { type ClaimLink, insertClaim } from '@inferboard/db/accounts/claim';
import type { RequestName } from '@inferboard/db/service/idempotency';
import type { Deps } from '../../deps.ts';
import { type Answer, storeAnswerFor } from './answer-once.ts';
import { type StoreSubmitted, type SubmitDeps, type Submitted, submitReport, type Upload } from './submit-report.ts';

/** One upload to parse, check and store, in a form that can be sent to another thread. */
export interface SubmissionJob {
  principal: Principal;
  upload: Upload;
  /** The idempotency key under which the response is stored, in the same transaction as the submission. */
  request: RequestName | null;
  /** The link with which an account can claim a submission without a key. Stored in the same transaction. */
  claim?: ClaimLink;
}

/** Minimum size of an artifact in bytes for the other thread; smaller ones are parsed in some milliseconds. */
export const largeFrom = 128 * 1024;

function toAnswer({ outcome, self, body }: Submitted): Answer {
  return outcome === 'created' ? { status: 201, location: self, body } : { status: 200, location: null, body };
}

/** Processes a submission in this thread. */
export async function answerInThisThread(deps: SubmitDeps, job: SubmissionJob): Promise<Answer> {
  const { principal, upload, request, claim } = job;
  if (claim !== undefined) {
    // A duplicate has a link already.
    const keepClaim: StoreSubmitted = async (db, { outcome }, submissionId) => {
      if (outcome === 'created') await insertClaim(db, { ...claim, submissionId });
    };
    return toAnswer(await submitReport(deps, principal, upload, keepClaim));
  }
  if (request === null) return toAnswer(await submitReport(deps, principal, upload));
  const keep = storeAnswerFor(request);
  return toAnswer(await submitReport(deps, principal, upload, (db, submitted) => keep(db, toAnswer(submitted))));
}

/** Processes a submission; a large one in the intake thread, if there is one. The upload's bytes may be detached afterwards. */
export async function answerSubmission(deps: Deps, job: SubmissionJob): Promise<Answer> {
  const isLarge = job.upload.bytes.length >= largeFrom;
  const { intake } = deps;
  if (intake === null || !isLarge) return answerInThisThread(deps, job);
  return deps.telemetry.tracing.span('wait for intake', {}, ({ parent }) => intake.submit(job, parent));
}
