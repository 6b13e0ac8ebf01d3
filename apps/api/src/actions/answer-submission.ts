import type { Principal } from '@inferboard/db/queries/account';
import type { RequestName } from '@inferboard/db/queries/idempotency';
import type { Deps } from '../deps.ts';
import { type Answer, keepUnder } from './answer-once.ts';
import { type SubmitDeps, type Submitted, submitReport, type Upload } from './submit-report.ts';

/** One upload to be read, checked and stored, in a form that can cross to another thread. */
export interface SubmissionJob {
  principal: Principal;
  upload: Upload;
  /** The name that the answer is kept under, in the transaction that stores what it tells of. */
  request: RequestName | null;
}

/** Bytes from which an upload is worth another thread: below, it is read in some milliseconds. */
const largeFrom = 128 * 1024;

function toAnswer({ outcome, self, body }: Submitted): Answer {
  return outcome === 'created' ? { status: 201, location: self, body } : { status: 200, location: null, body };
}

/** Does a job in this thread. */
export async function answerHere(deps: SubmitDeps, { principal, upload, request }: SubmissionJob): Promise<Answer> {
  if (request === null) return toAnswer(await submitReport(deps, principal, upload));
  const keep = keepUnder(request);
  return toAnswer(await submitReport(deps, principal, upload, (db, submitted) => keep(db, toAnswer(submitted))));
}

/** Does a job: a large one in the thread that is kept for them, where there is one. The upload's bytes may be gone after it. */
export async function answerSubmission(deps: Deps, job: SubmissionJob): Promise<Answer> {
  const isLarge = job.upload.bytes.length >= largeFrom;
  const { intake } = deps;
  if (intake === null || !isLarge) return answerHere(deps, job);
  return deps.telemetry.tracing.span('wait for intake', {}, ({ parent }) => intake.submit(job, parent));
}
