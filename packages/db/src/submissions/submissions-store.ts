import { submissionStatus } from '@inferboard/core/submission/submission-status';
import { sql } from 'drizzle-orm';
import { type HeldAccount, holdAccounts } from '../accounts/account-standing.ts';
import type { RecentEntry, RecentResultsCache } from '../accounts/recent-results-cache.ts';
import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import { holdBeyondFrontier } from '../boards/lists/frontier-find.ts';
import type { SubmissionRow } from '../boards/lists/row-types.ts';
import { addToClaims, type TransactionCache } from '../claims/add-to-claims.ts';
import { type Candidates, findCopies, listCandidates } from '../claims/copies-find.ts';
import { findFirstResults } from '../claims/first-result-find.ts';
import { createId } from '../connection/ids.ts';
import { prepared, value } from '../connection/statement.ts';
import { atOnce, type Transaction } from '../connection/transaction.ts';
import { fewRows } from '../copy/copy.ts';
import { statusUnder } from '../points/apply-standing.ts';
import { type Located, upsertPoints } from '../points/point-upsert.ts';
import { queueNewRegressionChecks } from '../reviews/regression-check.ts';
import { notifySubmission } from '../runs/notify-submission.ts';
import { sequenceOf, storeSequences } from '../service/request-sequences.ts';
import { storeArtifacts } from './artifact-insert.ts';
import type { NewResult } from './new-result.ts';
import { storeFew, storeMany, type WhileStoring } from './result-insert.ts';
import { findSubmissions } from './submission-find.ts';
import type { InsertCallbacks, NewSubmission, StoredSubmission, Upload } from './submission-insert.ts';

const selectStanding = prepared<{ sent: string }, { place: number; id: string }>(sql`
  select w.place, sub.id
  from jsonb_to_recordset(${value('sent')}::jsonb) as w(place int, account_id text, fingerprint text)
  cross join lateral (
    select id from submissions sub
    where (sub.account_id, sub.fingerprint) = (w.account_id, w.fingerprint) and sub.retracted_at is null offset 0) sub`);

/** The existing submissions that some inputs duplicate, by index. */
async function findDuplicates(tx: Transaction, inputs: readonly NewSubmission[]): Promise<Map<number, string>> {
  const sent = inputs.map(({ accountId, fingerprint }, place) => ({ place, account_id: accountId, fingerprint }));
  const rows = await selectStanding(tx, { sent: JSON.stringify(sent) });
  return new Map(rows.map(({ place, id }) => [place, id]));
}

/** A submission about to be stored. */
interface Sent {
  id: string;
  /** Index among the uploads, some of which are duplicates. */
  place: number;
  input: NewSubmission;
  account: HeldAccount;
  callbacks: InsertCallbacks;
  /** Whether its bytes are new. */
  isFresh: boolean;
  results: NewResult[];
}

/** The session that all results with one name; null if they name several or none. */
function sessionOf({ results }: NewSubmission): string | null {
  const named = new Set(results.flatMap(({ extra }) => (extra.session === undefined ? [] : [String(extra.session)])));
  const [session] = named;
  return named.size === 1 && session !== undefined ? session : null;
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
  session: sessionOf(input),
});

/** A new submission as a query would return it. */
const asFound = ({ input, account, ...sent }: Sent, createdAt: string): SubmissionRow => ({
  ...toSubmissionRow({ input, account, ...sent }),
  account_name: account.name,
  status: input.status,
  artifact_size: input.artifact.size,
  artifact_media_type: input.artifact.mediaType,
  results: input.results.length,
  reviews: [],
  signed: null,
  retracted_at: null,
  retraction_reason: null,
  created_at: createdAt,
});

/** Reads submissions whose bytes already existed, because their other columns may differ. */
async function findKnown(tx: Transaction, sent: readonly Sent[]): Promise<Map<string, SubmissionRow>> {
  const known = sent.filter(({ isFresh }) => !isFresh).map(({ id }) => id);
  const rows = known.length === 0 ? [] : await findSubmissions(tx, known);
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * True if a submission needs a regression check, and its account subscribes to it. Managed runs are checked once at their end.
 */
const isLookedAt = ({ input, account }: Sent): boolean =>
  account.wantsRegressions && input.runId === undefined && input.results.some(({ status }) => status === 'accepted');

/** Applies the standing of the accounts to their submissions' results. */
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

/** Sets the original of results that copy earlier ones. Equal bytes take precedence, then another account's similar values. */
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

/** Converts results in upload order, each with its point. */
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

/** Writes the new rows. Returns the submissions as stored. */
async function write(
  tx: Transaction,
  sent: readonly Sent[],
  located: Located,
  { createdAt, caching }: { createdAt: string; caching: TransactionCache },
): Promise<{ rows: SubmissionRow[]; cacheEntries: RecentEntry[] }> {
  const results = sent.flatMap((one) => one.results);
  const changes = await addToClaims(
    tx,
    sent.map((one) => one.results),
    located,
    results.length <= fewRows ? caching : null,
  );
  const callbacksOf = new Map(sent.map(({ id, callbacks }) => [id, callbacks]));
  const whileStoring: WhileStoring = (seen) => {
    for (const [id, of] of Map.groupBy(seen, ({ from }) => from.submissionId))
      callbacksOf.get(id)?.storing?.(of.map(({ row }) => row));
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
  if (!isFew) await storeMany(tx, stored, whileStoring);
  // With few results, all statements are sent at once and run in this order.
  const [, [, , known]] = await atOnce([isFew ? storeFew(tx, stored, whileStoring) : null, rest()]);
  for (const { id, account, results } of sent) {
    const held = results.filter(({ result }) => result.status === 'quarantined').length;
    if (held > 0 && account.wantsHeld)
      await notifySubmission(
        tx,
        'submission.held',
        { submissionId: id, accountId: account.id },
        { results_held: held },
      );
  }
  const rows = sent.map((one) => known.get(one.id) ?? asFound(one, createdAt));
  return { rows, cacheEntries: changes.cacheEntries };
}

/**
 * Stores uploads in the caller's transaction with the effect of storing them one after the other. Set-based, so that many
 * uploads need hardly more statements than one. The uploads must have different bytes, and those of different accounts no model
 * in common.
 */
export async function storeSubmissions(
  tx: Transaction,
  uploads: readonly Upload[],
  { store, cache }: { store: ArtifactStore; cache: RecentResultsCache },
): Promise<{ submissions: StoredSubmission[]; cacheEntries: RecentEntry[] }> {
  const inputs = uploads.map(({ input }) => input);
  // A transaction that waited for another with the same bytes sees its rows. The lock keeps a retraction from intervening.
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
    const { callbacks = {} } = uploads[place] ?? {};
    const results = placeResults(id, input, places);
    const account = accountOf(input.accountId);
    sent.push({ id, place, input, account, callbacks, isFresh: fresh.has(input.artifact.sha256), results });
  }
  await findFirsts(tx, sent, located.seen ?? new Map());
  const caching = { cache, xid };
  const { rows, cacheEntries } =
    sent.length === 0 ? { rows: [], cacheEntries: [] } : await write(tx, sent, located, { createdAt: now, caching });
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  const ids = sent.map(({ id }) => id);
  const stored = uploads.map((_, place) => {
    const first = duplicates.get(place);
    if (first !== undefined) return { id: first, duplicate: true, row: null };
    const id = ids.shift() ?? '';
    return { id, duplicate: false, row: rowOf.get(id) ?? null };
  });
  return { submissions: stored, cacheEntries };
}
