import { type SQL, sql } from 'drizzle-orm';
import { accountCondition } from '../boards/lists/filter-conditions.ts';
import type { SubmissionRow } from '../boards/lists/row-types.ts';
import { prepared, value } from '../connection/statement.ts';
import type { Queryable } from '../connection/transaction.ts';
import { wordArray } from '../copy/bulk.ts';

const submissionDocument = sql`
  select to_jsonb(sub) || jsonb_build_object(
    'account_name', a.name, 'artifact_size', f.size, 'artifact_media_type', f.media_type,
    'results', (select count(*) from results r where r.submission_id = sub.id),
    'reviews', coalesce((
      select jsonb_agg(to_jsonb(rev) || jsonb_build_object('account_name', reviewer.name) order by rev.id)
      from reviews rev join accounts reviewer on reviewer.id = rev.account_id
      where rev.submission_id = sub.id), '[]'::jsonb),
    'signed', (
      select jsonb_build_object('key_id', k.id, 'public_key', k.public_key, 'signature', g.signature,
        'verified_at', g.verified_at, 'key_revoked_at', k.revoked_at)
      from submission_signatures g join signing_keys k on k.id = g.signing_key
      where g.submission_id = sub.id)) as row
  from submissions sub
  join accounts a on a.id = sub.account_id
  join artifacts f on f.sha256 = sub.artifact_sha256`;

const selectByIds = prepared<{ ids: string }, { row: SubmissionRow }>(
  sql`${submissionDocument} where sub.id = any(${value('ids')}::text[])`,
);

const selectByFingerprint = prepared<{ accountId: string; fingerprint: string }, { id: string }>(sql`
  select id from submissions
  where account_id = ${value('accountId')} and fingerprint = ${value('fingerprint')} and retracted_at is null`);

async function select(db: Queryable, rest: SQL): Promise<SubmissionRow[]> {
  const rows = (await db.execute(sql`${submissionDocument} ${rest}`)) as unknown as { row: SubmissionRow }[];
  return rows.map(({ row }) => row);
}

/** Submissions by id, unordered. */
export async function findSubmissions(db: Queryable, ids: readonly string[]): Promise<SubmissionRow[]> {
  return (await selectByIds(db, { ids: wordArray(ids) })).map(({ row }) => row);
}

export async function findSubmission(db: Queryable, id: string): Promise<SubmissionRow | null> {
  const [row] = await findSubmissions(db, [id]);
  return row ?? null;
}

/** An account's unretracted submission with a fingerprint; null if there is none. */
export async function findSubmissionByFingerprint(
  db: Queryable,
  accountId: string,
  fingerprint: string,
): Promise<string | null> {
  const [found] = await selectByFingerprint(db, { accountId, fingerprint });
  return found?.id ?? null;
}

/** Submissions, newest first, sorted by id. Includes retracted ones, marked as such. */
export async function listSubmissions(
  db: Queryable,
  question: { account: string[] | null; status: string[] | null; limit: number; after: string | null },
): Promise<SubmissionRow[]> {
  const { account, status, limit, after } = question;
  const inList = (values: string[]) =>
    sql`(${sql.join(
      values.map((value) => sql`${value}`),
      sql`, `,
    )})`;
  const byAccount = account === null ? sql`true` : accountCondition(account);
  const byStatus = status === null ? sql`true` : sql`sub.status in ${inList(status)}`;
  const continued = after === null ? sql`true` : sql`sub.id < ${after}`;
  return select(db, sql`where ${byAccount} and ${byStatus} and ${continued} order by sub.id desc limit ${limit}`);
}

/** Retracted submissions, the latest retraction first. */
export async function listRetracted(
  db: Queryable,
  { account, limit }: { account: string[] | null; limit: number },
): Promise<SubmissionRow[]> {
  const byAccount = account === null ? sql`true` : accountCondition(account);
  return select(
    db,
    sql`where ${byAccount} and sub.retracted_at is not null order by sub.retracted_at desc, sub.id desc limit ${limit}`,
  );
}
