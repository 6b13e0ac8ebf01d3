import { createHash } from 'node:crypto';
import { DomainError } from '@inferboard/core/errors';
import type { ResultStatus } from '@inferboard/core/subjects/result';
import type { Parameters } from '@inferboard/core/submission/parameters';
import type { ReadSubmission } from '@inferboard/core/submission/read-submission';
import { submissionStatus } from '@inferboard/core/submission/submission-status';
import type { Principal } from '@inferboard/db/accounts/account';
import { insertSignature, type NewSignature } from '@inferboard/db/accounts/signing-key';
import type { ResultRow, SubmissionRow } from '@inferboard/db/boards/lists/row-types';
import { findWouldRanks, type WouldRank } from '@inferboard/db/boards/lists/would-rank-find';
import { systemRowOf } from '@inferboard/db/connection/rows';
import type { Queryable } from '@inferboard/db/connection/transaction';
import { type Packed, pack } from '@inferboard/db/copy/packing';
import { statusUnder } from '@inferboard/db/points/apply-standing';
import { findSubmissionByFingerprint } from '@inferboard/db/submissions/submission-find';
import { type Reservation, submissionGroupOf } from '@inferboard/db/submissions/submission-group';
import {
  type InsertCallbacks,
  insertSubmission,
  type NewSubmission,
} from '@inferboard/db/submissions/submission-insert';
import type { Deps } from '../../deps.ts';
import { viewDryResult } from '../../result-views.ts';
import { summarise, toCounted } from '../../short/count-results.ts';
import { checkSignature, type SentSignature } from '../../signing/check-signature.ts';
import { jsonLine } from '../json-line.ts';
import { type SubmissionView, toDryRun, viewSubmission, viewSubmissionShort } from '../submission-views.ts';
import type { Answer } from './answer-once.ts';
import { createAnswer } from './submission-answer.ts';
import { readArtifactBytes } from './unpack-artifact.ts';
import { findStored, hasResults, viewStored } from './view-stored.ts';

export interface Upload {
  bytes: Uint8Array;
  parameters: Parameters;
  /** The signature of the bytes. Omitted if the client cannot send one. */
  signed?: SentSignature;
  dryRun: boolean;
  /** Whether the response has all results, regardless of their number. */
  isFull: boolean;
  /** Statuses of results whose ranks are part of a dry run's response. */
  ranked?: readonly ResultStatus[];
  /** True for an operator's import of a publication. No request parameter sets it. */
  isImported?: boolean;
}

/** Dependencies of a submission. */
export type SubmitDeps = Pick<Deps, 'database' | 'artifacts' | 'publicUrl'> & Partial<Pick<Deps, 'registration'>>;

export const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex');

/** The fingerprint of an artifact and its parameters, in any order of the parameters. */
export function fingerprintOf(artifactSha256: string, parameters: Parameters): string {
  const sorted = Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify([artifactSha256, sorted]));
}

/** The fingerprint of a request with an idempotency key: another signature makes it another request. */
export function requestFingerprintOf({ bytes, parameters, signed }: Upload): string {
  const fingerprint = fingerprintOf(sha256(bytes), parameters);
  const { signingKey, signature } = signed ?? {};
  if (signingKey === undefined && signature === undefined) return fingerprint;
  return sha256(JSON.stringify([fingerprint, signingKey, signature]));
}

export interface Submitted {
  outcome: 'created' | 'duplicate' | 'dry_run';
  /** URL of the submission; null for a dry run. */
  self: string | null;
  /** The submission as JSON; as UTF-8 bytes if it is new. */
  body: Answer['body'];
}

async function duplicateOf(deps: SubmitDeps, id: string, isFull: boolean, db: Queryable = deps.database.db) {
  const submission = await viewStored(deps, db, await findStored(db, id), { duplicate: true, isFull });
  return { outcome: 'duplicate', self: submission.links?.self ?? null, body: jsonLine(submission) } satisfies Submitted;
}

/** Maximum clock and time zone error of submitted timestamps. */
const clockSlackMs = 24 * 3600 * 1000;

const noBytes: Packed = { bytes: new Uint8Array(), packing: null };

interface Read {
  reading: ReadSubmission;
  artifact: NewSubmission['artifact'];
  parameters: Parameters;
  isFull: boolean;
}

/** The parsed artifact, for a visitor without an account: it is not compared with stored data. */
function readForVisitor(deps: SubmitDeps, principal: Principal, read: Read): Submitted {
  const { reading, artifact, parameters, isFull } = read;
  // With open registration, a visitor's account would be new.
  const standing = deps.registration === 'open' ? 'new' : 'vouched';
  const rows = reading.results.map((result) => ({
    result: { ...result, status: statusUnder(standing, result.status) },
    system: systemRowOf(result.system),
  }));
  const isWhole = hasResults(rows.length, isFull);
  const submission: SubmissionView = {
    id: null,
    status: submissionStatus(reading.results),
    duplicate: false,
    dry_run: true,
    tool: reading.tool,
    artifact: { sha256: artifact.sha256, bytes: artifact.size, media_type: artifact.mediaType },
    account: { id: principal.accountId, name: principal.accountName },
    parameters: { ...parameters },
    ignored: reading.ignored,
    notes: reading.notes,
    source_url: reading.sourceUrl,
    source: reading.source,
    run_id: null,
    session_id: null,
    measured_by: null,
    signed: null,
    retraction: null,
    reviews: [],
    created_at: null,
    result_count: rows.length,
    summary: isWhole ? null : summarise(rows.map(({ result, system }) => ({ ...result, id: null, system: system.id }))),
    results: isWhole
      ? rows.map(({ result, system }) => ({ ...viewDryResult(result, system, deps.publicUrl), would_rank: null }))
      : null,
    links: null,
  };
  return { outcome: 'dry_run', self: null, body: jsonLine(submission) };
}

function viewNew(
  row: SubmissionRow,
  results: ResultRow[],
  base: string,
  { isFull, wouldRank }: { isFull: boolean; wouldRank: readonly WouldRank[] },
): SubmissionView {
  if (hasResults(results.length, isFull)) return viewSubmission(row, results, base, { wouldRank });
  return viewSubmissionShort(row, { first: results[0], results: results.map(toCounted) }, base);
}

/** Rolls back the transaction of a dry run. */
class RolledBack extends Error {}

/**
 * A dry run: stores the submission in a transaction that is rolled back. The response equals that of a real submission, except
 * for ids, times and links.
 */
async function storeAndRollBack(
  deps: SubmitDeps,
  input: NewSubmission,
  { isFull, ranked = [], signature }: Pick<Upload, 'isFull' | 'ranked'> & { signature: NewSignature | null },
): Promise<Submitted> {
  let rows: ResultRow[] = [];
  let submission: SubmissionView | null = null;
  const callbacks: InsertCallbacks = {
    begun: () => {
      rows = [];
    },
    storing: (batch) => {
      for (const row of batch) rows[row.ordinal] = row;
    },
    stored: async (tx, { id, row }) => {
      const signed = signature && (await insertSignature(tx, id, signature));
      if (row === null) {
        const wanted = { duplicate: true, isFull, ranked };
        submission = { ...(await viewStored(deps, tx, await findStored(tx, id), wanted)), dry_run: true };
      } else {
        const wouldRank = ranked.length === 0 ? [] : await findWouldRanks(tx, id, ranked);
        submission = toDryRun(viewNew({ ...row, signed }, rows, deps.publicUrl, { isFull, wouldRank }));
      }
      throw new RolledBack('a dry run');
    },
  };
  try {
    await insertSubmission(deps.database.db, input, callbacks);
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error;
  }
  if (submission === null) throw new Error('a dry run ended without an answer');
  return { outcome: 'dry_run', self: null, body: jsonLine(submission) };
}

/**
 * Minimum upload size in bytes for a duplicate check before parsing: smaller ones are parsed faster than the database answers.
 */
const askFirstFrom = 32 * 1024;

/** Called with a stored upload and the id of its submission, in the transaction that stores it. */
export type StoreSubmitted = (db: Queryable, submitted: Submitted, id: string) => Promise<void>;

/** The group commit that stores an upload with concurrent ones, and the options of its response. */
interface Storing {
  reservation: Reservation;
  isFull: boolean;
  signature: NewSignature | null;
  keep: StoreSubmitted | undefined;
}

/** Stores an upload. */
async function store(
  deps: SubmitDeps,
  input: NewSubmission,
  { reservation, isFull, signature, keep }: Storing,
): Promise<Submitted> {
  const answer = createAnswer(deps.publicUrl, hasResults(input.results.length, isFull));
  let submitted: Submitted | null = null;
  const callbacks: InsertCallbacks = {
    ...answer,
    stored: async (tx, { id, row }) => {
      const signed = signature && (await insertSignature(tx, id, signature));
      submitted =
        row === null
          ? await duplicateOf(deps, id, isFull, tx)
          : { outcome: 'created', ...answer.finish({ ...row, signed }) };
      await keep?.(tx, submitted, id);
    },
  };
  await reservation.insert(input, callbacks);
  if (submitted === null) throw new Error('the stored submission was not returned');
  return submitted;
}

/**
 * The only entry point for results: verify the signature, detect, parse, resolve, check, derive, store. The response is sent only
 * after the commit; `keep` stores it in the same transaction.
 *
 * @throws DomainError for every error that the client can fix
 */
export async function submitReport(
  deps: SubmitDeps,
  principal: Principal,
  upload: Upload,
  keep?: StoreSubmitted,
): Promise<Submitted> {
  const { bytes, parameters, dryRun, isFull, isImported = false } = upload;
  if (bytes.length === 0) {
    throw new DomainError('body_empty', 'The request has no body. Send the output of a benchmark tool.', [
      {
        code: 'body_empty',
        message: 'Nothing was sent.',
        hint: 'curl --data-binary @result.json ..., or pipe with --data-binary @-',
      },
    ]);
  }
  const { db } = deps.database;
  const signature = await checkSignature(db, principal, upload.signed ?? {}, bytes);
  const digest = sha256(bytes);
  const fingerprint = fingerprintOf(digest, parameters);
  const findFirst = () => (dryRun ? null : findSubmissionByFingerprint(db, principal.accountId, fingerprint));
  const answerFirst = async (first: string) => {
    if (signature !== null) await insertSignature(db, first, signature);
    const submitted = await duplicateOf(deps, first, isFull);
    await keep?.(db, submitted, first);
    return submitted;
  };
  const known = bytes.length < askFirstFrom ? null : await findFirst();
  if (known !== null) return answerFirst(known);

  const reservation = dryRun ? null : submissionGroupOf(db, deps.artifacts).reserve();
  try {
    // A dry run stores no bytes. Otherwise the bytes are compressed while this thread parses them.
    const packing: Promise<Packed> = dryRun ? Promise.resolve(noBytes) : pack(bytes);
    packing.catch(() => {});
    let reading: ReadSubmission;
    try {
      reading = await readArtifactBytes(bytes, parameters, { isImported, notAfter: Date.now() + clockSlackMs });
    } catch (error) {
      // An upload that is already stored remains a duplicate, even if it would be refused today.
      const first = await findFirst();
      if (first === null) throw error;
      return await answerFirst(first);
    }
    const artifact = { sha256: digest, size: bytes.length, stored: await packing, mediaType: reading.mediaType };
    if (principal.accountId === '') return readForVisitor(deps, principal, { reading, artifact, parameters, isFull });
    const input = {
      accountId: principal.accountId,
      artifact,
      fingerprint,
      tool: reading.tool,
      parameters: { ...parameters },
      ignored: reading.ignored,
      notes: reading.notes,
      sourceUrl: reading.sourceUrl,
      source: reading.source,
      status: submissionStatus(reading.results),
      results: reading.results,
    };
    return await (reservation === null
      ? storeAndRollBack(deps, input, { ...upload, signature })
      : store(deps, input, { reservation, isFull, signature, keep }));
  } finally {
    reservation?.cancel();
  }
}
