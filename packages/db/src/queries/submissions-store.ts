import { submissionStatus } from '@inferboard/core/submission/submission-status';
import { sql } from 'drizzle-orm';
import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import { fewRows } from '../copy.ts';
import { createId } from '../ids.ts';
import { prepared, value } from '../statement.ts';
import { atOnce, type Transaction } from '../transaction.ts';
import { type HeldAccount, holdAccounts } from './account-standing.ts';
import { storeArtifacts } from './artifact-insert.ts';
import { growClaims, type Memory } from './claims-grow.ts';
import { type Candidates, findCopies, listCandidates } from './copies-find.ts';
import { findFirstResults } from './first-result-find.ts';
import { holdBeyondFrontier } from './frontier-find.ts';
import type { NewResult } from './new-result.ts';
import { type Located, upsertPoints } from './point-upsert.ts';
import type { RecentMemory, Remembered } from './recent-memory.ts';
import { queueNewRegressionChecks } from './regression-check.ts';
import { sequenceOf, storeSequences } from './request-sequences.ts';
import { storeFew, storeMany, type WhileStoring } from './result-insert.ts';
import type { SubmissionRow } from './row-types.ts';
import { statusUnder } from './standing-changed.ts';
import { findSubmissions } from './submission-find.ts';
import type { NewSubmission, StoredSubmission, Upload, Witness } from './submission-insert.ts';

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

/** A submission that is about to be stored. */
interface Sent {
  id: string;
  /** Its place among the uploads, of which some are duplicates. */
  place: number;
  input: NewSubmission;
  account: HeldAccount;
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
  source: input.source ?? null,
  run_id: input.runId ?? null,
});

/** A new submission as a query would give it. */
const asFound = ({ input, account, ...sent }: Sent, createdAt: string): SubmissionRow => ({
  ...toSubmissionRow({ input, account, ...sent }),
  account_name: account.name,
  status: input.status,
  artifact_size: input.artifact.size,
  artifact_media_type: input.artifact.mediaType,
  results: input.results.length,
  reviews: [],
  retracted_at: null,
  retraction_reason: null,
  created_at: createdAt,
});

/** Submissions whose bytes were there: what else is known of those may differ. */
async function findKnown(tx: Transaction, sent: readonly Sent[]): Promise<Map<string, SubmissionRow>> {
  const known = sent.filter(({ isFresh }) => !isFresh).map(({ id }) => id);
  const rows = known.length === 0 ? [] : await findSubmissions(tx, known);
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * True of a submission by which something may have got worse, where its account wants to know that. What a managed run
 * measured is looked at when the run ends, all of it together.
 */
const isLookedAt = ({ input, account }: Sent): boolean =>
  account.isTold && input.runId === undefined && input.results.some(({ status }) => status === 'accepted');

/** Submissions as the standing of their accounts lets them in. */
async function asAccountsMay(
  tx: Transaction,
  uploads: readonly Upload[],
  accountOf: (id: string) => HeldAccount,
): Promise<NewSubmission[]> {
  const isNew = ({ input }: Upload) => accountOf(input.accountId).standing === 'new';
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
async function findFirsts(tx: Transaction, sent: readonly Sent[], candidates: Candidates): Promise<void> {
  const [copies, ...sameBytes] = await atOnce([
    findCopies(
      tx,
      sent.map(({ input }) => input),
      new Map(
        sent
          .flatMap(({ place }, at) => [[at, candidates.get(place) ?? []] as const])
          .filter(([, ids]) => ids.length > 0),
      ),
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
  { createdAt, remember }: { createdAt: string; remember: Memory },
): Promise<{ rows: SubmissionRow[]; remembered: Remembered[] }> {
  const results = sent.flatMap((one) => one.results);
  const changes = await growClaims(
    tx,
    sent.map((one) => one.results),
    located,
    results.length <= fewRows ? remember : null,
  );
  const witnesses = new Map(sent.map(({ id, witness }) => [id, witness]));
  const tell: WhileStoring = (told) => {
    for (const [id, of] of Map.groupBy(told, ({ from }) => from.submissionId))
      witnesses.get(id)?.storing?.(of.map(({ row }) => row));
  };
  const stored = { submissions: sent.map(toSubmissionRow), results, located, changes, createdAt };
  const isFew = results.length <= fewRows;
  const rest = () =>
    atOnce([
      storeSequences(
        tx,
        results.map(({ id, result }) => ({ id, sequence: sequenceOf(result) })),
      ),
      queueNewRegressionChecks(
        tx,
        sent.filter(isLookedAt).map(({ id }) => id),
      ),
      findKnown(tx, sent),
    ]);
  if (!isFew) await storeMany(tx, stored, tell);
  // Of few results all of it leaves at once, and is done in this order.
  const [, [, , known]] = await atOnce([isFew ? storeFew(tx, stored, tell) : null, rest()]);
  const rows = sent.map((one) => known.get(one.id) ?? asFound(one, createdAt));
  return { rows, remembered: changes.remembered };
}

/**
 * Stores uploads in the caller's transaction, as if one came after the other: set by set, so that many take hardly more
 * statements than one. No two of them have the same bytes, and those of different accounts have no model in common.
 */
export async function storeSubmissions(
  tx: Transaction,
  uploads: readonly Upload[],
  { store, memory }: { store: ArtifactStore; memory: RecentMemory },
): Promise<{ submissions: StoredSubmission[]; remembered: Remembered[] }> {
  const inputs = uploads.map(({ input }) => input);
  // What waits for another one with the same bytes finds what that stored: the lock keeps a retraction from coming between.
  const [{ accountOf, now, xid }, fresh, duplicates, located] = await atOnce([
    holdAccounts(
      tx,
      inputs.map(({ accountId }) => accountId),
    ),
    storeArtifacts(
      tx,
      inputs.map(({ artifact }) => artifact),
      store,
    ),
    findDuplicates(tx, inputs),
    upsertPoints(
      tx,
      inputs.flatMap(({ results }) => results),
      () => listCandidates(tx, inputs),
    ),
  ]);
  const allowed = await asAccountsMay(tx, uploads, accountOf);
  const sent: Sent[] = [];
  let at = 0;
  for (const [place, input] of allowed.entries()) {
    const places = located.places.slice(at, at + input.results.length);
    at += input.results.length;
    if (duplicates.has(place)) continue;
    const id = createId('sub');
    const { witness = {} } = uploads[place] ?? {};
    const results = placeResults(id, input, places);
    const account = accountOf(input.accountId);
    sent.push({ id, place, input, account, witness, isFresh: fresh.has(input.artifact.sha256), results });
  }
  await findFirsts(tx, sent, located.seen ?? new Map());
  const remember = { memory, xid };
  const { rows, remembered } =
    sent.length === 0 ? { rows: [], remembered: [] } : await write(tx, sent, located, { createdAt: now, remember });
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  const ids = sent.map(({ id }) => id);
  const stored = uploads.map((_, place) => {
    const first = duplicates.get(place);
    if (first !== undefined) return { id: first, duplicate: true, row: null };
    const id = ids.shift() ?? '';
    return { id, duplicate: false, row: rowOf.get(id) ?? null };
  });
  return { submissions: stored, remembered };
}
