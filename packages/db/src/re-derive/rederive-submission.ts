import type { Finding } from '@inferboard/core/checks/check';
import { asImported, type CheckedResult } from '@inferboard/core/subjects/result';
import { type Change, eventFindingCodes, rederivedFinding } from '@inferboard/core/submission/re-derived';
import { sql } from 'drizzle-orm';
import { holdStanding } from '../accounts/account-standing.ts';
import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import type { SubmissionRow } from '../boards/lists/row-types.ts';
import { findCopiesAgain } from '../claims/copies-find.ts';
import { electFirstResults, listCopyFindings, updateCopyFindings } from '../claims/first-result-elect.ts';
import type { Database } from '../connection/client.ts';
import { toSystemRow } from '../connection/rows.ts';
import { type Transaction, transact } from '../connection/transaction.ts';
import { texts } from '../copy/bulk.ts';
import { takeRows } from '../copy/take-rows.ts';
import { statusUnder } from '../points/apply-standing.ts';
import { refreshPointStatistics } from '../points/point-statistics-refresh.ts';
import { upsertPoints } from '../points/point-upsert.ts';
import { resultVersions } from '../schema/index.ts';
import { sequenceOf, storeSequences } from '../service/request-sequences.ts';
import { findArtifactOfSubmission } from '../submissions/artifact-find.ts';
import { lockArtifact } from '../submissions/artifact-lock.ts';
import { rewriteResults } from '../submissions/result-rewrite.ts';
import { findSubmission } from '../submissions/submission-find.ts';
import { compareResult, isReported, type StoredResult, statusToday } from './compare-result.ts';

/** The result of reading a stored artifact with the current reader, or why it is unreadable. */
export type Reading = { results: CheckedResult[] } | { unreadable: string };

/** Reads a stored artifact like a new upload, with the name mappings of later reviews. */
export type Reader = (
  submission: SubmissionRow,
  bytes: Uint8Array,
  results: readonly { id: string }[],
) => Promise<Reading>;

/** One pass over all stored submissions by one release. */
export interface Pass {
  id: string;
  release: string;
  /** Works on the session's own copies of the tables, so that other writers are not blocked. */
  isDryRun: boolean;
}

/** Options for reading stored submissions again. */
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
  /** Nothing is changed. */
  | { kind: 'unreadable'; reason: string };

interface Rewritten {
  stored: StoredResult;
  read: CheckedResult;
  changes: Change[];
}

interface Compared {
  changed: Rewritten[];
  /** All re-read results: their data for copy detection is stored, which earlier releases did not do. */
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

/** Results that an admin released from quarantine unchanged. */
function clearedIn({ reviews }: SubmissionRow): ReadonlySet<string> {
  return new Set(reviews.flatMap(({ decision, results }) => (decision === 'clear' ? results : [])));
}

async function compare(
  tx: Transaction,
  submission: SubmissionRow,
  { read, artifacts }: Rereading,
): Promise<Compared | string> {
  const artifact = await findArtifactOfSubmission(tx, submission.id, artifacts);
  if (artifact === null) throw new Error(`the artifact of ${submission.id} does not exist`);
  const all = await listStored(tx, submission.id);
  const reading = await read(submission, new Uint8Array(artifact.bytes), all);
  if ('unreadable' in reading) return reading.unreadable;
  const { results } = reading;
  if (results.length !== all.length) return `it now gives ${results.length} results instead of ${all.length}`;
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
      // Managed measurements keep their trust.
      ...(stored.own_trust === 'managed' ? { trust: 'managed' as const } : {}),
    };
    const changes = compareResult(stored, today);
    return changes.length === 0 ? [] : [{ stored, read: today, changes }];
  });
  return { changed, read: fresh };
}

/** Stores the previous rows, each with the next version number. */
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
  const findings = changed.map(({ stored, changes }): { id: string; findings: Finding[] } => ({
    id: stored.id,
    findings: [
      copies.get(stored.id) ?? [],
      stored.findings.filter(({ code }) => eventFindingCodes.includes(code)),
      isReported(changes) ? rederivedFinding(pass, changes) : [],
    ].flat(),
  }));
  await tx.execute(sql`
    update results r set findings = r.findings || w.findings
    from jsonb_to_recordset(${JSON.stringify(findings)}::jsonb) as w(id text, findings jsonb) where r.id = w.id`);
  const rewritten = new Set(ids);
  await updateCopyFindings(
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
 * Stores the data for copy detection of these results, and marks those that copy earlier ones. Submissions are re-read
 * chronologically, so that the original comes first.
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
  await updateCopyFindings(tx, [...copies.keys()]);
  const points = (await tx.execute(
    sql`select distinct point_id::int as id from results where id = any(${texts([...copies.keys()])})`,
  )) as unknown as { id: number }[];
  await refreshPointStatistics(
    tx,
    points.map(({ id }) => id),
  );
  return [...copies].map(([id, first]) => ({ id, changes: [{ field: 'copy_of', old: null, new: first.id }] }));
}

/** Stores the labels that this release gives to the systems. A label is not a fact of a result, so no result changes. */
async function relabelSystems(tx: Transaction, read: readonly { result: CheckedResult }[]): Promise<void> {
  const labels = new Map(read.map(({ result }) => toSystemRow(result.system)).map(({ id, label }) => [id, label]));
  await tx.execute(sql`
    update systems s set label = w.label
    from unnest(${texts([...labels.keys()])}, ${texts([...labels.values()])}) as w(id, label)
    where s.id = w.id and s.label <> w.label`);
}

/**
 * Re-reads a stored submission, applies the changes and returns them, in one transaction. Stores previous rows as versions, and
 * updates points, statuses, copies and statistics.
 */
export async function rederiveSubmission(db: Database['db'], id: string, rereading: Rereading): Promise<Rederived> {
  const { pass } = rereading;
  return transact(db, async (tx) => {
    // Serializes with reviews and retractions.
    await tx.execute(sql`select 1 from submissions where id = ${id} for no key update`);
    const submission = await findSubmission(tx, id);
    if (submission === null) throw new Error(`submission ${id} does not exist`);
    const compared = await compare(tx, submission, rereading);
    if (typeof compared === 'string') return { kind: 'unreadable', reason: compared };
    const { changed, read } = compared;
    if (changed.length > 0) await write(tx, submission, changed, pass);
    if (!pass.isDryRun) await relabelSystems(tx, read);
    const copies = await markCopies(tx, submission, read);
    const results = [...changed.map(({ stored, changes }) => ({ id: stored.id, changes })), ...copies];
    return results.length === 0 ? { kind: 'same' } : { kind: 'changed', results };
  });
}
