import type { CheckedResult, SubmissionStatus } from '@inferboard/core/result';
import { submissionStatus } from '@inferboard/core/submission/submission-status';
import { type ArtifactStore, inDatabase } from '../artifacts/artifact-store.ts';
import type { Database } from '../client.ts';
import { createId } from '../ids.ts';
import type { Packed } from '../packing.ts';
import type { Standing } from '../schema/accounts.ts';
import { artifacts, submissions } from '../schema/index.ts';
import { type Transaction, transact } from '../transaction.ts';
import { holdStanding } from './account-standing.ts';
import { lockArtifact } from './artifact-lock.ts';
import { findCopies } from './copies-find.ts';
import { findFirstResults } from './first-result-find.ts';
import { holdBeyondFrontier } from './frontier-find.ts';
import { findOwnRuns } from './own-runs-find.ts';
import { lockPoints } from './point-lock.ts';
import { upsertPoints } from './point-upsert.ts';
import { queueRegressionCheck } from './regression-check.ts';
import { sequenceOf, storeSequences } from './request-sequences.ts';
import { storeAnchors } from './result-anchors.ts';
import { insertResults } from './result-insert.ts';
import type { ResultRow } from './row-types.ts';
import { statusUnder } from './standing-changed.ts';
import { findSubmissionByFingerprint } from './submission-find.ts';

/** Everything that one upload stores. */
export interface NewSubmission {
  accountId: string;
  /** SHA-256 and size are those of the bytes as sent. */
  artifact: { sha256: string; size: number; stored: Packed; mediaType: string };
  /** SHA-256 over bytes and metadata. */
  fingerprint: string;
  tool: { name: string; version: string | null };
  parameters: Record<string, unknown>;
  ignored: string[];
  notes: string | null;
  sourceUrl: string | null;
  /** The managed run that measured it. */
  runId?: string;
  status: SubmissionStatus;
  results: CheckedResult[];
}

export interface StoredSubmission {
  id: string;
  duplicate: boolean;
}

/** Its row, and its bytes where new ones go: before the commit, so that no row is without them. False if it was there. */
async function storeArtifact(
  tx: Transaction,
  { sha256, size, stored, mediaType }: NewSubmission['artifact'],
  store: ArtifactStore,
): Promise<boolean> {
  const { packing } = stored;
  const place = store.takesNew ? ({ bytes: null, packing, place: 's3' } as const) : stored;
  const fresh = await tx
    .insert(artifacts)
    .values({ sha256, ...place, size, mediaType })
    .onConflictDoNothing()
    .returning({ sha256: artifacts.sha256 });
  if (fresh.length === 0) return false;
  if (store.takesNew) await store.put(sha256, stored);
  return true;
}

/** The submission as its account's standing lets it in. */
async function asAccountMay(tx: Transaction, input: NewSubmission, standing: Standing): Promise<NewSubmission> {
  if (standing !== 'new') return input;
  const judged = await holdBeyondFrontier(tx, input.results);
  const results = judged.map((result) => ({ ...result, status: statusUnder(standing, result.status) }));
  return { ...input, status: submissionStatus(results), results };
}

async function storeSubmission(
  tx: Transaction,
  { input: given, store }: { input: NewSubmission; store: ArtifactStore },
  whileStoring: (rows: ResultRow[]) => void,
): Promise<StoredSubmission> {
  const standing = await holdStanding(tx, given.accountId);
  const input = await asAccountMay(tx, given, standing);
  const { sha256 } = input.artifact;
  const id = createId('sub');
  const isFresh = await storeArtifact(tx, input.artifact, store);
  if (!isFresh) await lockArtifact(tx, sha256);
  const inserted = await tx
    .insert(submissions)
    .values({
      id,
      accountId: input.accountId,
      artifactSha256: sha256,
      fingerprint: input.fingerprint,
      status: input.status,
      tool: input.tool.name,
      toolVersion: input.tool.version,
      parameters: input.parameters,
      ignored: input.ignored,
      notes: input.notes,
      sourceUrl: input.sourceUrl,
      runId: input.runId ?? null,
    })
    // Waits for a simultaneous twin to commit, and then gives way to it.
    .onConflictDoNothing()
    .returning({ createdAt: submissions.createdAt });
  const [{ createdAt } = { createdAt: null }] = inserted;
  if (createdAt === null) {
    // The lock on the artifact keeps a retraction from coming between.
    const first = await findSubmissionByFingerprint(tx, input.accountId, input.fingerprint);
    if (first === null) throw new Error('a conflicting submission vanished');
    return { id: first, duplicate: true };
  }
  const { places, created } = await upsertPoints(tx, input.results);
  const points = places.map((place) => place.id);
  const known = points.map((point) => (created.has(point) ? null : point));
  if (known.some((point) => point !== null)) await lockPoints(tx, points);
  const sent = {
    ...{ sha256, accountId: input.accountId, submissionId: id },
    results: input.results.map(({ status }, ordinal) => ({ status, pointId: points[ordinal] ?? -1 })),
  };
  // What was found first holds: the same bytes, then another account's figures, then another form of an own run.
  const firsts = new Map([
    ...(await findOwnRuns(tx, input.accountId, input.results, known)),
    ...(await findCopies(tx, input.results, { accountId: input.accountId, before: null })),
    ...(isFresh ? [] : await findFirstResults(tx, sent)),
  ]);
  const submission = { id, accountId: input.accountId, createdAt };
  const ids = await insertResults(tx, { submission, results: input.results, places, created, firsts }, whileStoring);
  await storeSequences(
    tx,
    input.results.map((result, ordinal) => ({ id: ids[ordinal] ?? '', sequence: sequenceOf(result) })),
  );
  await storeAnchors(
    tx,
    input.results.flatMap((result, ordinal) => {
      const resultId = ids[ordinal];
      return resultId === undefined || firsts.has(ordinal) ? [] : [{ id: resultId, result }];
    }),
  );
  // What a managed run measured is looked at when the run ends, all of it together.
  if (input.runId === undefined) await queueRegressionCheck(tx, id);
  return { id, duplicate: false };
}

/** What a caller does beside the storing; all of it once more where the transaction is tried again. */
export interface Witness {
  /** The transaction begins. */
  begun?: () => void;
  /** Results as a query would give them, batch by batch in the order of the artifact; a few come again, changed. */
  storing?: (rows: ResultRow[]) => void;
  /** All is stored; what is done here belongs to the transaction. */
  stored?: (tx: Transaction, submission: StoredSubmission) => Promise<void>;
}

/**
 * Stores an upload with its bytes, results, findings and the statistics of every point it touches in one transaction:
 * all of it is there after the commit, or none. The same bytes and metadata from the same account are stored once, as long
 * as the first is not retracted; `duplicate` then says so and `id` is the first one's.
 */
export async function insertSubmission(
  db: Database['db'],
  input: NewSubmission,
  witness: Witness = {},
  store: ArtifactStore = inDatabase,
): Promise<StoredSubmission> {
  return transact(db, async (tx) => {
    witness.begun?.();
    const submission = await storeSubmission(tx, { input, store }, (rows) => witness.storing?.(rows));
    await witness.stored?.(tx, submission);
    return submission;
  });
}
