import type { Finding } from '@inferboard/core/checks/check';
import { copiedFinding, type FirstResult } from '@inferboard/core/claims/copied-finding';
import { isSameSequence, type RequestSequence } from '@inferboard/core/records/sequence';
import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../connection/transaction.ts';
import { bigints } from '../copy/bulk.ts';
import { lockPoints } from '../points/point-lock.ts';
import { renewAnchors } from '../submissions/result-anchors.ts';

/** Ids for `in`, as a single array parameter: a literal list of thousands would be scanned for every row. */
export function texts(ids: readonly string[]): SQL {
  return sql`(select jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb))`;
}

interface Candidate {
  id: string;
  ordinal: number;
  pointId: string;
  copyOf: string | null;
  artifact: string;
  account: string;
  latencies: RequestSequence | null;
}

/** Why a result is a copy of one at the same point; null if it is not. */
function copyReason(result: Candidate, first: Candidate): 'same_bytes' | 'records' | null {
  if (result.artifact === first.artifact && result.ordinal === first.ordinal) return 'same_bytes';
  if (result.account === first.account || result.latencies === null || first.latencies === null) return null;
  return isSameSequence(result.latencies, first.latencies) ? 'records' : null;
}

/** All results of these bytes at these points, and results there that may share request records. Counting results come first. */
async function listCandidates(
  tx: Transaction,
  artifactSha256: string,
  pointIds: readonly number[],
): Promise<Candidate[]> {
  // Similar values, and an account's runs in another form, were detected at submission. So were copies across points. They
  // remain copies, unless they rank while the original waits for review.
  const isHere = sql`r.status <> 'retracted' and r.point_id in (select unnest(${bigints(pointIds)}))
    and coalesce(r.copy_reason, 'same_bytes') in ('same_bytes', 'records')
    and not exists (select from results first
      where first.id = r.copy_of and first.account_id <> r.account_id and first.point_id <> r.point_id
        and (r.status <> 'accepted' or first.status in ('accepted', 'retracted')))`;
  return (await tx.execute(sql`
    select r.id, r.ordinal, r.point_id as "pointId", r.copy_of as "copyOf", s.artifact_sha256 as artifact,
      s.account_id as account, q.latencies
    from submissions s join results r on r.submission_id = s.id
    left join request_sequences q on q.result_id = r.id
    where ${isHere} and s.artifact_sha256 in (
      select ${artifactSha256} union
      select related.artifact_sha256
      from results r join request_sequences on result_id = r.id join submissions related on related.id = r.submission_id
      where ${isHere})
    order by r.status <> 'accepted', r.id`)) as unknown as Candidate[];
}

/** If a counted run was retracted, its earliest other form counts, and becomes the original of the others. */
async function electOwnRuns(tx: Transaction, pointIds: readonly number[]): Promise<string[]> {
  const rows = (await tx.execute(sql`
    with orphans as (
      select r.id, r.copy_of, min(r.id) over (partition by r.copy_of) as heir
      from results r join results first on first.id = r.copy_of
      where r.point_id in (select unnest(${bigints(pointIds)})) and r.copy_reason = 'same_run' and r.status <> 'retracted'
        and first.status = 'retracted')
    update results r set copy_of = nullif(o.heir, r.id), copy_reason = case when o.heir = r.id then null else 'same_run' end
    from orphans o where o.id = r.id returning r.id`)) as unknown as { id: string }[];
  return rows.map(({ id }) => id);
}

/**
 * Elects one counting result wherever several contain the same line of the same bytes, or another account's request records, at
 * one of these points. Accepted results take precedence, then the earliest. The others become its copies. The caller blocks
 * submissions of these bytes, locks the points, and refreshes their statistics.
 * Returns the results that now count, or no longer count.
 */
export async function electFirstResults(
  tx: Transaction,
  artifactSha256: string,
  pointIds: readonly number[],
): Promise<string[]> {
  await lockPoints(tx, pointIds);
  const firsts = new Map<string, Candidate[]>();
  const changed: { id: string; copy_of: string | null; copy_reason: string | null }[] = [];
  for (const result of await listCandidates(tx, artifactSha256, pointIds)) {
    const here = firsts.get(result.pointId) ?? [];
    firsts.set(result.pointId, here);
    const first = here.find((one) => copyReason(result, one) !== null);
    if (first === undefined) here.push(result);
    const copyOf = first?.id ?? null;
    const reason = first === undefined ? null : copyReason(result, first);
    if (copyOf !== result.copyOf) changed.push({ id: result.id, copy_of: copyOf, copy_reason: reason });
  }
  await tx.execute(sql`
    update results r set copy_of = w.copy_of, copy_reason = w.copy_reason
    from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as w(id text, copy_of text, copy_reason text)
    where r.id = w.id`);
  const elected = [...changed.map(({ id }) => id), ...(await electOwnRuns(tx, pointIds))];
  await renewAnchors(tx, elected);
  return elected;
}

/** The findings about copies among these results, by id. */
export async function listCopyFindings(tx: Transaction, resultIds: readonly string[]): Promise<Map<string, Finding>> {
  const rows = (await tx.execute(sql`
    select r.id as copy, first.id, first.submission_id as "submissionId", f.account_id <> s.account_id as "isOthers",
      coalesce(r.copy_reason, 'same_bytes') as reason
    from results r join results first on first.id = r.copy_of
    join submissions s on s.id = r.submission_id
    join submissions f on f.id = first.submission_id
    where r.id in ${texts(resultIds)}`)) as unknown as (FirstResult & { copy: string })[];
  return new Map(rows.map(({ copy, ...first }) => [copy, copiedFinding(first)]));
}

/** Updates the findings that state whether these results are copies, and of which result. */
export async function updateCopyFindings(tx: Transaction, resultIds: readonly string[]): Promise<void> {
  const copies = await listCopyFindings(tx, resultIds);
  const findings = resultIds.map((id) => ({ id, findings: [copies.get(id) ?? []].flat() }));
  await tx.execute(sql`
    update results r
    set findings = jsonb_path_query_array(r.findings, '$[*] ? (@.code != "copied_artifact")') || w.findings
    from jsonb_to_recordset(${JSON.stringify(findings)}::jsonb) as w(id text, findings jsonb) where r.id = w.id`);
}
