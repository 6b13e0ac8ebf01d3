import type { CheckedResult, SubmissionStatus } from '@inferboard/core/result';
import { submissionStatus } from '@inferboard/core/submission/submission-status';
import { sql } from 'drizzle-orm';
import { type ArtifactStore, inDatabase } from '../artifacts/artifact-store.ts';
import { preparedInsert, writtenColumns } from '../bulk.ts';
import type { Database } from '../client.ts';
import { createId } from '../ids.ts';
import type { Packed } from '../packing.ts';
import type { Standing } from '../schema/accounts.ts';
import { submissions } from '../schema/index.ts';
import { prepared, value } from '../statement.ts';
import { atOnce, type Transaction, transact } from '../transaction.ts';
import { holdStandings } from './account-standing.ts';
import { lockArtifacts } from './artifact-lock.ts';
import { growClaims } from './claims-grow.ts';
import { findCopies } from './copies-find.ts';
import { findFirstResults } from './first-result-find.ts';
import { holdBeyondFrontier } from './frontier-find.ts';
import type { NewResult } from './new-result.ts';
import { lockPoints } from './point-lock.ts';
import { type Located, upsertPoints } from './point-upsert.ts';
import { queueRegressionChecks } from './regression-check.ts';
import { sequenceOf, storeSequences } from './request-sequences.ts';
import { storeAnchors } from './result-anchors.ts';
import { fewResults, storeFew, storeMany, type WhileStoring } from './result-insert.ts';
import type { ResultRow, SubmissionRow } from './row-types.ts';
import { statusUnder } from './standing-changed.ts';
import { findSubmissions } from './submission-find.ts';

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
  /** As a query would give it; null of a duplicate. */
  row: SubmissionRow | null;
}

/** What a caller does beside the storing; all of it once more where the transaction is tried again. */
export interface Witness {
  /** The transaction begins. */
  begun?: () => void;
  /** Results as a query would give them, batch by batch in the order of the artifact; . */
  storing?: (rows: ResultRow[]) => void;
  /** All is stored; what is done here belongs to the transaction. */
  stored?: (tx: Transaction, submission: StoredSubmission) => Promise<void>;
}

/** An upload, and who watches it being stored. */
export interface Upload {
  input: NewSubmission;
  witness: Witness;
}

const insertArtifact = prepared<
  {
    sha256: string;
    bytes: Uint8Array | null;
    packing: string | null;
    place: string | null;
    size: number;
    mediaType: string;
  },
  { sha256: string }
>(sql`
  insert into artifacts (sha256, bytes, packing, place, size, media_type)
  values (${value('sha256')}, ${value('bytes')}, ${value('packing')}, ${value('place')}, ${value('size')}, ${value('mediaType')})
  on conflict do nothing returning sha256`);

/** Its row, and its bytes where new ones go: before the commit, so that no row is without them. False if it was there. */
async function storeArtifact(
  tx: Transaction,
  { sha256, size, stored, mediaType }: NewSubmission['artifact'],
  store: ArtifactStore,
): Promise<boolean> {
  const { packing } = stored;
  const where = store.takesNew ? { bytes: null, place: 's3' } : { bytes: stored.bytes, place: null };
  const fresh = await insertArtifact(tx, { sha256, packing, size, mediaType, ...where });
  if (fresh.length === 0) return false;
  if (store.takesNew) await store.put(sha256, stored);
  return true;
}

const selectStanding = prepared<{ sent: string }, { place: number; id: string }>(sql`
  select w.place, sub.id
  from jsonb_to_recordset(${value('sent')}::jsonb) as w(place int, account_id text, fingerprint text)
  cross join lateral (
    select id from submissions sub
    where (sub.account_id, sub.fingerprint) = (w.account_id, w.fingerprint) and sub.retracted_at is null offset 0) sub`);

/** The submissions that some of these are duplicates of, by their places. */
async function findDuplicates(tx: Transaction, inputs: readonly NewSubmission[]): Promise<Map<number, string>> {
  const sent = inputs.map(({ accountId, fingerprint }, place) => ({ place, account_id: accountId, fingerprint }));
  const rows = await selectStanding(tx, { sent: JSON.stringify(sent) });
  return new Map(rows.map(({ place, id }) => [place, id]));
}

const insertSubmissions = preparedInsert(
  submissions,
  writtenColumns(submissions).filter((column) => !column.startsWith('retract')),
);

/** A submission that is about to be stored. */
interface Sent {
  id: string;
  input: NewSubmission;
  witness: Witness;
  /** Whether its bytes are new. */
  isFresh: boolean;
  results: NewResult[];
}

const toSubmissionRow = ({ id, input }: Sent) => ({
  id,
  account_id: input.accountId,
  artifact_sha256: input.artifact.sha256,
  fingerprint: input.fingerprint,
  status: input.status,
  tool: input.tool.name,
  tool_version: input.tool.version,
  parameters: input.parameters,
  ignored: input.ignored,
  notes: input.notes,
  source_url: input.sourceUrl,
  run_id: input.runId ?? null,
});

/** Submissions as the standing of their accounts lets them in. */
async function asAccountsMay(
  tx: Transaction,
  uploads: readonly Upload[],
  standingOf: (accountId: string) => Standing,
): Promise<NewSubmission[]> {
  const isNew = ({ input }: Upload) => standingOf(input.accountId) === 'new';
  if (!uploads.some(isNew)) return uploads.map(({ input }) => input);
  const judged = await holdBeyondFrontier(
    tx,
    uploads.filter(isNew).flatMap(({ input }) => input.results),
  );
  return uploads.map((upload) => {
    const { input } = upload;
    if (!isNew(upload)) return input;
    const results = judged
      .splice(0, input.results.length)
      .map((result) => ({ ...result, status: statusUnder('new', result.status) }));
    return { ...input, status: submissionStatus(results), results };
  });
}

/** Sets of results what said the same before. What was found first holds: the same bytes, then another account's figures. */
async function findFirsts(tx: Transaction, sent: readonly Sent[]): Promise<void> {
  const [copies, ...sameBytes] = await atOnce([
    findCopies(
      tx,
      sent.map(({ input }) => input),
    ),
    ...sent.map(({ id, input, isFresh, results }) =>
      isFresh
        ? null
        : findFirstResults(tx, {
            ...{ sha256: input.artifact.sha256, accountId: input.accountId, submissionId: id },
            results: results.map(({ result, place }) => ({ status: result.status, pointId: place.id })),
          }),
    ),
  ]);
  for (const [at, { results }] of sent.entries()) {
    for (const one of results) one.first = sameBytes[at]?.get(one.ordinal) ?? copies[at]?.get(one.ordinal) ?? null;
  }
}

/** Results in the order of the uploads, each in its place. */
function placeResults(id: string, input: NewSubmission, places: Located['places']): NewResult[] {
  return input.results.map((result, ordinal) => {
    const place = places[ordinal];
    if (place === undefined) throw new Error(`result ${ordinal} has no point`);
    return {
      ...{ id: createId('res'), submissionId: id, accountId: input.accountId, ordinal },
      ...{ result, place, first: null, claim: null, trust: result.trust },
    };
  });
}

/** Writes what is new, and answers the submissions as they are stored. */
async function write(
  tx: Transaction,
  sent: readonly Sent[],
  located: Located,
  createdAt: string,
): Promise<SubmissionRow[]> {
  const results = sent.flatMap((one) => one.results);
  const changes = await growClaims(
    tx,
    sent.map((one) => one.results),
    located,
  );
  const witnesses = new Map(sent.map(({ id, witness }) => [id, witness]));
  const tell: WhileStoring = (told) => {
    for (const [id, of] of Map.groupBy(told, ({ from }) => from.submissionId))
      witnesses.get(id)?.storing?.(of.map(({ row }) => row));
  };
  const stored = { results, located, changes, createdAt };
  const rest = () =>
    atOnce([
      storeSequences(
        tx,
        results.map(({ id, result }) => ({ id, sequence: sequenceOf(result) })),
      ),
      storeAnchors(
        tx,
        results.filter(({ first }) => first === null),
      ),
      // What a managed run measured is looked at when the run ends, all of it together.
      queueRegressionChecks(
        tx,
        sent.filter(({ input }) => input.runId === undefined).map(({ id }) => id),
      ),
      findSubmissions(
        tx,
        sent.map(({ id }) => id),
      ),
    ]);
  const submitting = insertSubmissions(tx, sent.map(toSubmissionRow));
  if (results.length <= fewResults) {
    // All of it leaves at once, and is done in this order.
    const [, , [, , , rows]] = await atOnce([submitting, storeFew(tx, stored, tell), rest()]);
    return rows;
  }
  await submitting;
  await storeMany(tx, stored, tell);
  const [, , , rows] = await rest();
  return rows;
}

/**
 * Stores uploads in the caller's transaction, as if one came after the other: set by set, so that many take hardly more
 * statements than one. No two of them have the same bytes, and those of different accounts have no model in common.
 */
export async function storeSubmissions(
  tx: Transaction,
  uploads: readonly Upload[],
  store: ArtifactStore,
): Promise<StoredSubmission[]> {
  const inputs = uploads.map(({ input }) => input);
  // In the order of their keys, so that simultaneous transactions wait for each other in turn. What waits for another one
  // with the same bytes finds what that stored: the lock keeps a retraction from coming between.
  const sorted = inputs.map(({ artifact }) => artifact).sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
  const [{ standingOf, now }, fresh, , duplicates, located] = await atOnce([
    holdStandings(
      tx,
      inputs.map(({ accountId }) => accountId),
    ),
    atOnce(sorted.map(async (artifact) => [artifact.sha256, await storeArtifact(tx, artifact, store)] as const)),
    lockArtifacts(
      tx,
      sorted.map(({ sha256 }) => sha256),
    ),
    findDuplicates(tx, inputs),
    upsertPoints(
      tx,
      inputs.flatMap(({ results }) => results),
    ),
  ]);
  const isFresh = new Map(fresh);
  const allowed = await asAccountsMay(tx, uploads, standingOf);
  const sent: Sent[] = [];
  let at = 0;
  for (const [place, input] of allowed.entries()) {
    const places = located.places.slice(at, at + input.results.length);
    at += input.results.length;
    if (duplicates.has(place)) continue;
    const id = createId('sub');
    const { witness = {} } = uploads[place] ?? {};
    const results = placeResults(id, input, places);
    sent.push({ id, input, witness, isFresh: isFresh.get(input.artifact.sha256) === true, results });
  }
  const known = sent
    .flatMap(({ results }) => results.map(({ place }) => place.id))
    .filter((id) => !located.created.has(id));
  await atOnce([known.length === 0 ? null : lockPoints(tx, [...new Set(known)]), findFirsts(tx, sent)]);
  const rows = sent.length === 0 ? [] : await write(tx, sent, located, now);
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  const ids = sent.map(({ id }) => id);
  return uploads.map((_, place) => {
    const first = duplicates.get(place);
    if (first !== undefined) return { id: first, duplicate: true, row: null };
    const id = ids.shift() ?? '';
    return { id, duplicate: false, row: rowOf.get(id) ?? null };
  });
}

/** Stores uploads in one transaction, and lets each witness do what belongs to it: all of it is there after the commit, or none. */
export async function insertTogether(
  db: Database['db'],
  uploads: readonly Upload[],
  store: ArtifactStore,
): Promise<StoredSubmission[]> {
  return transact(db, async (tx) => {
    for (const { witness } of uploads) witness.begun?.();
    const stored = await storeSubmissions(tx, uploads, store);
    await atOnce(
      uploads.map(({ witness }, at) => {
        const submission = stored[at];
        return submission && witness.stored?.(tx, submission);
      }),
    );
    return stored;
  });
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
  const [stored] = await insertTogether(db, [{ input, witness }], store);
  if (stored === undefined) throw new Error('an upload was stored without an answer');
  return stored;
}
