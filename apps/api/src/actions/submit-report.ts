import { createHash } from 'node:crypto';
import { DomainError } from '@inferboard/core/errors';
import type { ResultStatus } from '@inferboard/core/result';
import type { Parameters } from '@inferboard/core/submission/parameters';
import type { ReadSubmission } from '@inferboard/core/submission/read-submission';
import { submissionStatus } from '@inferboard/core/submission/submission-status';
import { type Packed, pack } from '@inferboard/db/packing';
import type { Principal } from '@inferboard/db/queries/account';
import type { ResultRow, SubmissionRow } from '@inferboard/db/queries/row-types';
import { findSubmissionByFingerprint } from '@inferboard/db/queries/submission-find';
import { insertSubmission, type NewSubmission, type Witness } from '@inferboard/db/queries/submission-insert';
import { findWouldRanks, type WouldRank } from '@inferboard/db/queries/would-rank-find';
import { systemRowOf } from '@inferboard/db/rows';
import { type Seat, submissionGroupOf } from '@inferboard/db/submission-group';
import type { Queryable } from '@inferboard/db/transaction';
import type { Deps } from '../deps.ts';
import { jsonLine } from '../json-line.ts';
import { summarise, toCounted } from '../short/count-results.ts';
import { type SubmissionView, toRehearsed, viewSubmission, viewSubmissionShort } from '../submission-views.ts';
import { viewDryResult } from '../views.ts';
import type { Answer } from './answer-once.ts';
import { createAnswer } from './submission-answer.ts';
import { readArtifactBytes } from './unpack-artifact.ts';
import { findStored, hasResults, viewStored } from './view-stored.ts';

export interface Upload {
  bytes: Uint8Array;
  parameters: Parameters;
  dryRun: boolean;
  /** Whether the answer has all results, however many they are. */
  isFull: boolean;
  /** Statuses of results whose ranks the answer to a dry run has. */
  ranked?: readonly ResultStatus[];
  /** True of what the operator imports from a publication. Nothing that a request says sets it. */
  isImported?: boolean;
}

/** What a submission needs of the service. */
export type SubmitDeps = Pick<Deps, 'database' | 'artifacts' | 'publicUrl'>;

export const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex');

/** The same bytes with the same words beside them have the same fingerprint, in whatever order the words came. */
export function fingerprintOf(artifactSha256: string, parameters: Parameters): string {
  const sorted = Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify([artifactSha256, sorted]));
}

export interface Submitted {
  outcome: 'created' | 'duplicate' | 'dry_run';
  /** Where it is; null of a dry run. */
  self: string | null;
  /** The submission as JSON; of a new one in UTF-8. */
  body: Answer['body'];
}

async function duplicateOf(
  deps: SubmitDeps,
  id: string,
  isFull: boolean,
  db: Queryable = deps.database.db,
): Promise<Submitted> {
  const submission = await viewStored(deps, db, await findStored(db, id), { duplicate: true, isFull });
  return { outcome: 'duplicate', self: submission.links?.self ?? null, body: jsonLine(submission) };
}

/** Clocks and time zones of those who measure are off by this much at most. */
const clockSlackMs = 24 * 3600 * 1000;

const noBytes: Packed = { bytes: new Uint8Array(), packing: null };

interface Read {
  reading: ReadSubmission;
  artifact: NewSubmission['artifact'];
  parameters: Parameters;
  isFull: boolean;
}

/** What was understood of an artifact, for a visitor who has no account: nothing is compared with what is stored. */
function readForVisitor(deps: SubmitDeps, principal: Principal, read: Read): Submitted {
  const { reading, artifact, parameters, isFull } = read;
  const rows = reading.results.map((result) => ({ result, system: systemRowOf(result.system) }));
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
    measured_by: null,
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

/** Ends the transaction of a dry run. */
class Rehearsed extends Error {}

/**
 * A dry run: the submission is stored in a transaction that is rolled back, so that its answer is that of a real one, but
 * for ids, times and links.
 */
async function rehearse(
  deps: SubmitDeps,
  input: NewSubmission,
  { isFull, ranked = [] }: Pick<Upload, 'isFull' | 'ranked'>,
): Promise<Submitted> {
  let rows: ResultRow[] = [];
  let submission: SubmissionView | null = null;
  const witness: Witness = {
    begun: () => {
      rows = [];
    },
    storing: (batch) => {
      for (const row of batch) rows[row.ordinal] = row;
    },
    stored: async (tx, { id, row }) => {
      if (row === null) {
        const wanted = { duplicate: true, isFull, ranked };
        submission = { ...(await viewStored(deps, tx, await findStored(tx, id), wanted)), dry_run: true };
      } else {
        const wouldRank = ranked.length === 0 ? [] : await findWouldRanks(tx, id, ranked);
        submission = toRehearsed(viewNew(row, rows, deps.publicUrl, { isFull, wouldRank }));
      }
      throw new Rehearsed('a dry run');
    },
  };
  try {
    await insertSubmission(deps.database.db, input, witness);
  } catch (error) {
    if (!(error instanceof Rehearsed)) throw error;
  }
  if (submission === null) throw new Error('a dry run ended without an answer');
  return { outcome: 'dry_run', self: null, body: jsonLine(submission) };
}

/** Bytes from which an upload is looked for before it is read: smaller ones are read sooner than the database answers. */
const askFirstFrom = 32 * 1024;

/** What is told of an upload that was stored, in the transaction that stores it. */
export type KeepSubmitted = (db: Queryable, submitted: Submitted) => Promise<void>;

/** Where an upload is stored with others that arrive at the same time, and what its answer has. */
interface Storing {
  seat: Seat;
  isFull: boolean;
  keep: KeepSubmitted | undefined;
}

/** Stores an upload. */
async function store(deps: SubmitDeps, input: NewSubmission, { seat, isFull, keep }: Storing): Promise<Submitted> {
  const answer = createAnswer(deps.publicUrl, hasResults(input.results.length, isFull));
  let submitted: Submitted | null = null;
  const witness: Witness = {
    ...answer,
    stored: async (tx, { id, row }) => {
      submitted =
        row === null ? await duplicateOf(deps, id, isFull, tx) : { outcome: 'created', ...answer.finish(row) };
      await keep?.(tx, submitted);
    },
  };
  await seat.insert(input, witness);
  if (submitted === null) throw new Error('a submission was stored and not seen');
  return submitted;
}

/**
 * The one door for results: detect, parse, resolve, check, derive, store. The answer leaves only after the commit; `keep`
 * sees it before, in the transaction that stores it.
 *
 * @throws DomainError for everything the submitter can put right
 */
export async function submitReport(
  deps: SubmitDeps,
  principal: Principal,
  upload: Upload,
  keep?: KeepSubmitted,
): Promise<Submitted> {
  const { bytes, parameters, dryRun, isFull, isImported = false } = upload;
  if (bytes.length === 0) {
    throw new DomainError('body_empty', 'The request has no body: send the output of a benchmark tool.', [
      {
        code: 'body_empty',
        message: 'Nothing was sent.',
        hint: 'curl --data-binary @result.json ..., or pipe with --data-binary @-',
      },
    ]);
  }
  const digest = sha256(bytes);
  const fingerprint = fingerprintOf(digest, parameters);
  const { db } = deps.database;
  const findFirst = () => (dryRun ? null : findSubmissionByFingerprint(db, principal.accountId, fingerprint));
  const answerFirst = async (first: string) => {
    const submitted = await duplicateOf(deps, first, isFull);
    await keep?.(db, submitted);
    return submitted;
  };
  const known = bytes.length < askFirstFrom ? null : await findFirst();
  if (known !== null) return answerFirst(known);

  const seat = dryRun ? null : submissionGroupOf(db, deps.artifacts).join();
  try {
    // A rehearsal stores no bytes. Others are packed while this thread reads.
    const packing: Promise<Packed> = dryRun ? Promise.resolve(noBytes) : pack(bytes);
    packing.catch(() => {});
    let reading: ReadSubmission;
    try {
      reading = await readArtifactBytes(bytes, parameters, { isImported, notAfter: Date.now() + clockSlackMs });
    } catch (error) {
      // What was stored once stays known, even where it would be refused today.
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
    return await (seat === null ? rehearse(deps, input, upload) : store(deps, input, { seat, isFull, keep }));
  } finally {
    seat?.leave();
  }
}
