import type { Finding } from '@inferboard/core/checks/check';
import { asImported, type CheckedResult } from '@inferboard/core/result';
import { type Change, lastingCodes, rederivedFinding } from '@inferboard/core/submission/re-derived';
import { sql } from 'drizzle-orm';
import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import { texts } from '../bulk.ts';
import type { Database } from '../client.ts';
import { holdStanding } from '../queries/account-standing.ts';
import { findArtifactOfSubmission } from '../queries/artifact-find.ts';
import { lockArtifact } from '../queries/artifact-lock.ts';
import { findCopiesAgain } from '../queries/copies-find.ts';
import { electFirstResults, listCopyFindings, retellCopies } from '../queries/first-result-elect.ts';
import { refreshPointStatistics } from '../queries/point-statistics-refresh.ts';
import { upsertPoints } from '../queries/point-upsert.ts';
import { sequenceOf, storeSequences } from '../queries/request-sequences.ts';
import { rewriteResults } from '../queries/result-rewrite.ts';
import type { SubmissionRow } from '../queries/row-types.ts';
import { statusUnder } from '../queries/standing-changed.ts';
import { findSubmission } from '../queries/submission-find.ts';
import { resultVersions } from '../schema/index.ts';
import { takeRows } from '../take-rows.ts';
import { type Transaction, transact } from '../transaction.ts';
import { compareResult, isTold, type StoredResult, statusToday } from './compare-result.ts';

/** What today's reader makes of a stored artifact; or why it makes nothing of it. */
export type Reading = { results: CheckedResult[] } | { unreadable: string };

/** Reads a stored artifact as if it came today, under the names that reviews mapped since. */
export type Reader = (
  submission: SubmissionRow,
  bytes: Uint8Array,
  results: readonly { id: string }[],
) => Promise<Reading>;

/** One reading of everything stored, by one release. */
export interface Pass {
  id: string;
  release: string;
  /** Works on copies of the tables that are the session's own, so no other writer has to wait. */
  isDryRun: boolean;
}

/** How stored submissions are read again. */
export interface Rereading {
  read: Reader;
  artifacts: ArtifactStore;
  pass: Pass;
}

export interface ChangedResult {
  id: string;
  changes: Change[];
}

export type Rederived =
  | { kind: 'same' }
  | { kind: 'changed'; results: ChangedResult[] }
  /** Nothing is changed then. */
  | { kind: 'unreadable'; reason: string };

interface Rewritten {
  stored: StoredResult;
  read: CheckedResult;
  changes: Change[];
}

interface Compared {
  changed: Rewritten[];
  /** Every result as it is read today: what copies are known by is kept of each, which earlier releases did not. */
  read: { id: string; result: CheckedResult }[];
}

async function listStored(tx: Transaction, submissionId: string): Promise<StoredResult[]> {
  const rows = takeRows(
    (await tx.execute(sql`
      select to_jsonb(r) || jsonb_build_object('system_id', p.system_id, 'system_label', s.label,
        'scenario_key', sc.key, 'load_key', p.load_key, 'kind', p.kind) as row
      from results r join points p on p.id = r.point_id join systems s on s.id = p.system_id
      join scenarios sc on sc.id = p.scenario_id
      where r.submission_id = ${submissionId} order by r.ordinal`)) as unknown as { row: StoredResult }[],
  );
  return rows.map(({ row }) => row);
}

/** Results whose quarantine an admin lifted as they were. */
function clearedIn({ reviews }: SubmissionRow): ReadonlySet<string> {
  return new Set(reviews.flatMap(({ decision, results }) => (decision === 'clear' ? results : [])));
}

async function compare(
  tx: Transaction,
  submission: SubmissionRow,
  { read, artifacts }: Rereading,
): Promise<Compared | string> {
  const artifact = await findArtifactOfSubmission(tx, submission.id, artifacts);
  if (artifact === null) throw new Error(`the artifact of ${submission.id} vanished`);
  const all = await listStored(tx, submission.id);
  const reading = await read(submission, new Uint8Array(artifact.bytes), all);
  if ('unreadable' in reading) return reading.unreadable;
  const { results } = reading;
  if (results.length !== all.length) return `it gives ${results.length} results today, and gave ${all.length}`;
  const cleared = clearedIn(submission);
  const standing = await holdStanding(tx, submission.account_id);
  const fresh = all.flatMap(({ id }, at) => {
    const result = results[at];
    return result === undefined ? [] : [{ id, result }];
  });
  const changed = all.flatMap((stored, at) => {
    const fresh = results[at];
    if (fresh === undefined) return [];
    const today = {
      ...(stored.origin === 'imported' ? asImported(fresh) : fresh),
      status: statusUnder(standing, statusToday(stored, fresh, cleared.has(stored.id))),
      // What we measured ourselves stays what we measured.
      ...(stored.own_trust === 'managed' ? { trust: 'managed' as const } : {}),
    };
    const changes = compareResult(stored, today);
    return changes.length === 0 ? [] : [{ stored, read: today, changes }];
  });
  return { changed, read: fresh };
}

/** Keeps the rows as they are, each under its next number. */
async function keepVersions(tx: Transaction, changed: readonly Rewritten[], rederivationId: string): Promise<void> {
  const rows = changed.map(({ stored }) => ({ id: stored.id, was: stored }));
  await tx.execute(sql`
    insert into ${resultVersions} (result_id, version, rederivation_id, was)
    select w.id, 1 + (select count(*) from result_versions v where v.result_id = w.id), ${rederivationId},
      jsonb_strip_nulls(w.was)
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as w(id text, was jsonb)`);
}

async function write(
  tx: Transaction,
  submission: SubmissionRow,
  changed: readonly Rewritten[],
  pass: Pass,
): Promise<void> {
  if (!pass.isDryRun) await lockArtifact(tx, submission.artifact_sha256);
  await keepVersions(tx, changed, pass.id);
  const { places } = await upsertPoints(
    tx,
    changed.map(({ read }) => read),
  );
  const ids = changed.map(({ stored }) => stored.id);
  await rewriteResults(
    tx,
    changed.map(({ stored, read }, at) => ({
      id: stored.id,
      submissionId: submission.id,
      accountId: stored.account_id,
      ordinal: stored.ordinal,
      pointId: places[at]?.id ?? -1,
      result: read,
    })),
  );
  const pointIds = [...new Set([...changed.map(({ stored }) => stored.point_id), ...places.map(({ id }) => id)])];
  const elected = await electFirstResults(tx, submission.artifact_sha256, pointIds);
  const copies = await listCopyFindings(tx, ids);
  const told = changed.map(({ stored, changes }): { id: string; told: Finding[] } => ({
    id: stored.id,
    told: [
      copies.get(stored.id) ?? [],
      stored.findings.filter(({ code }) => lastingCodes.includes(code)),
      isTold(changes) ? rederivedFinding(pass, changes) : [],
    ].flat(),
  }));
  await tx.execute(sql`
    update results r set findings = r.findings || w.told
    from jsonb_to_recordset(${JSON.stringify(told)}::jsonb) as w(id text, told jsonb) where r.id = w.id`);
  const rewritten = new Set(ids);
  await retellCopies(
    tx,
    elected.filter((id) => !rewritten.has(id)),
  );
  await tx.execute(sql`
    update submissions set status = case
      when exists (select 1 from results where submission_id = ${submission.id} and status = 'quarantined')
      then 'quarantined'
      else (select case when count(distinct status) = 1 then min(status)
        else ${statusUnder(await holdStanding(tx, submission.account_id), 'accepted')} end
        from results where submission_id = ${submission.id}) end
    where id = ${submission.id} and status <> 'retracted'`);
  await refreshPointStatistics(tx, pointIds);
}

/**
 * Keeps what copies of these results are known by, and marks those that are copies of what was sent before. Submissions are
 * read again in the order of time, so that the original comes first.
 */
async function markCopies(
  tx: Transaction,
  submission: SubmissionRow,
  read: readonly { id: string; result: CheckedResult }[],
): Promise<ChangedResult[]> {
  await storeSequences(
    tx,
    read.map(({ id, result }) => ({ id, sequence: sequenceOf(result) })),
  );
  const copies = await findCopiesAgain(tx, submission.account_id, read);
  if (copies.size === 0) return [];
  await retellCopies(tx, [...copies.keys()]);
  const points = (await tx.execute(
    sql`select distinct point_id::int as id from results where id = any(${texts([...copies.keys()])})`,
  )) as unknown as { id: number }[];
  await refreshPointStatistics(
    tx,
    points.map(({ id }) => id),
  );
  return [...copies].map(([id, first]) => ({ id, changes: [{ field: 'copy_of', old: null, new: first.id }] }));
}

/**
 * Reads a stored submission again, puts what has changed in place and returns the changes, in one transaction. The rows
 * that were there are kept as versions; points, standings, copies and statistics follow.
 */
export async function rederiveSubmission(db: Database['db'], id: string, rereading: Rereading): Promise<Rederived> {
  const { pass } = rereading;
  return transact(db, async (tx) => {
    // Reviews and retractions wait, or have been waited for.
    await tx.execute(sql`select 1 from submissions where id = ${id} for no key update`);
    const submission = await findSubmission(tx, id);
    if (submission === null) throw new Error(`submission ${id} vanished`);
    const compared = await compare(tx, submission, rereading);
    if (typeof compared === 'string') return { kind: 'unreadable', reason: compared };
    const { changed, read } = compared;
    if (changed.length > 0) await write(tx, submission, changed, pass);
    const copies = await markCopies(tx, submission, read);
    const results = [...changed.map(({ stored, changes }) => ({ id: stored.id, changes })), ...copies];
    return results.length === 0 ? { kind: 'same' } : { kind: 'changed', results };
  });
}
