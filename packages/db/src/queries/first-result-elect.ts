import type { Finding } from '@inferboard/core/checks/check';
import { type SQL, sql } from 'drizzle-orm';
import { bigints } from '../bulk.ts';
import type { Transaction } from '../transaction.ts';
import { copiedFinding, type FirstResult } from './first-result-find.ts';

/** Ids for `in`, as one parameter whatever their number; a list of thousands would be gone through for every row. */
export function texts(ids: readonly string[]): SQL {
  return sql`(select jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb))`;
}

/**
 * Makes one result count, and copies of the others, wherever the same line of the same bytes is said of one of these
 * points: an accepted one if there is one, of several the first. The caller keeps others from submitting these bytes
 * meanwhile, and refreshes the statistics of the points. Answers the results that now count, or count no more.
 */
export async function electFirstResults(
  tx: Transaction,
  artifactSha256: string,
  lines: { ordinals: readonly number[]; pointIds: readonly number[] },
): Promise<string[]> {
  const changed = (await tx.execute(sql`
    update results r set copy_of = elected.first
    from (
      select r.id, nullif(first_value(r.id) over (
        partition by r.ordinal, r.point_id order by r.status <> 'accepted', r.id), r.id) as first
      from results r join submissions s on s.id = r.submission_id
      where s.artifact_sha256 = ${artifactSha256} and r.status <> 'retracted'
        and r.ordinal in (select unnest(${bigints(lines.ordinals)})) and r.point_id in (select unnest(${bigints(lines.pointIds)}))
    ) elected
    where r.id = elected.id and r.copy_of is distinct from elected.first
    returning r.id`)) as unknown as { id: string }[];
  return changed.map(({ id }) => id);
}

/** What readers of those of these results that are copies are told, by id. */
export async function listCopyFindings(tx: Transaction, resultIds: readonly string[]): Promise<Map<string, Finding>> {
  const rows = (await tx.execute(sql`
    select r.id as copy, first.id, first.submission_id as "submissionId", f.account_id <> s.account_id as "isOthers"
    from results r join results first on first.id = r.copy_of
    join submissions s on s.id = r.submission_id
    join submissions f on f.id = first.submission_id
    where r.id in ${texts(resultIds)}`)) as unknown as (FirstResult & { copy: string })[];
  return new Map(rows.map(({ copy, ...first }) => [copy, copiedFinding(first)]));
}

/** Tells readers of these results anew whether they are copies, and of what. */
export async function retellCopies(tx: Transaction, resultIds: readonly string[]): Promise<void> {
  const copies = await listCopyFindings(tx, resultIds);
  const told = resultIds.map((id) => ({ id, told: [copies.get(id) ?? []].flat() }));
  await tx.execute(sql`
    update results r set findings = jsonb_path_query_array(r.findings, '$[*] ? (@.code != "copied_artifact")') || w.told
    from jsonb_to_recordset(${JSON.stringify(told)}::jsonb) as w(id text, told jsonb) where r.id = w.id`);
}
